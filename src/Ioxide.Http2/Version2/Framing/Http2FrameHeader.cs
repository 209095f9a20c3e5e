using System.Buffers.Binary;

namespace Ioxide.Http2;

/// <summary>The 9 bytes before each frame's payload (RFC 9113, section 4.1).</summary>
/// <param name="Length">Bytes of the payload, below 2^24.</param>
/// <param name="Type">The type; may be unknown.</param>
/// <param name="Flags">The flags; may include unknown ones.</param>
/// <param name="StreamId">From 0 to 2^31 - 1; the reserved bit is ignored.</param>
internal readonly record struct Http2FrameHeader(int Length, Http2FrameType Type, Http2FrameFlags Flags, int StreamId)
{
    internal const int SizeInBytes = 9;

    /// <summary>Payload bytes that every peer accepts (RFC 9113, section 4.2).</summary>
    internal const int DefaultMaxLength = 16 * 1024;

    internal const int LargestMaxLength = (1 << 24) - 1;

    /// <summary>SETTINGS, PING: an answer to one (ACK, the same bit as END_STREAM).</summary>
    internal bool IsAnswer => Has(Http2FrameFlags.EndStream);

    internal bool Has(Http2FrameFlags flag) => (Flags & flag) != 0;

    internal static Http2FrameHeader Read(ReadOnlySpan<byte> bytes)
        => new(
            bytes[0] << 16 | bytes[1] << 8 | bytes[2],
            (Http2FrameType)bytes[3],
            (Http2FrameFlags)bytes[4],
            BinaryPrimitives.ReadInt32BigEndian(bytes[5..]) & int.MaxValue);

    internal void Write(Span<byte> bytes)
    {
        bytes[0] = (byte)(Length >> 16);
        bytes[1] = (byte)(Length >> 8);
        bytes[2] = (byte)Length;
        bytes[3] = (byte)Type;
        bytes[4] = (byte)Flags;
        BinaryPrimitives.WriteInt32BigEndian(bytes[5..], StreamId);
    }
}
