using System.Buffers.Binary;

namespace Ioxide.Http2.Tests;

/// <summary>The frames of the catalogue. A request is of stream 1 unless told.</summary>
internal static class SpecFrames
{
    /// <summary>Index of user-agent in the static table (RFC 7541, appendix A).</summary>
    internal const int UserAgent = 58;

    internal static byte[] Mark { get; } = [.. "the mark"u8];

    internal static byte[] Ping { get; } = FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.None, 0, Mark);

    internal static byte[] Get { get; } = FrameClient.Request(1);

    /// <summary>A request whose body is to come.</summary>
    internal static byte[] Post { get; } = FrameClient.Request(1, ends: false, method: "POST");

    internal static (string Name, string Value)[] GetFields { get; } =
        [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "localhost")];

    internal static byte[] GetBlock { get; } = FrameClient.Block(GetFields);

    /// <summary>A block of one plain field, for CONTINUATION.</summary>
    internal static byte[] MoreBlock { get; } = FrameClient.Block(("x-more", "1"));

    internal static byte[] Body(bool ends = true, int streamId = 1) => FrameClient.Data(streamId, "test"u8, ends);

    internal static byte[] Padded(Http2FrameType type, Http2FrameFlags flags, ReadOnlySpan<byte> payload, int padBytes)
        => FrameClient.Frame(type, flags | Http2FrameFlags.Padded, 1, [(byte)padBytes, .. payload, .. new byte[padBytes]]);

    /// <summary>HEADERS as they are told, with any block.</summary>
    internal static byte[] Head(ReadOnlySpan<byte> block, bool ends = true, bool isWhole = true, int streamId = 1) => FrameClient.Frame(
        Http2FrameType.Headers,
        (ends ? Http2FrameFlags.EndStream : 0) | (isWhole ? Http2FrameFlags.EndHeaders : 0),
        streamId,
        block);

    /// <summary>HEADERS of a GET whose block has more at its end.</summary>
    internal static byte[] GetWith(params ReadOnlySpan<byte> more) => Head([.. GetBlock, .. more]);

    /// <summary>HEADERS of a GET with further fields.</summary>
    internal static byte[] GetWith(params (string Name, string Value)[] fields) => FrameClient.Headers(1, true, [.. GetFields, .. fields]);

    internal static byte[] Continuation(ReadOnlySpan<byte> block, bool isWhole = true, int streamId = 1)
        => FrameClient.Frame(Http2FrameType.Continuation, isWhole ? Http2FrameFlags.EndHeaders : Http2FrameFlags.None, streamId, block);

    internal static byte[] Priority(int streamId, int dependsOn = 0, byte weight = 255, bool isExclusive = false)
        => FrameClient.Frame(Http2FrameType.Priority, Http2FrameFlags.None, streamId, PriorityFields(dependsOn, weight, isExclusive));

    /// <summary>The five bytes of a priority (RFC 9113, 6.3).</summary>
    internal static byte[] PriorityFields(int dependsOn, byte weight, bool isExclusive)
    {
        byte[] fields = new byte[5];
        BinaryPrimitives.WriteUInt32BigEndian(fields, (uint)dependsOn | (isExclusive ? 1u << 31 : 0));
        fields[4] = weight;
        return fields;
    }

    internal static byte[] Reset(int streamId = 1, uint code = (uint)Http2ErrorCode.Cancel)
        => FrameClient.Number(Http2FrameType.RstStream, streamId, code);

    internal static byte[] Window(int streamId, uint increment) => FrameClient.Number(Http2FrameType.WindowUpdate, streamId, increment);

    internal static byte[] Setting(Http2SettingId id, uint value) => FrameClient.Settings(((ushort)id, value));

    internal static byte[] GoAway(uint code, int streamId = 0)
        => FrameClient.Frame(Http2FrameType.GoAway, Http2FrameFlags.None, streamId, [0, 0, 0, 0, 0, 0, (byte)(code >> 8), (byte)code]);

    /// <summary>A literal (RFC 7541, 6.2) whose first byte carries the pattern and the index of its name, or 0 and then the name.</summary>
    internal static byte[] Literal(byte pattern, int prefixBits, int nameIndex, string name, string value, bool isCoded)
        => [.. Integer(nameIndex, prefixBits, pattern), .. nameIndex == 0 ? Text(name, isCoded) : [], .. Text(value, isCoded)];

    internal static byte[] TableSize(int sizeBytes) => Integer(sizeBytes, 5, 0x20);

    private static byte[] Text(string text, bool isCoded)
    {
        byte[] bytes = System.Text.Encoding.Latin1.GetBytes(text);
        if (!isCoded)
        {
            return [.. Integer(bytes.Length, 7, 0), .. bytes];
        }

        byte[] coded = new byte[Huffman.EncodedLength(bytes)];
        Huffman.Encode(bytes, coded);
        return [.. Integer(coded.Length, 7, 0x80), .. coded];
    }

    private static byte[] Integer(int value, int prefixBits, byte pattern)
    {
        Span<byte> bytes = stackalloc byte[HpackInteger.MaxBytes];
        return bytes[..HpackInteger.Write(bytes, prefixBits, value, pattern)].ToArray();
    }
}
