using System.Buffers.Text;

namespace Ioxide.Files;

/// <summary>Writes whole answers of the front door: the head with the body behind it, the body by reference where that is cheaper.</summary>
internal static class FrontDoorWriter
{
    // Status line, two lengths, a content range, the server's name and the date.
    private const int MaxOwnHeadBytes = 256;

    /// <summary>Writes the answer to a request.</summary>
    /// <returns>Its status and the lengths of its head and body, or a status of 0: it is the server's to answer, nothing was written.</returns>
    internal static (int Status, int HeadBytes, long BodyBytes) TryWrite(
        PipeWriter output, FileSite site, in FileRequest request, in FileDecision decision, ReadOnlySpan<byte> serverLine)
    {
        FileVariant? variant = decision.Variant;
        if (variant is null || variant.IsOnDisk)
        {
            return default;
        }

        switch (decision.Outcome)
        {
            case FileOutcome.Whole:
                return Write(output, site, variant, 200, decision.Range, request.IsHead, serverLine);
            case FileOutcome.Part:
                return Write(output, site, variant, 206, decision.Range, isHead: false, serverLine);
            case FileOutcome.NotModified:
                var head = new HeadWriter(output, MaxOwnHeadBytes + variant.Head.NotModified.Length);
                head.Add("HTTP/1.1 304 Not Modified\r\n"u8);
                head.Add(serverLine);
                head.Add(variant.Head.NotModified);
                head.Add(DateLine.Bytes);
                return (304, head.Commit(output), 0);
            default:
                return default;
        }
    }

    private static (int Status, int HeadBytes, long BodyBytes) Write(
        PipeWriter output, FileSite site, FileVariant variant, int status, ByteRange range, bool isHead, ReadOnlySpan<byte> serverLine)
    {
        ReadOnlyMemory<byte> body = isHead || range.Length == 0 ? default : variant.Body!.Bytes.Slice((int)range.Start, (int)range.Length);
        bool isCopied = body.Length <= MemoryBody.MaxCopiedBytes;
        var head = new HeadWriter(output, MaxOwnHeadBytes + variant.Head.Whole.Length + (isCopied ? body.Length : 0));
        head.Add(status == 200 ? "HTTP/1.1 200 OK\r\nContent-Length: "u8 : "HTTP/1.1 206 Partial Content\r\nContent-Length: "u8);
        head.Add(range.Length);
        if (status == 206)
        {
            head.Add("\r\nContent-Range: bytes "u8);
            head.Add(range.Start);
            head.Add("-"u8);
            head.Add(range.Last);
            head.Add("/"u8);
            head.Add(variant.Length);
        }

        head.Add("\r\n"u8);
        head.Add(serverLine);
        head.Add(variant.Head.Whole);
        head.Add(DateLine.Bytes);
        int written;
        if (isCopied)
        {
            head.Add(body.Span);
            written = head.Commit(output) - body.Length;
        }
        else
        {
            written = head.Commit(output);
            WriteLarge(output, site, body);
        }

        // What was copied was read through a pointer, which the collector does not follow.
        GC.KeepAlive(variant);
        return (status, written, body.Length);
    }

    private static void WriteLarge(PipeWriter output, FileSite site, ReadOnlyMemory<byte> body)
    {
        if (output is IReferenceWriter writer)
        {
            writer.AppendImmutable(body);
            site.Counters.CountReference();
        }
        else
        {
            output.Write(body.Span);
        }
    }

    /// <summary>Puts pieces one behind the other into one stretch of the writer's memory.</summary>
    private ref struct HeadWriter(PipeWriter output, int maxBytes)
    {
        private readonly Span<byte> _span = output.GetSpan(maxBytes);
        private int _length;

        internal void Add(ReadOnlySpan<byte> bytes)
        {
            bytes.CopyTo(_span[_length..]);
            _length += bytes.Length;
        }

        internal void Add(long number)
        {
            Utf8Formatter.TryFormat(number, _span[_length..], out int written);
            _length += written;
        }

        internal readonly int Commit(PipeWriter output)
        {
            output.Advance(_length);
            return _length;
        }
    }
}
