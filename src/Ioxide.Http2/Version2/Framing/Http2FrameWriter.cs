using System.Buffers.Binary;
using System.IO.Pipelines;

namespace Ioxide.Http2;

/// <summary>Writes frames into the connection's output. The next flush sends them. Threads: the writer's.</summary>
internal static class Http2FrameWriter
{
    /// <summary>Bytes of one setting.</summary>
    internal const int SettingBytes = 6;

    internal static void WriteSettings(PipeWriter output, ReadOnlySpan<(Http2SettingId Id, uint Value)> settings)
    {
        Span<byte> span = Begin(output, Http2FrameType.Settings, Http2FrameFlags.None, 0, settings.Length * SettingBytes);
        foreach ((Http2SettingId id, uint value) in settings)
        {
            BinaryPrimitives.WriteUInt16BigEndian(span, (ushort)id);
            BinaryPrimitives.WriteUInt32BigEndian(span[2..], value);
            span = span[SettingBytes..];
        }

        output.Advance(Http2FrameHeader.SizeInBytes + (settings.Length * SettingBytes));
    }

    internal static void WriteSettingsAcknowledged(PipeWriter output)
    {
        _ = Begin(output, Http2FrameType.Settings, Http2FrameFlags.EndStream, 0, 0);
        output.Advance(Http2FrameHeader.SizeInBytes);
    }

    internal static void WritePing(PipeWriter output, ulong content, bool isAnswer)
    {
        Span<byte> span = Begin(output, Http2FrameType.Ping, isAnswer ? Http2FrameFlags.EndStream : Http2FrameFlags.None, 0, 8);
        BinaryPrimitives.WriteUInt64BigEndian(span, content);
        output.Advance(Http2FrameHeader.SizeInBytes + 8);
    }

    internal static void WriteGoAway(PipeWriter output, int lastStreamId, Http2ErrorCode code)
    {
        Span<byte> span = Begin(output, Http2FrameType.GoAway, Http2FrameFlags.None, 0, 8);
        BinaryPrimitives.WriteInt32BigEndian(span, lastStreamId);
        BinaryPrimitives.WriteUInt32BigEndian(span[4..], (uint)code);
        output.Advance(Http2FrameHeader.SizeInBytes + 8);
    }

    internal static void WriteRstStream(PipeWriter output, int streamId, Http2ErrorCode code)
    {
        Span<byte> span = Begin(output, Http2FrameType.RstStream, Http2FrameFlags.None, streamId, 4);
        BinaryPrimitives.WriteUInt32BigEndian(span, (uint)code);
        output.Advance(Http2FrameHeader.SizeInBytes + 4);
    }

    /// <param name="output">The destination.</param>
    /// <param name="streamId">0 for the connection's window.</param>
    /// <param name="increment">From 1 to 2^31 - 1.</param>
    internal static void WriteWindowUpdate(PipeWriter output, int streamId, int increment)
    {
        Span<byte> span = Begin(output, Http2FrameType.WindowUpdate, Http2FrameFlags.None, streamId, 4);
        BinaryPrimitives.WriteInt32BigEndian(span, increment);
        output.Advance(Http2FrameHeader.SizeInBytes + 4);
    }

    /// <summary>Writes a block as HEADERS and as many CONTINUATION frames as the peer's frame size limit requires.</summary>
    internal static void WriteHeaders(PipeWriter output, int streamId, ReadOnlySpan<byte> block, bool endsStream, int maxLength)
    {
        Http2FrameType type = Http2FrameType.Headers;
        Http2FrameFlags flags = endsStream ? Http2FrameFlags.EndStream : Http2FrameFlags.None;
        do
        {
            int length = Math.Min(block.Length, maxLength);
            bool isLast = length == block.Length;
            Span<byte> span = Begin(output, type, isLast ? flags | Http2FrameFlags.EndHeaders : flags, streamId, length);
            block[..length].CopyTo(span);
            output.Advance(Http2FrameHeader.SizeInBytes + length);
            block = block[length..];
            type = Http2FrameType.Continuation;
            flags = Http2FrameFlags.None;
        }
        while (!block.IsEmpty);
    }

    /// <summary>Writes one DATA frame.</summary>
    /// <param name="output">The destination.</param>
    /// <param name="streamId">The stream.</param>
    /// <param name="data">At most as long as the peer's frame size limit.</param>
    /// <param name="endsStream">Whether it is the stream's last frame.</param>
    internal static void WriteData(PipeWriter output, int streamId, ReadOnlySpan<byte> data, bool endsStream)
    {
        Span<byte> span = Begin(
            output, Http2FrameType.Data, endsStream ? Http2FrameFlags.EndStream : Http2FrameFlags.None, streamId, data.Length);
        data.CopyTo(span);
        output.Advance(Http2FrameHeader.SizeInBytes + data.Length);
    }

    /// <summary>Writes the header of a DATA frame, whose content follows by reference.</summary>
    internal static void WriteDataHead(PipeWriter output, int streamId, int length, bool endsStream)
    {
        Span<byte> span = output.GetSpan(Http2FrameHeader.SizeInBytes);
        new Http2FrameHeader(length, Http2FrameType.Data, endsStream ? Http2FrameFlags.EndStream : Http2FrameFlags.None, streamId).Write(span);
        output.Advance(Http2FrameHeader.SizeInBytes);
    }

    private static Span<byte> Begin(PipeWriter output, Http2FrameType type, Http2FrameFlags flags, int streamId, int length)
    {
        Span<byte> span = output.GetSpan(Http2FrameHeader.SizeInBytes + length);
        new Http2FrameHeader(length, type, flags, streamId).Write(span);
        return span.Slice(Http2FrameHeader.SizeInBytes, length);
    }
}
