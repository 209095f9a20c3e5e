using System.Diagnostics;

namespace Ioxide;

/// <summary>Ending a connection: a state machine that only moves forward.</summary>
/// <remarks>
/// <code>
/// Open ------> (HalfClosed) ------> (Lingering) ------> Closing ------> Closed
///   what is queued is sent; then
///   - the writer completed, not disposed: shutdown(2), the peer sees FIN, receiving goes on (HalfClosed)
///   - disposed, and the peer may still send what nobody wants: FIN, then what comes is dropped until the peer's FIN or
///     the linger limit (Lingering), because closing over unread bytes would reset the connection and cost the peer the
///     end of the answer
///   - disposed or aborted: the receive is cancelled and the descriptor closed by one chain of two entries (Closing)
///   Closed: every operation had its last completion; the slot is given back
/// </code>
/// Lingering connections are counted and bounded (<see cref="LingerList"/>): where a new connection is accepted over the bound, or descriptors
/// are short, the oldest close at once. Where nothing new comes, each has its time.
/// close(2) alone sends no FIN while a receive is armed. The ring's own shutdown goes to a worker thread, so the plain
/// system call is used. Source: shutdown(2), io_uring_prep_cancel(3), io_uring_prep_close(3).
/// </remarks>
public sealed unsafe partial class RingConnection
{
    private CloseStage _stage;
    private Ending _ending;
    private Exception? _closeCause;
    private LingerList.Entry? _linger;
    private TaskCompletionSource? _closed;

    private enum CloseStage
    {
        Open,
        HalfClosed,
        Lingering,
        Closing,
        Closed,
    }

    /// <summary>What this side asked for. It only grows.</summary>
    private enum Ending
    {
        None,
        Disposed,
        Aborted,
    }

    /// <summary>
    /// Whether the end waits for the peer's FIN, <see cref="RingConnectionOptions.LingerTimeout"/> at most, also where nothing is
    /// left unread. For protocols whose peer may speak at any time, such as HTTP/2 with its acknowledgements: what meets a closed
    /// socket is answered by a reset, and the peer may drop what it has received but not looked at.
    /// </summary>
    internal bool EndsWithPeer { get; set; }

    /// <summary>Whether the descriptor is closed and no operation is in flight.</summary>
    internal bool IsClosed => _stage == CloseStage.Closed;

    /// <summary>Whether it is not over for the application: it was not aborted, and its end has not begun.</summary>
    internal bool IsOpen => _stage < CloseStage.Lingering && _ending != Ending.Aborted;

    /// <summary>Whether a receive may be armed: its descriptor is not being closed.</summary>
    internal bool CanReceive => _stage < CloseStage.Closing;

    /// <summary>Ends the connection at once. The peer gets a reset; what is queued is dropped.</summary>
    /// <param name="cause">Handed to readers as the inner exception.</param>
    /// <remarks>Threads: any. The connection must still be disposed.</remarks>
    public void Abort(Exception? cause = null) => Abort(cause, resetsPeer: true);

    /// <summary>Ends the connection at once, with a reset or with a FIN behind what the kernel has taken already.</summary>
    internal void Abort(Exception? cause, bool resetsPeer)
    {
        if (Reactor.IsCurrent)
        {
            AbortOnReactor(CloseReason.Aborted, cause, resetsPeer);
            return;
        }

        Reactor.Enqueue(new WorkItem(
            static (connection, cause, resetsPeer, _) =>
                ((RingConnection)connection!).AbortOnReactor(CloseReason.Aborted, (Exception?)cause, resetsPeer != 0),
            this,
            cause,
            resetsPeer ? 1 : 0));
    }

    /// <summary>Sends what is queued, then closes. Completes when the descriptor is closed and the kernel holds no memory.</summary>
    /// <remarks>Threads: any; safe to call again. A peer that does not read holds it up: abort it then.</remarks>
    public ValueTask DisposeAsync()
    {
        TaskCompletionSource? closed = Volatile.Read(ref _closed);
        if (closed is null)
        {
            var created = new TaskCompletionSource();
            closed = Interlocked.CompareExchange(ref _closed, created, null) ?? created;
            if (Reactor.IsCurrent)
            {
                DisposeOnReactor();
            }
            else if (!Reactor.TryEnqueue(new WorkItem(
                static (connection, _, _, _) => ((RingConnection)connection!).DisposeOnReactor(), this)))
            {
                // The reactor has ended and closed the descriptor; who lent memory to the writer is told.
                Output.Complete();
                closed.TrySetResult();
            }
        }

        return new ValueTask(closed.Task);
    }

