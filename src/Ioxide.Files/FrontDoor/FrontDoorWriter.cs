using System.Buffers;
using System.Buffers.Text;
using System.IO.Pipelines;

namespace Ioxide.Files;

/// <summary>Writes whole answers of the front door: the head with the body behind it, the body by reference where that is cheaper.</summary>
internal static class FrontDoorWriter
{
    // Status line, two lengths, a content range and the date.
    private const int MaxOwnHeadBytes = 256;

    /// <summary>Writes the answer to a request.</summary>
    /// <returns>Its status and the length of its body, or 0: it is the server's to answer, nothing was written.</returns>
    internal static (int Status, long BodyBytes) TryWrite(PipeWriter output, FileSite site, in FileRequest request, in FileDecision decision)
    {
        FileVariant? variant = decision.Variant;
        if (variant is null || variant.IsOnDisk)
        {
            return default;
        }

        switch (decision.Outcome)
        {
            case FileOutcome.Whole:
                Write(output, site, variant, "HTTP/1.1 200 OK\r\nContent-Length: "u8, decision.Range, isPart: false, request.IsHead);
                return (200, request.IsHead ? 0 : variant.Length);
            case FileOutcome.Part:
                Write(output, site, variant, "HTTP/1.1 206 Partial Content\r\nContent-Length: "u8, decision.Range, isPart: true, isHead: false);
                return (206, decision.Range.Length);
            case FileOutcome.NotModified:
                var head = new HeadWriter(output, "HTTP/1.1 304 Not Modified\r\n"u8.Length + variant.Head.NotModified.Length + DateLine.LengthBytes);
                head.Add("HTTP/1.1 304 Not Modified\r\n"u8);
                head.Add(variant.Head.NotModified);
                head.Add(DateLine.Bytes);
                head.Commit(output);
                return (304, 0);
            default:
                return default;
        }
    }

    private static void Write(
        PipeWriter output, FileSite site, FileVariant variant, ReadOnlySpan<byte> start, ByteRange range, bool isPart, bool isHead)
    {
        ReadOnlyMemory<byte> body = isHead || range.Length == 0
            ? default
            : variant.Body!.Bytes.Slice((int)range.Start, (int)range.Length);
        bool isCopied = body.Length <= MemoryBody.MaxCopiedBytes;
        var head = new HeadWriter(output, MaxOwnHeadBytes + variant.Head.Whole.Length + (isCopied ? body.Length : 0));
        head.Add(start);
        head.Add(range.Length);
        if (isPart)
        {
            head.Add("\r\nContent-Range: bytes "u8);
            head.Add(range.Start);
            head.Add("-"u8);
            head.Add(range.Last);
            head.Add("/"u8);
            head.Add(variant.Length);
        }

        head.Add("\r\n"u8);
        head.Add(variant.Head.Whole);
        head.Add(DateLine.Bytes);
        if (isCopied)
        {
            head.Add(body.Span);
            head.Commit(output);
        }
        else
        {
            head.Commit(output);
            WriteLarge(output, site, body);
        }

        // What was copied was read through a pointer, which the collector does not follow.
        GC.KeepAlive(variant);
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

        internal readonly void Commit(PipeWriter output) => output.Advance(_length);
    }
}
