
namespace Ioxide.Tls;

/// <summary>Decrypts what the peer sent, from the connection's receive buffers directly into the reader's.</summary>
/// <remarks>
/// It decrypts when it is read, so a slow application fills the connection's buffers and TCP slows the peer. Threads: one reader at
/// a time, on any thread; an await completes where the connection's own would, on the reactor.
/// </remarks>
internal sealed class TlsReader : PipeReader
{
    // Decrypted at once before the application has its turn.
    private const int MaxBytesPerStep = 256 * 1024;

    private readonly Reactor _reactor;
    private readonly PipeReader _input;
    private readonly RecordOpener _opener;
    private readonly ControlRecords _control;
    private readonly PlainBuffer _plain = new();
    private readonly Action _onRead;
    private bool _isEnded;
    private TlsException? _error;

    // Set by any thread; the read that it cancels takes it.
    private volatile bool _isCancelRequested;

    // The connection's read was cancelled for it.
    private bool _isCancelDue;
    private bool _isCompleted;

    private readonly ReactorAwaitable<ReadResult> _source = new();
    private ValueTaskAwaiter<ReadResult> _pending;
    private CancellationToken _cancellationToken;

    internal TlsReader(Reactor reactor, PipeReader input, bool resumesOnThreadPool, RecordOpener opener, ControlRecords control)
    {
        _reactor = reactor;
        _input = input;
        _opener = opener;
        _control = control;
        _onRead = OnRead;
        _source.ResumesOnThreadPool = resumesOnThreadPool;
    }

    private bool HasResult => _plain.HasUnexamined || _isEnded || _isCancelDue || _error is not null;

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfCompleted();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<ReadResult>(cancellationToken);
        }

        // Its own reads resume on the reactor, also one that a handler blocks.
        using ContextScope scope = Reactor.EnterRuntimeHere();
        while (!HasResult)
        {
            ValueTask<ReadResult> read = _input.ReadAsync(cancellationToken);
            if (!read.IsCompletedSuccessfully)
            {
                _source.Reset();
                _cancellationToken = cancellationToken;
                Wait(read);
                return _source.Task;
            }

            Process(read.Result);
        }

        return new ValueTask<ReadResult>(TakeResult());
    }

    public override bool TryRead(out ReadResult result)
    {
        ThrowIfCompleted();
        using ContextScope scope = Reactor.EnterRuntimeHere();
        while (!HasResult)
        {
            if (!_input.TryRead(out ReadResult read))
            {
                result = default;
                return false;
            }

            Process(read);
        }

        result = TakeResult();
        return true;
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        if (!_isCompleted)
        {
            _plain.Advance(consumed, examined);
        }
    }

    /// <summary>Cancels the read that waits, or the next one. Threads: any.</summary>
    /// <remarks>
    /// The connection's read is cancelled as well, because it may wait; when that takes effect is for the connection to say. Where another read has
    /// taken the cancel by then, with data that was there, it is absorbed.
    /// </remarks>
    public override void CancelPendingRead()
    {
        _isCancelRequested = true;
        _input.CancelPendingRead();
    }

    public override void Complete(Exception? exception = null)
    {
        if (_isCompleted)
        {
            return;
        }

        _isCompleted = true;
        _plain.Clear();
        _opener.Dispose();
        _input.Complete(exception);
    }

    private void Wait(ValueTask<ReadResult> read)
    {
        _pending = read.GetAwaiter();
        _pending.UnsafeOnCompleted(_onRead);
    }

    private void OnRead()
    {
        ReadResult result;
        try
        {
            using ContextScope scope = Reactor.EnterRuntimeHere();
            Process(_pending.GetResult());
            while (!HasResult)
            {
                ValueTask<ReadResult> read = _input.ReadAsync(_cancellationToken);
                if (!read.IsCompletedSuccessfully)
                {
                    Wait(read);
                    return;
                }

                Process(read.Result);
            }

            result = TakeResult();
        }
        catch (Exception exception)
        {
            _source.SetException(_reactor, exception);
            return;
        }

        _source.SetResult(_reactor, result);
    }

    private ReadResult TakeResult()
    {
        // What came before the error is authentic and is read first.
        if (_error is { } error && !_plain.HasUnexamined)
        {
            throw _control.ToApplication(error);
        }

        _isCancelDue = false;
        bool isCanceled = _isCancelRequested && Interlocked.Exchange(ref _isCancelRequested, false);
        return new ReadResult(_plain.Sequence, isCanceled, _isEnded);
    }

    /// <summary>Decrypts the whole records of a read. An error is kept until what came before it was read.</summary>
    private void Process(in ReadResult read)
    {
        if (_isCompleted)
        {
            _input.AdvanceTo(read.Buffer.End);
            return;
        }

        _isCancelDue |= read.IsCanceled && _isCancelRequested;
        ReadOnlySequence<byte> rest = read.Buffer;
        bool isDrained;
        try
        {
            isDrained = OpenRecords(ref rest);
            if (read.IsCompleted && isDrained && !_isEnded)
            {
                throw new TlsException(
                    TlsFailure.Truncated,
                    rest.IsEmpty
                        ? "The peer's stream ended without close_notify."
                        : "The peer's stream ended inside a record.");
            }
        }
        catch (TlsException exception)
        {
            isDrained = true;
            Fail(exception, isAtBoundary: rest.IsEmpty);
        }

        if (_isEnded || _error is not null)
        {
            rest = rest.Slice(rest.End);
        }

        _input.AdvanceTo(rest.Start, isDrained ? rest.End : rest.Start);
    }

    /// <summary>False where whole records are left for the next step.</summary>
    private bool OpenRecords(ref ReadOnlySequence<byte> rest)
    {
        int budget = MaxBytesPerStep;
        while (!_isEnded && RecordHeader.IsWhole(rest, _opener.MaxExpansion, out RecordHeader header))
        {
            if (budget < 0)
            {
                return false;
            }

            ReadOnlySequence<byte> body = rest.Slice(RecordHeader.SizeInBytes, header.LengthBytes);
            Open(header, body);
            rest = rest.Slice(body.End);
            budget -= header.LengthBytes;
        }

        return true;
    }

    private void Open(RecordHeader header, in ReadOnlySequence<byte> body)
    {
        Span<byte> room = _plain.RoomFor(Math.Max(_opener.RoomFor(header.LengthBytes), 1));
        int dataBytes = 0;
        try
        {
            (RecordType type, int lengthBytes) = _opener.Open(header, body, room);
            if (type == RecordType.ApplicationData)
            {
                _control.NoteData(lengthBytes);
                dataBytes = lengthBytes;
            }
            else
            {
                _isEnded = _control.Handle(type, room[..lengthBytes], _opener);
            }
        }
        finally
        {
            _plain.Commit(dataBytes);
        }
    }

    private void Fail(TlsException error, bool isAtBoundary)
    {
        _control.Failed(error);
        if (error.Failure == TlsFailure.Truncated && isAtBoundary && _control.TakesTruncationAsEnd)
        {
            _isEnded = true;
        }
        else
        {
            _error = error;
        }
    }

    private void ThrowIfCompleted()
    {
        if (_isCompleted)
        {
            throw new InvalidOperationException("Reading is not allowed after the reader was completed.");
        }
    }
}
