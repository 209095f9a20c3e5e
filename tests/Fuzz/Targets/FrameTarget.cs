using System.Buffers;
using Ioxide.Http2;

namespace Ioxide.Fuzz;

/// <summary>Frames of HTTP/2, in one segment and in many.</summary>
internal sealed class FrameTarget() : FuzzTarget("frames")
{
    internal override IEnumerable<byte[]> Seeds()
    {
        yield return Convert.FromHexString("00000c0400000000000003000000640004000fffff0000040800000000000000ffff");
        yield return Convert.FromHexString("00000e010c00000001058000000310828684410131" + "0000000000");
        yield return Convert.FromHexString("0000050009000000010241424344" + "0000080600000000000102030405060708" + "00000403000000000100000008");
        yield return Convert.FromHexString("0000080700000000000000000100000000" + "000005020000000003800000010f" + "00000109040000000182");
    }

    internal override void Read(ReadOnlySpan<byte> input)
    {
        List<string> whole = Split(Pieces.Whole(input)), cut = Split(Pieces.Of(input));
        Require(whole.SequenceEqual(cut), "Frames are read otherwise where they come in pieces.");
    }

    private static List<string> Split(ReadOnlySequence<byte> buffer)
    {
        var frames = new List<string>();
        while (true)
        {
            long before = buffer.Length;
            bool isRead = Http2FrameReader.TryRead(
                ref buffer, Http2FrameHeader.DefaultMaxLength, out Http2FrameHeader header, out ReadOnlySequence<byte> payload, out Http2Fault fault);
            if (!isRead)
            {
                Require(buffer.Length == before, "An unread frame was consumed.");
                frames.Add($"{fault}");
                return frames;
            }

            Require(fault.IsNone && payload.Length == header.Length && before - buffer.Length == Http2FrameHeader.SizeInBytes + header.Length, "A frame is cut.");
            if (header.Type is Http2FrameType.Data or Http2FrameType.Headers)
            {
                fault = Http2FrameReader.Unpad(header, ref payload);
            }
            else if (header.Type == Http2FrameType.Priority)
            {
                fault = Http2FrameReader.CheckPriority(header, payload);
            }

            frames.Add($"{header} {Convert.ToHexString(payload.ToArray())} {fault}");
        }
    }
}
