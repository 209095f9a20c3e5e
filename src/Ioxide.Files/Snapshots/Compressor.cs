using System.IO.Compression;

namespace Ioxide.Files;

/// <summary>Makes the coded copies that the options ask for.</summary>
internal static class Compressor
{
    // A smaller file fits one packet either way.
    private const int LeastBytes = 256;
    private const int BrotliQuality = 9;
    private const int BrotliWindow = 22;

    /// <summary>Whether files of a type become smaller: text, and what is written as text.</summary>
    internal static bool IsWorthwhile(string contentType)
        => contentType.StartsWith("text/", StringComparison.OrdinalIgnoreCase)
            || contentType.Contains("json", StringComparison.OrdinalIgnoreCase)
            || contentType.Contains("xml", StringComparison.OrdinalIgnoreCase)
            || contentType.Contains("javascript", StringComparison.OrdinalIgnoreCase)
            || contentType.StartsWith("application/wasm", StringComparison.OrdinalIgnoreCase)
            || contentType.StartsWith("application/manifest", StringComparison.OrdinalIgnoreCase);

    /// <summary>Codes a file twice. It takes the processor for long: call it on the thread pool.</summary>
    /// <param name="body">The file.</param>
    /// <param name="memory">Takes the copies.</param>
    internal static CodedCopies Run(FileBody body, SnapshotMemory memory)
    {
        if (body.Bytes.Length < LeastBytes)
        {
            return new CodedCopies(null, null);
        }

        byte[] target = ArrayPool<byte>.Shared.Rent(body.Bytes.Length);
        try
        {
            // What does not fit into one byte less than the file is not worth having.
            Span<byte> room = target.AsSpan(0, body.Bytes.Length - 1);
            CodedCopy? brotli = BrotliEncoder.TryCompress(body.Bytes.Span, room, out int length, BrotliQuality, BrotliWindow)
                ? Keep(room[..length], memory)
                : null;
            CodedCopy? gzip = TryGzip(body, target, out length) ? Keep(room[..length], memory) : null;
            return new CodedCopies(brotli, gzip);
        }
        finally
        {
            GC.KeepAlive(body);
            ArrayPool<byte>.Shared.Return(target);
        }
    }

    private static bool TryGzip(FileBody body, byte[] target, out int length)
    {
        using var coded = new MemoryStream();
        using (var gzip = new GZipStream(coded, CompressionLevel.SmallestSize, leaveOpen: true))
        {
            gzip.Write(body.Bytes.Span);
        }

        length = (int)coded.Length;
        if (length >= body.Bytes.Length)
        {
            return false;
        }

        coded.GetBuffer().AsSpan(0, length).CopyTo(target);
        return true;
    }

    private static CodedCopy Keep(ReadOnlySpan<byte> bytes, SnapshotMemory memory)
    {
        FileBody copy = memory.Copy(bytes);
        return new CodedCopy(copy, ContentReader.TagOf(copy));
    }
}
