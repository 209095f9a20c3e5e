using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;

namespace Ioxide.Tests;

/// <summary>A server of frames, each a length of two bytes and so many bytes: every whole frame comes back.</summary>
internal static class FramedEcho
{
    private const int HeaderBytes = 2;
    private static readonly int[] s_lengths = [1, 0, 17, 4, 300];

    /// <summary>All frames of one exchange.</summary>
    internal static byte[] Frames { get; } = [.. s_lengths.SelectMany(length => Frame(Payload.Of(length)))];

    /// <summary>Every count of bytes after which a side can stop: none, each, all.</summary>
    internal static IEnumerable<int> Cuts => Enumerable.Range(0, Frames.Length + 1);

    /// <summary>What must come back of the first <paramref name="cut"/> bytes: the frames that end within them.</summary>
    internal static byte[] WholeFrames(int cut)
    {
        int end = 0;
        foreach (int length in s_lengths)
        {
            if (end + HeaderBytes + length > cut)
            {
                break;
            }

            end += HeaderBytes + length;
        }

        return Frames[..end];
    }

    internal static async Task RunAsync(RingConnection connection)
    {
        while (true)
        {
            ReadResult read = await connection.Input.ReadAsync().ConfigureAwait(true);
            ReadOnlySequence<byte> rest = read.Buffer;
            while (TryTake(ref rest, out ReadOnlySequence<byte> frame))
            {
                foreach (ReadOnlyMemory<byte> segment in frame)
                {
                    connection.Output.Write(segment.Span);
                }
            }

            connection.Input.AdvanceTo(rest.Start, rest.End);
            FlushResult flush = await connection.Output.FlushAsync().ConfigureAwait(true);
            if (read.IsCompleted || flush.IsCompleted)
            {
                return;
            }
        }
    }

    private static bool TryTake(ref ReadOnlySequence<byte> bytes, out ReadOnlySequence<byte> frame)
    {
        frame = default;
        var reader = new SequenceReader<byte>(bytes);
        if (!reader.TryReadBigEndian(out short length) || reader.Remaining < length)
        {
            return false;
        }

        frame = bytes.Slice(0, HeaderBytes + length);
        bytes = bytes.Slice(frame.End);
        return true;
    }

    private static byte[] Frame(byte[] content)
    {
        byte[] frame = new byte[HeaderBytes + content.Length];
        BinaryPrimitives.WriteInt16BigEndian(frame, (short)content.Length);
        content.CopyTo(frame, HeaderBytes);
        return frame;
    }
}
