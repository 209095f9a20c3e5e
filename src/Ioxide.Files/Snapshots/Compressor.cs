using System.Buffers;
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
    internal static CodedCopies Run(FileBody body)
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
            CodedCopy? brotli = BrotliEncoder.TryCompress(body.GetSpan(), room, out int length, BrotliQuality, BrotliWindow)
                ? Keep(room[..length])
                : null;
            CodedCopy? gzip = TryGzip(body, target, out length) ? Keep(room[..length]) : null;
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
            gzip.Write(body.GetSpan());
        }

        length = (int)coded.Length;
        if (length >= body.Bytes.Length)
        {
            return false;
        }

        coded.GetBuffer().AsSpan(0, length).CopyTo(target);
        return true;
    }

    private static CodedCopy Keep(ReadOnlySpan<byte> bytes)
    {
        var copy = new FileBody(bytes.Length);
        bytes.CopyTo(copy.GetSpan());
        return new CodedCopy(copy, ContentReader.TagOf(copy));
    }
}