    void ICompletionTarget.ReactorEnded(Exception reason)
    {
        if (_stage >= CloseStage.Closing)
        {
            return;
        }

        if (_ending == Ending.Aborted)
        {
            // A send was cancelled before and goes on. The reactor looks every few milliseconds until nothing is in flight.
            Output.Cancel();
        }

        AbortOnReactor(CloseReason.ReactorEnded, reason);
    }

    /// <summary>Drops the descriptor without the ring, because the reactor can no longer use it.</summary>
    void ICompletionTarget.EndWithoutRing(Exception reason)
    {
        if (_descriptor >= 0)
        {
            _ = Reactor.Kernel.Shutdown(_descriptor, SocketConstants.ShutdownBoth);
            _ = Reactor.Kernel.Close(_descriptor);
            _descriptor = -1;
        }

        StopTimers();
        _stage = CloseStage.Closed;
        Receiver.End(MakeError());
        Output.End();
        RaiseClosed();
        Receiver.Notify();
        Output.Notify();
        CompleteDispose();
    }

    /// <summary>The end of a turn in which something was flushed, completed or closed.</summary>
    internal void EndTurn()
    {
        // What the layer queues here belongs to this very end of turn.
        Output.Layer?.EndTurn();
        _isDirty = false;
        if (_stage < CloseStage.Closing && Output.EndTurn())
        {
            AdvanceClose();
        }
    }

    private void DisposeOnReactor()
    {
        Ask(Ending.Disposed);
        SetCloseReason(CloseReason.Disposed, null);
        Output.Layer?.EndTurn();
        Output.TakePosted();
        Output.Complete();
        Receiver.Complete();
        MarkDirty();
        if (_stage == CloseStage.Closed)
        {
            CompleteDispose();
        }
    }

    internal void AbortOnReactor(CloseReason reason, Exception? cause, bool resetsPeer = true)
    {
        if (_ending == Ending.Aborted || _stage >= CloseStage.Closing)
        {
            return;
        }

        Ask(Ending.Aborted);
        SetCloseReason(reason, cause);
        if (resetsPeer)
        {
            ulong resetOnClose = 1; // struct linger: l_onoff = 1, l_linger = 0.
            _ = Reactor.Kernel.SetSocketOption(
                _descriptor, SocketConstants.LevelSocket, SocketConstants.OptionLinger, &resetOnClose, sizeof(ulong));
        }

        EndBothWays();
    }

    /// <summary>The peer or the network ended it.</summary>
    internal void Failed(int errno)
    {
        SetCloseReason(CloseReason.PeerReset, Errno.ToSocketException(errno));
        EndBothWays();
    }

    /// <summary>The peer has sent its last byte; it may go on reading.</summary>
    internal void PeerFinished()
    {
        SetCloseReason(CloseReason.PeerFinished, null);
        RaiseClosed();
    }

    /// <summary>A receive had its last completion.</summary>
    internal void ReceiveIsOver()
    {
        if (_stage >= CloseStage.Lingering)
        {
            MarkDirty();
            TryFinish();
        }
    }

    private void EndBothWays()
    {
        Receiver.End(MakeError());
        Output.End();
        Output.Cancel();
        RaiseClosed();
        MarkDirty();

        // Who waits is resumed from the loop, not inside the call that aborted.
        Reactor.Enqueue(new WorkItem(
            static (connection, _, _, _) =>
            {
                var self = (RingConnection)connection!;
                self.Receiver.Notify();
                self.Output.Notify();
            },
            this));
    }

    /// <summary>The reactor is about to end with this connection open.</summary>
    internal void NoteReactorEnded(Exception reason) => SetCloseReason(CloseReason.ReactorEnded, reason);

    private void SetCloseReason(CloseReason reason, Exception? cause)
    {
        // The peer's FIN leaves the connection open for sending; what ends it for good is told instead.
        if (CloseReason is CloseReason.None or CloseReason.PeerFinished)
        {
            CloseReason = reason;
            _closeCause = cause;
        }
    }

