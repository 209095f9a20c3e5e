using Ioxide.AspNetCore;

namespace Ioxide.Files;

/// <summary>Writes bodies that lie in memory: by reference where the bytes go to the connection as they are, else once.</summary>
internal static class MemoryBody
{
    /// <summary>Copying that much is cheaper than one stretch of memory more in the send.</summary>
    internal const int MaxCopiedBytes = 8 * 1024;

    // Where a handler's end sends more than that, it waits for the client as with any other body.
    private const int MaxUnflushedBytes = 64 * 1024;

    internal static async Task WriteAsync(HttpContext context, FileSite site, FileDecision decision)
    {
        if (decision.Parts is { } parts)
        {
            await MultipartBody.WriteAsync(context, decision.Variant!, parts, range => WriteAsync(context, site, decision.Variant!, range));
        }
        else if (decision.Range.Length > 0)
        {
            await WriteAsync(context, site, decision.Variant!, decision.Range);
        }
    }

    private static async ValueTask WriteAsync(HttpContext context, FileSite site, FileVariant variant, ByteRange range)
    {
        ReadOnlyMemory<byte> bytes = variant.Body!.Bytes.Slice((int)range.Start, (int)range.Length);
        if (ReferencedBody.TryWriteToStream(context, bytes, owner: null))
        {
            if (bytes.Length > MaxCopiedBytes)
            {
                site.Counters.CountReference();
            }

            if (bytes.Length > MaxUnflushedBytes)
            {
                await context.Response.BodyWriter.FlushAsync();
            }
        }
        else if (bytes.Length > MaxCopiedBytes && await ReferencedBody.TryWriteAsync(context, bytes, owner: null))
        {
            site.Counters.CountReference();
            await context.Response.BodyWriter.FlushAsync();
        }
        else
        {
            await context.Response.BodyWriter.WriteAsync(bytes);
        }

        // What was copied was read through a pointer, which the collector does not follow.
        GC.KeepAlive(variant);
    }
}
