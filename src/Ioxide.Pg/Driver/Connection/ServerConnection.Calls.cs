using System.Buffers;
using System.Runtime.CompilerServices;

namespace Ioxide.Pg;

/// <summary>Calls of application code: passing it rows and notices, and resuming it with answers.</summary>
/// <remarks>
/// <para>Application code may block, and the reactor then turns inside the call. So an answer is reported only when the loop awaits its next
/// event (<see cref="Armed"/>): the loop then continues inside the wait, and reads its state again.</para>
/// <para>Row readers run in the middle of the received bytes. While one blocks, this connection reads nothing, the pool gives it no
/// further commands (<see cref="IsHeldUp"/>), and its command is neither abandoned nor failed until the reader returns. If the
/// reactor is blocked already, the rows are read on the thread pool, and the loop waits for that.</para>
/// </remarks>
internal sealed partial class ServerConnection
{
    // The round trip whose rows application code reads now, on this thread or on the pool.
    private RoundTrip? _reading;
    private Exception? _abandonReason;
    private long _blockedWaitsBefore;
    private bool _isCallingOut;

    // It was abandoned in the loop; its caller is resumed at the loop's next await.
    private RoundTrip? _toTell;

    private bool HasToTell
        => _hasReceived
            && (_toTell is not null || _ended.Count > 0 || _waiting.Count > 0 || _sent.Head is null or { HasNews: true } || Pool.QueueLength > 0);

    /// <summary>Whether a message goes to application code.</summary>
    private bool IsForApplication(byte type, RoundTrip? taker) => type switch
    {
        BackendMessage.DataRow or BackendMessage.CopyData
            => taker is { RunsUserCode: true, IsAbandoned: false, Error: null } && _abandonReason is null,
        BackendMessage.NoticeResponse => Pool.DataSource.HasNoticeHandler,
        _ => false,
    };

    private void Deliver(byte type, ReadOnlySpan<byte> body, RoundTrip? taker)
    {
        switch (type)
        {
            case BackendMessage.DataRow:
                taker!.RowReceived(body, _layout);
                break;
            case BackendMessage.CopyData:
                taker!.CopyDataReceived(body);
                break;
            default:
                Noticed(body);
                break;
        }

        if (Reactor.HasEnded)
        {
            throw new PgConnectionException("The reactor has ended while the application was reading.");
        }
    }

    private void BeginReading()
    {
        _reading = _sent.Head;
        IsHeldUp = true;
        _blockedWaitsBefore = Reactor.Blocked.Count;
    }

    /// <summary>The reader has returned. Handles what happened to its command meanwhile.</summary>
    private void EndReading()
    {
        IsHeldUp = false;
        if (_reading is not { } read)
        {
            return;
        }

        _reading = null;
        Exception? reason = _abandonReason;
        _abandonReason = null;
        if (Reactor.Blocked.Count != _blockedWaitsBefore)
        {
            // The reader's time does not count as the command's.
            read.BegunTick = Reactor.NowTick();
        }

        if (IsBroken)
        {
            read.Fail(reason ?? SentError(_lostCause!));
            TellLater(read);
        }
        else if (reason is not null)
        {
            AbandonInLoop(read, reason);
        }
    }

    /// <summary>
    /// A blocked reactor does not run application code: the thread pool reads the received rows instead. <see cref="EndReading"/> follows.
    /// </summary>
    /// <returns>The position up to which the bytes were consumed.</returns>
    private Task<SequencePosition> BeginCallOut(ReadOnlySequence<byte> received)
    {
        _isCallingOut = false;
        BeginReading();
        _blockedWaitsBefore = -1;
        return Task.Run(() => TakeElsewhere(received, _reading));
    }

    private SequencePosition TakeElsewhere(in ReadOnlySequence<byte> received, RoundTrip? taker)
    {
        var reader = new MessageReader(received, _scratch);
        SequencePosition taken = reader.Consumed;
        while (!IsBroken && reader.TryRead(out byte type, out ReadOnlySpan<byte> body) && IsForApplication(type, taker))
        {
            Deliver(type, body, taker);
            taken = reader.Consumed;
        }

        return taken;
    }

    private void AbandonInLoop(RoundTrip roundTrip, Exception reason)
    {
        Drop(roundTrip, reason);
        _toTell = roundTrip;
    }

    /// <summary>Resumes the callers. They may do anything: the loop has finished with the buffer, and awaits its next event.</summary>
    private void Tell()
    {
        if (!_hasReceived)
        {
            return;
        }

        try
        {
            SendWaiting();
            if (Pool.QueueLength > 0 || IsReturning)
            {
                // A caller may block on one of these.
                Settle();
            }

            if (_toTell is { } abandoned)
            {
                _toTell = null;
                abandoned.Complete();
            }

            while (_ended.Dequeue() is { } roundTrip)
            {
                roundTrip.Complete();
                roundTrip.Release();
            }

            _sent.Head?.TellReceived();
            Settle();
        }
        catch (Exception exception)
        {
            Break(exception);
        }
    }

    private void Settle()
    {
        if (IsBroken)
        {
            return;
        }

        if (_sent.Count > 0)
        {
            if (!IsCancelling)
            {
                Pool.HasRoom(this);
            }
        }
        else if (_isTerminating)
        {
            Terminate();
        }
        else if (_isCancelLost)
        {
            Break(CancelLostError());
        }
        else
        {
            Pool.BecameIdle(this);
        }
    }

    /// <summary>Continues the loop from the queue, for a wait that is already over.</summary>
    private void ContinueLater(Action continuation)
    {
        if (!Reactor.TryEnqueue(continuation, static continuation => continuation()))
        {
            continuation();
        }
    }

    /// <summary>Registers the loop for what it awaits, and resumes the callers then.</summary>
    private void Await<TAwaiter>(TAwaiter awaiter, bool isOver, Action continuation)
        where TAwaiter : struct, ICriticalNotifyCompletion
    {
        if (isOver)
        {
            ContinueLater(continuation);
        }
        else
        {
            awaiter.UnsafeOnCompleted(continuation);
        }

        Tell();
    }

    /// <summary>What the loop awaits. The callers are resumed once the loop is registered for it.</summary>
    private readonly struct Armed(ServerConnection connection, ValueTask wait) : ICriticalNotifyCompletion
    {
        private readonly ValueTask _wait = wait;

        public bool IsCompleted => _wait.IsCompleted && !connection.HasToTell;

        public Armed GetAwaiter() => this;

        public void GetResult() => _wait.GetAwaiter().GetResult();

        public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

        public void UnsafeOnCompleted(Action continuation) => connection.Await(_wait.GetAwaiter(), _wait.IsCompleted, continuation);
    }

    /// <inheritdoc cref="Armed"/>
    private readonly struct Armed<T>(ServerConnection connection, ValueTask<T> wait) : ICriticalNotifyCompletion
    {
        private readonly ValueTask<T> _wait = wait;

        public bool IsCompleted => _wait.IsCompleted && !connection.HasToTell;

        public Armed<T> GetAwaiter() => this;

        public T GetResult() => _wait.GetAwaiter().GetResult();

        public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

        public void UnsafeOnCompleted(Action continuation) => connection.Await(_wait.GetAwaiter(), _wait.IsCompleted, continuation);
    }
}