    /// <summary>Nothing is queued and nothing is being sent.</summary>
    private void AdvanceClose()
    {
        if (_ending == Ending.Aborted)
        {
            Close();
        }
        else if (_ending == Ending.Disposed)
        {
            if (NeedsLinger())
            {
                Linger();
            }
            else
            {
                Close();
            }
        }
        else if (Output.IsFinished)
        {
            SendFin();
        }
    }

    /// <summary>Closing over bytes that nobody read resets the connection, also those that still lie in the socket.</summary>
    private bool NeedsLinger()
    {
        if (Receiver.HasEnded || (_stage == CloseStage.Lingering && !_linger!.IsScheduled))
        {
            return false;
        }

        // Something was said and nothing was read: what the peer wants to say may still be on its way.
        bool hasNotListened = !Options.EndsBothWays && Output.HasSent && Receiver.Consumed == 0;

        // A host that refuses to tell how much waits may have something waiting.
        return EndsWithPeer || hasNotListened || Receiver.HasDiscardedInput || Receiver.IsStarved
            || Reactor.Kernel.BytesAvailable(_descriptor) != 0;
    }

    private void Linger()
    {
        if (_stage == CloseStage.Lingering)
        {
            return;
        }

        SendFin();
        Move(CloseStage.Lingering);
        _linger = new LingerList.Entry(this);
        Reactor.Timers.Add(_linger, Reactor.DueTick(Options.LingerTimeout));
        Reactor.Lingering.Add(_linger);
        if (!Receiver.IsArmed)
        {
            Receiver.Arm();
        }
    }

    private void SendFin()
    {
        if (_stage == CloseStage.Open)
        {
            Move(CloseStage.HalfClosed);
            bool endsBoth = Options.EndsBothWays && !EndsWithPeer && _ending == Ending.None;
            _ = Reactor.Kernel.Shutdown(_descriptor, endsBoth ? SocketConstants.ShutdownBoth : SocketConstants.ShutdownWrite);
        }
    }

    private void Close()
    {
        const int ChainLength = 2;
        lock (Receiver)
        {
            Move(CloseStage.Closing);
        }

        // What a late writer flushes goes straight home.
        Output.End();
        StopTimers();

        // The chain is hard: the close follows whether or not there was something to cancel.
        Reactor.Ring.Reserve(ChainLength);
        Receiver.Cancel(SqeFlags.HardLink);
        Sqe* entry = Reactor.Prepare(OperationKind.Close, _slotIndex);
        entry->Opcode = Opcode.Close;
        entry->Descriptor = _descriptor;
    }

    private void CloseCompleted(int result)
    {
        // Linux has freed the descriptor whatever close reports; a second close could hit a stranger's.
        Debug.Assert(result is 0 or -Errno.ECONNRESET or -Errno.EINTR, "close failed");
        _descriptor = -1;
        TryFinish();
    }

    /// <summary>An operation had its last completion: where it was the last of all, the connection is closed.</summary>
    internal void TryFinish()
    {
        if (_descriptor >= 0 || _stage != CloseStage.Closing || Reactor.Operations.InFlightOf(_slotIndex) > 0)
        {
            return;
        }

        Move(CloseStage.Closed);
        RaiseClosed();
        Reactor.Operations.Remove(_slotIndex);
        Reactor.ConnectionClosed(this);
        _acceptor?.ConnectionClosed();
        Receiver.EndPrologue();
        Receiver.NoteBegun();
        CompleteDispose();
    }

    private void CompleteDispose()
    {
        if (_closed is { } closed)
        {
            using ContextScope scope = Reactor.HandOver();
            closed.TrySetResult();
        }
    }

    private void StopTimers()
    {
        if (_linger is { } linger)
        {
            Reactor.Timers.Remove(linger);
            Reactor.Lingering.Remove(linger);
        }

        Output.StopTimers();
    }

    private void Ask(Ending ending) => _ending = (Ending)Math.Max((int)_ending, (int)ending);

    private void Move(CloseStage stage)
    {
        Debug.Assert(_stage < stage);
        _stage = stage;
    }
}
