using System.Buffers;
using System.IO.Pipelines;

namespace Ioxide.Http2.Tests;

/// <summary>Gives a connection's input in more pieces than it came in: more of it with each read, in segments of any length.</summary>
/// <param name="inner">The transport's.</param>
/// <param name="random">Draws the pieces; null for one byte more with each read, each byte a segment.</param>
/// <param name="border">Instead: the input as it came, with the border of two segments in front of this byte of the connection; -1 for none.</param>
internal sealed class CutReader(PipeReader inner, Random? random, int border = -1) : PipeReader
{
    private readonly List<byte> _held = [];
    private ReadOnlySequence<byte> _given;
    private int _shown;
    private int _consumed;
    private bool _isCompleted;
    private bool _isExamined = true;

    private bool HasNews => !_isExamined || _shown < _held.Count || _isCompleted;

    public override async ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        while (!HasNews)
        {
            if (Hold(await inner.ReadAsync(cancellationToken).ConfigureAwait(true)))
            {
                return Give(isCanceled: true);
            }
        }

        return Next();
    }

    public override bool TryRead(out ReadResult result)
    {
        bool isCanceled = !HasNews && inner.TryRead(out ReadResult arrived) && Hold(arrived);
        bool isRead = isCanceled || HasNews;
        result = isCanceled ? Give(isCanceled: true) : isRead ? Next() : default;
        return isRead;
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        int taken = (int)_given.Slice(0, consumed).Length;
        long seen = _given.Slice(0, examined).Length;
        _isExamined = seen == _given.Length;

        // Or nothing is, by who only looks at how the connection begins.
        Assert.True(_isExamined || seen == 0);
        _held.RemoveRange(0, taken);
        _shown -= taken;
        _consumed += taken;
        _given = default;
    }

    public override void CancelPendingRead() => inner.CancelPendingRead();

    public override void Complete(Exception? exception = null) => inner.Complete(exception);

    /// <summary>Returns whether the read was cancelled.</summary>
    private bool Hold(in ReadResult result)
    {
        _held.AddRange(result.Buffer.ToArray());
        _isCompleted = result.IsCompleted;
        inner.AdvanceTo(result.Buffer.End);
        return result.IsCanceled;
    }

    private ReadResult Next()
    {
        int left = _held.Count - _shown;
        _shown += border >= 0 ? left : random is null ? Math.Min(1, left) : left == 0 ? 0 : random.Next(4) == 0 ? left : random.Next(1, Math.Min(left, 40) + 1);
        return Give(isCanceled: false);
    }

    private ReadResult Give(bool isCanceled)
    {
        Segment? first = null;
        Segment? last = null;
        byte[] bytes = [.. _held[.._shown]];
        for (int start = 0; start < bytes.Length;)
        {
            int length = border >= 0 ? border - _consumed > start ? Math.Min(border - _consumed, bytes.Length) - start : bytes.Length - start
                : random is null ? 1
                : random.Next(0, Math.Min(bytes.Length - start, 30) + 1);
            last = new Segment(bytes.AsMemory(start, length), last);
            first ??= last;
            start += length;
        }

        _given = first is null ? default : new ReadOnlySequence<byte>(first, 0, last!, last!.Memory.Length);
        return new ReadResult(_given, isCanceled, _isCompleted && _shown == _held.Count);
    }

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        internal Segment(ReadOnlyMemory<byte> memory, Segment? previous)
        {
            Memory = memory;
            if (previous is not null)
            {
                previous.Next = this;
                RunningIndex = previous.RunningIndex + previous.Memory.Length;
            }
        }
    }
}
