using System.Buffers;
using System.IO.Pipelines;

namespace Ioxide.Http2;

/// <summary>A request's body that came whole, in one small frame, before its handler began: one array, and no pipe.</summary>
/// <remarks>
/// It answers as the reader of a completed <see cref="Pipe"/>: no read waits. Threads: the application's, one at a time;
/// <see cref="CancelPendingRead"/> is for any. Reusable.
/// </remarks>
internal sealed class WholeBody : PipeReader
{
    /// <summary>A longer body goes through the pipe, whose memory is the pool's.</summary>
    internal const int MaxBytes = 1024;

    private const int LeastBytes = 64;

    private byte[] _bytes = [];
    private int _start;
    private int _end;
    private bool _isReading;

    // A canceled read may be ended or not.
    private bool _mayAdvance;
    private bool _isCompleted;
    private volatile bool _isCanceled;

    /// <param name="payload">All bytes of the body; at most <see cref="MaxBytes"/>.</param>
    internal void Fill(in ReadOnlySequence<byte> payload)
    {
        _start = 0;
        _end = (int)payload.Length;
        if (_end > _bytes.Length)
        {
            _bytes = new byte[_end <= LeastBytes ? LeastBytes : MaxBytes];
        }

        payload.CopyTo(_bytes);
        _isReading = _mayAdvance = false;
        _isCompleted = false;
        _isCanceled = false;
    }

    public override bool TryRead(out ReadResult result)
    {
        if (_isCompleted)
        {
            throw new InvalidOperationException("Reading is not allowed after reader was completed.");
        }

        if (_isReading)
        {
            throw new InvalidOperationException("Reading is already in progress.");
        }

        bool isCanceled = _isCanceled;
        _isReading = !isCanceled;
        _mayAdvance = true;
        _isCanceled = false;
        result = new ReadResult(new ReadOnlySequence<byte>(_bytes, _start, _end - _start), isCanceled, isCompleted: true);
        return true;
    }

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            // As Pipe: not the TaskCanceledException of a canceled task.
            return ValueTask.FromException<ReadResult>(new OperationCanceledException(cancellationToken));
        }

        _ = TryRead(out ReadResult result);
        return new ValueTask<ReadResult>(result);
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        if (_isCompleted)
        {
            throw new InvalidOperationException("Reading is not allowed after reader was completed.");
        }

        if (!_mayAdvance)
        {
            throw new InvalidOperationException("No reading operation to complete.");
        }

        _isReading = _mayAdvance = false;
        if (consumed.GetObject() is null)
        {
            return;
        }

        int start = consumed.GetInteger();
        if (!ReferenceEquals(consumed.GetObject(), _bytes) || start < _start || start > _end || examined.GetInteger() < start)
        {
            throw new InvalidOperationException("The position is not one of the last read's.");
        }

        _start = start;
    }

    public override void CancelPendingRead() => _isCanceled = true;

    public override void Complete(Exception? exception = null) => _isCompleted = true;
}
