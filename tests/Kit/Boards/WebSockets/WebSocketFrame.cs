using System.Buffers.Binary;

namespace Ioxide.TestKit;

/// <summary>Frames as a client sends them, also those that no client may send. Source: RFC 6455, section 5.2.</summary>
internal static class WebSocketFrame
{
    internal const int Continuation = 0;
    internal const int Text = 1;
    internal const int Binary = 2;
    internal const int Close = 8;
    internal const int Ping = 9;
    internal const int Pong = 10;

    private const int HeadBytes = 2;
    private const int MaskBytes = 4;

    private static readonly byte[] s_mask = [0x9d, 0x31, 0x5e, 0xc2];

    /// <summary>One masked frame with the shortest length that can say its payload's.</summary>
    /// <param name="opcode">From 0 to 15.</param>
    /// <param name="payload">Before the mask.</param>
    /// <param name="isFinal">FIN.</param>
    /// <param name="rsv">RSV1 to RSV3, from 0 to 7; RSV1 is 4.</param>
    internal static byte[] Make(int opcode, ReadOnlySpan<byte> payload, bool isFinal = true, int rsv = 0)
    {
        int lengthBytes = payload.Length switch { < 126 => 0, <= ushort.MaxValue => sizeof(ushort), _ => sizeof(ulong) };
        byte[] frame = new byte[HeadBytes + lengthBytes + MaskBytes + payload.Length];
        frame[0] = (byte)((isFinal ? 0x80 : 0) | (rsv << 4) | opcode);
        frame[1] = (byte)(0x80 | lengthBytes switch { 0 => payload.Length, sizeof(ushort) => 126, _ => 127 });
        if (lengthBytes == sizeof(ushort))
        {
            BinaryPrimitives.WriteUInt16BigEndian(frame.AsSpan(HeadBytes), (ushort)payload.Length);
        }
        else if (lengthBytes == sizeof(ulong))
        {
            BinaryPrimitives.WriteUInt64BigEndian(frame.AsSpan(HeadBytes), (ulong)payload.Length);
        }

        s_mask.CopyTo(frame, HeadBytes + lengthBytes);
        Span<byte> masked = frame.AsSpan(HeadBytes + lengthBytes + MaskBytes);
        for (int index = 0; index < masked.Length; index++)
        {
            masked[index] = (byte)(payload[index] ^ s_mask[index & 3]);
        }

        return frame;
    }

    /// <summary>A message in frames of at most so many bytes; 0 for one frame.</summary>
    /// <param name="rsv">RSV1 to RSV3 of the first frame.</param>
    internal static byte[] Message(int opcode, byte[] payload, int fragmentBytes = 0, int rsv = 0)
    {
        if (fragmentBytes == 0 || payload.Length <= fragmentBytes)
        {
            return Make(opcode, payload, rsv: rsv);
        }

        using MemoryStream frames = new();
        for (int at = 0; at < payload.Length; at += fragmentBytes)
        {
            int count = Math.Min(fragmentBytes, payload.Length - at);
            bool isFirst = at == 0;
            frames.Write(Make(isFirst ? opcode : Continuation, payload.AsSpan(at, count), at + count == payload.Length, isFirst ? rsv : 0));
        }

        return frames.ToArray();
    }

    /// <summary>A close frame with a code and a reason. Source: RFC 6455, section 5.5.1.</summary>
    internal static byte[] MakeClose(int code, params ReadOnlySpan<byte> reason) => Make(Close, [(byte)(code >> 8), (byte)code, .. reason]);
}
