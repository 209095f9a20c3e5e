namespace Ioxide.Files;

/// <summary>Writes bodies of files that are left on disk, piece by piece, so that memory does not depend on their size.</summary>
/// <remarks>
/// The file is described after each piece was read: bytes of two versions never get into one answer. A connection whose file
/// changed or shrank is aborted, which the client sees, because the length was promised.
/// </remarks>
[ApplicationSide]
internal static class DiskBody
{
    internal static async Task WriteAsync(HttpContext context, FileSite site, FileDecision decision, OpenFile file)
    {
        try
        {
            if (decision.Parts is { } parts)
            {
                await MultipartBody.WriteAsync(context, decision.Variant!, parts, range => WriteAsync(context, file, range));
            }
            else
            {
                await WriteAsync(context, file, decision.Range);
            }
        }
        catch (FileChangedException)
        {
            site.LogChangedWhileSent(decision.Variant!);
            context.Abort();
        }
    }

    private static async Task WriteAsync(HttpContext context, OpenFile file, ByteRange range)
    {
        long offset = range.Start;
        long left = range.Length;
        while (left > 0)
        {
            PieceBuffer? piece = PieceBuffer.Rent();
            try
            {
                Memory<byte> target = piece.Memory[..(int)Math.Min(left, PieceBuffer.LengthBytes)];
                int count = await file.ReadAsync(target, offset, context.RequestAborted);
                if (count == 0 || !file.IsUnchanged())
                {
                    throw new FileChangedException();
                }

                offset += count;
                left -= count;
                PieceBuffer owner = piece;
                piece = null;
                if ((await BodyBytes.WriteAsync(context, target[..count], owner)).IsCompleted)
                {
                    return;
                }
            }
            catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
            {
                // The client has gone.
                return;
            }
            catch (ObjectDisposedException)
            {
                // The ring has ended before the read: the kernel may still write to the piece.
                piece = null;
                throw;
            }
            finally
            {
                piece?.Dispose();
            }
        }
    }

    /// <summary>The file is not what the head of the answer said.</summary>
    private sealed class FileChangedException : Exception;
}
