using System.Globalization;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Arena;

/// <summary>A large body is counted.</summary>
internal static class UploadEndpoint
{
    internal static void MapUpload(this IEndpointRouteBuilder routes)
        => routes.MapPost("/upload", static async (HttpContext context) =>
        {
            context.Features.GetRequiredFeature<IHttpMaxRequestBodySizeFeature>().MaxRequestBodySize = null;
            return (await CountAsync(context.Request.BodyReader, context.RequestAborted)).ToString(CultureInfo.InvariantCulture);
        });

    private static async Task<long> CountAsync(PipeReader body, CancellationToken cancellation)
    {
        long count = 0;
        while (true)
        {
            ReadResult read = await body.ReadAsync(cancellation);
            count += read.Buffer.Length;
            body.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted)
            {
                return count;
            }
        }
    }
}
