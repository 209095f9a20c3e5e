using System.Globalization;
using Microsoft.AspNetCore.Http;

namespace Ioxide.Files.Tests;

/// <summary>How an endpoint beside the files answers.</summary>
internal enum GeneratedAnswer
{
    /// <summary>Its name and what it sees of the request.</summary>
    Text,

    /// <summary>The same, in pieces.</summary>
    Pieces,

    /// <summary>204.</summary>
    Nothing,

    /// <summary>The length of the request's body.</summary>
    Counted,

    /// <summary>An exception.</summary>
    Thrown,
}

internal static class GeneratedAnswers
{
    internal static readonly GeneratedAnswer[] All =
    [
        GeneratedAnswer.Text, GeneratedAnswer.Text, GeneratedAnswer.Text, GeneratedAnswer.Text, GeneratedAnswer.Pieces, GeneratedAnswer.Nothing,
        GeneratedAnswer.Counted, GeneratedAnswer.Thrown,
    ];

    internal static async Task WriteAsync(this GeneratedAnswer answer, HttpContext context, string name)
    {
        HttpRequest request = context.Request;
        string values = string.Join(", ", request.RouteValues.OrderBy(static value => value.Key, StringComparer.Ordinal)
            .Select(static value => $"{value.Key}={Convert.ToString(value.Value, CultureInfo.InvariantCulture)}"));
        string text = $"{name} {request.Method} {request.Scheme}://{request.Host} {request.PathBase}|{request.Path}|{request.QueryString} "
            + $"({values}) {context.User.Identity?.Name}";
        context.Response.ContentType = "text/plain";
        switch (answer)
        {
            case GeneratedAnswer.Text:
                await context.Response.WriteAsync(text);
                break;
            case GeneratedAnswer.Pieces:
                await context.Response.WriteAsync(text[..4]);
                await context.Response.Body.FlushAsync();
                await context.Response.WriteAsync(text[4..]);
                break;
            case GeneratedAnswer.Nothing:
                context.Response.StatusCode = 204;
                break;
            case GeneratedAnswer.Counted:
                using (MemoryStream body = new())
                {
                    await request.Body.CopyToAsync(body);
                    await context.Response.WriteAsync($"{name} read {body.Length}");
                }

                break;
            default:
                throw new InvalidOperationException(name);
        }
    }
}
