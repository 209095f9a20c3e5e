using System.Buffers;

namespace Ioxide.Fuzz;

/// <summary>The same bytes as a sequence of small segments: a reader must answer as for one.</summary>
internal static class Pieces
{
    internal static ReadOnlySequence<byte> Whole(ReadOnlySpan<byte> bytes) => new(bytes.ToArray());

    /// <summary>Segments of 1, 2, 3, 5 and 7 bytes in turn, each in memory of its own, with an empty one between.</summary>
    internal static ReadOnlySequence<byte> Of(ReadOnlySpan<byte> bytes)
    {
        ReadOnlySpan<int> lengths = [1, 2, 3, 0, 5, 7];
        var first = new Segment(default, 0);
        Segment last = first;
        for (int at = 0, turn = 0; at < bytes.Length; turn++)
        {
            int length = Math.Min(lengths[turn % lengths.Length], bytes.Length - at);
            last = last.Append(bytes.Slice(at, length).ToArray());
            at += length;
        }

        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        internal Segment(ReadOnlyMemory<byte> memory, long runningIndex) => (Memory, RunningIndex) = (memory, runningIndex);

        internal Segment Append(ReadOnlyMemory<byte> memory)
        {
            var next = new Segment(memory, RunningIndex + Memory.Length);
            Next = next;
            return next;
        }
    }
}
