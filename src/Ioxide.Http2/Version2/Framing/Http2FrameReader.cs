using System.Buffers;

namespace Ioxide.Http2;

/// <summary>Splits received bytes into frames, and checks each as far as possible without its stream (RFC 9113, section 6).</summary>
internal static class Http2FrameReader
{
    /// <summary>Reads the first frame of the buffer.</summary>
    /// <param name="buffer">Advanced past the frame if it is complete.</param>
    /// <param name="maxLength">Maximum payload length that the peer may send.</param>
    /// <param name="header">The frame header, if it is complete.</param>
    /// <param name="payload">The whole payload.</param>
    /// <param name="fault">A violation that the frame header alone shows; known as soon as its 9 bytes are here.</param>
    /// <returns>Whether a frame is complete and may be handled.</returns>
    internal static bool TryRead(
        ref ReadOnlySequence<byte> buffer, int maxLength, out Http2FrameHeader header, out ReadOnlySequence<byte> payload, out Http2Fault fault)
    {
        header = default;
        payload = default;
        fault = default;
        ReadOnlySpan<byte> first = buffer.FirstSpan;
        long available = buffer.IsSingleSegment ? first.Length : buffer.Length;
        if (available < Http2FrameHeader.SizeInBytes)
        {
            return false;
        }

        if (first.Length >= Http2FrameHeader.SizeInBytes)
        {
            header = Http2FrameHeader.Read(first);
        }
        else
        {
            Span<byte> bytes = stackalloc byte[Http2FrameHeader.SizeInBytes];
            buffer.Slice(0, Http2FrameHeader.SizeInBytes).CopyTo(bytes);
            header = Http2FrameHeader.Read(bytes);
        }

        fault = header.Length > maxLength
            ? Http2Fault.Connection(Http2ErrorCode.FrameSizeError, "A frame is longer than SETTINGS_MAX_FRAME_SIZE.", "max_frame_length_exceeded")
            : Check(header);
        if (!fault.IsNone || available - Http2FrameHeader.SizeInBytes < header.Length)
        {
            return false;
        }

        payload = buffer.Slice(Http2FrameHeader.SizeInBytes, header.Length);
        buffer = buffer.Slice(payload.End);
        return true;
    }

    /// <summary>Strips padding, and the priority of HEADERS, from a payload.</summary>
    /// <param name="header">The header of a DATA or HEADERS frame.</param>
    /// <param name="payload">Reduced to its content.</param>
    internal static Http2Fault Unpad(in Http2FrameHeader header, ref ReadOnlySequence<byte> payload)
    {
        int padding = 0;
        if (!header.Has(Http2FrameFlags.Padded | Http2FrameFlags.Priority))
        {
            return default;
        }

        if (header.Has(Http2FrameFlags.Padded))
        {
            padding = FirstByte(payload);
            payload = payload.Slice(1);
        }

        if (header.Type == Http2FrameType.Headers && header.Has(Http2FrameFlags.Priority))
        {
            if (DependsOn(payload, header.StreamId))
            {
                return SelfDependency;
            }

            payload = payload.Slice(PriorityBytes);
        }

        if (padding > payload.Length)
        {
            return Http2Fault.Connection(Http2ErrorCode.ProtocolError, "A frame's padding is longer than the frame.", "invalid_data_padding");
        }

        payload = payload.Slice(0, payload.Length - padding);
        return default;
    }

    /// <summary>Checks a PRIORITY payload, which has no effect (RFC 9113, section 5.3.2).</summary>
    internal static Http2Fault CheckPriority(in Http2FrameHeader header, in ReadOnlySequence<byte> payload)
        => DependsOn(payload, header.StreamId) ? SelfDependency : default;

    /// <summary>Five bytes: a stream with a bit before it, and a weight.</summary>
    private const int PriorityBytes = 5;

    private static Http2Fault SelfDependency
        => Http2Fault.Connection(Http2ErrorCode.ProtocolError, "A stream depends on itself (RFC 7540, section 5.3.1).", "stream_self_dependency");

    private static Http2Fault Check(in Http2FrameHeader header) => header.Type switch
    {
        Http2FrameType.Data => OnStream(header, header.Has(Http2FrameFlags.Padded) && header.Length < 1),
        Http2FrameType.Headers => OnStream(
            header, header.Length < (header.Has(Http2FrameFlags.Padded) ? 1 : 0) + (header.Has(Http2FrameFlags.Priority) ? PriorityBytes : 0)),
        Http2FrameType.Priority => OnStream(header, header.Length != PriorityBytes),
        Http2FrameType.RstStream => OnStream(header, header.Length != 4),
        Http2FrameType.Settings => OnConnection(header, header.IsAnswer ? header.Length != 0 : header.Length % 6 != 0),
        Http2FrameType.PushPromise => Http2Fault.Connection(Http2ErrorCode.ProtocolError, "A client sent PUSH_PROMISE."),
        Http2FrameType.Ping => OnConnection(header, header.Length != 8),
        Http2FrameType.GoAway => OnConnection(header, header.Length < 8),
        Http2FrameType.WindowUpdate => header.Length != 4 ? WrongLength : default,
        Http2FrameType.Continuation => OnStream(header, isWrongLength: false),
        _ => default,
    };

    private static Http2Fault OnStream(in Http2FrameHeader header, bool isWrongLength)
        => header.StreamId == 0
            ? Http2Fault.Connection(Http2ErrorCode.ProtocolError, "A frame that belongs to a stream names stream 0.", "invalid_stream_id")
            : isWrongLength ? WrongLength
            : default;

    private static Http2Fault OnConnection(in Http2FrameHeader header, bool isWrongLength)
        => header.StreamId != 0
            ? Http2Fault.Connection(Http2ErrorCode.ProtocolError, "A frame that belongs to the connection names a stream.", "invalid_stream_id")
            : isWrongLength ? WrongLength
            : default;

    private static Http2Fault WrongLength
        => Http2Fault.Connection(Http2ErrorCode.FrameSizeError, "A frame has a length that its type does not allow.");

    private static bool DependsOn(in ReadOnlySequence<byte> payload, int streamId)
    {
        Span<byte> bytes = stackalloc byte[4];
        payload.Slice(0, 4).CopyTo(bytes);
        return (System.Buffers.Binary.BinaryPrimitives.ReadInt32BigEndian(bytes) & int.MaxValue) == streamId;
    }

    private static byte FirstByte(in ReadOnlySequence<byte> bytes)
    {
        Span<byte> first = stackalloc byte[1];
        bytes.Slice(0, 1).CopyTo(first);
        return first[0];
    }
}
