using System.Globalization;
using System.Text;

namespace Ioxide.LoadHost;

/// <summary>The sum of two numbers of the query, and of the body where there is one.</summary>
internal static class SumEndpoints
{
    private const int MaxBodyLengthBytes = 32;

    internal static void MapSums(this IEndpointRouteBuilder routes)
    {
        routes.MapGet("/baseline", static (HttpContext context, int a, int b) => WriteAsync(context.Response, (long)a + b));
        routes.MapPost("/baseline", static async (HttpContext context, int a, int b) =>
        {
            using var reader = new StreamReader(context.Request.Body, Encoding.ASCII, false, MaxBodyLengthBytes, leaveOpen: true);
            string body = await reader.ReadToEndAsync(context.RequestAborted);
            if (int.TryParse(body, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int c))
            {
                await WriteAsync(context.Response, (long)a + b + c);
            }
            else
            {
                context.Response.StatusCode = StatusCodes.Status400BadRequest;
            }
        });
    }

    private static Task WriteAsync(HttpResponse response, long sum)
    {
        byte[] text = Encoding.ASCII.GetBytes(sum.ToString(CultureInfo.InvariantCulture));
        response.ContentType = "text/plain";
        response.ContentLength = text.Length;
        return response.Body.WriteAsync(text).AsTask();
    }
}
