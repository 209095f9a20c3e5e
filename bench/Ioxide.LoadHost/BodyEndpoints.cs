using System.Buffers;
using System.Collections.Concurrent;
using System.Globalization;
using System.IO.Pipelines;

namespace Ioxide.LoadHost;

/// <summary>Large bodies, in and out.</summary>
internal static class BodyEndpoints
{
    private const int MaxDownloadKilobytes = 64 * 1024;
    private const int MaxEchoBytes = 1024 * 1024;
    private const int PieceBytes = 16 * 1024;

    private static readonly byte[] s_piece = Fill(PieceBytes);

    private static readonly ConcurrentDictionary<int, byte[]> s_downloads = new();

    internal static void MapBodies(this IEndpointRouteBuilder routes)
    {
        routes.MapPost("/upload", static async (HttpContext context) =>
        {
            long lengthBytes = await CountAsync(context.Request.BodyReader, context.RequestAborted);
            return lengthBytes.ToString(CultureInfo.InvariantCulture);
        });

        routes.MapPost("/echo", static (HttpContext context) => EchoAsync(context));

        routes.MapGet("/download", static (HttpContext context, int kb = 1024) =>
        {
            if (kb is < 1 or > MaxDownloadKilobytes)
            {
                context.Response.StatusCode = StatusCodes.Status400BadRequest;
                return Task.CompletedTask;
            }

            // Filled once, so that a round measures the transport and not the making of the body.
            byte[] body = s_downloads.GetOrAdd(kb, static kilobytes => Fill(kilobytes * 1024));
            context.Response.ContentType = "application/octet-stream";
            context.Response.ContentLength = body.Length;
            return context.Response.Body.WriteAsync(body).AsTask();
        });

        // Piece by piece, so that the server holds little of it for a client that does not read.
        routes.MapGet("/endless", static async (HttpContext context) =>
        {
            // Writes to a client that has gone do not wait, and the token is cancelled on the thread pool: it needs a turn.
            while (!context.RequestAborted.IsCancellationRequested)
            {
                await context.Response.Body.WriteAsync(s_piece);
                await Task.Yield();
            }
        });
    }

    /// <summary>A body of a known length is read whole and answered with its length; any other is answered as it comes.</summary>
    private static async Task EchoAsync(HttpContext context)
    {
        context.Response.ContentType = "application/octet-stream";
        if (context.Request.ContentLength is not long declared || declared > MaxEchoBytes)
        {
            await context.Request.Body.CopyToAsync(context.Response.Body, context.RequestAborted);
            return;
        }

        int lengthBytes = (int)declared;
        byte[] body = ArrayPool<byte>.Shared.Rent(lengthBytes);
        try
        {
            await context.Request.Body.ReadExactlyAsync(body.AsMemory(0, lengthBytes), context.RequestAborted);
            context.Response.ContentLength = lengthBytes;
            await context.Response.Body.WriteAsync(body.AsMemory(0, lengthBytes), context.RequestAborted);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(body);
        }
    }

    private static async ValueTask<long> CountAsync(PipeReader reader, CancellationToken cancellation)
    {
        long lengthBytes = 0;
        while (true)
        {
            ReadResult result = await reader.ReadAsync(cancellation);
            ReadOnlySequence<byte> buffer = result.Buffer;
            lengthBytes += buffer.Length;
            reader.AdvanceTo(buffer.End);
            if (result.IsCompleted)
            {
                return lengthBytes;
            }
        }
    }

    private static byte[] Fill(int lengthBytes)
    {
        byte[] body = new byte[lengthBytes];
        new Random(lengthBytes).NextBytes(body);
        return body;
    }
}
