using System.Diagnostics;

namespace Ioxide;

/// <summary>Ending a connection: a state machine that only moves forward.</summary>
/// <remarks>
/// <code>
/// Open ------> (Lingering) ------> Closing ------> Closed
///   what is queued is sent; then
///   - the writer completed, not disposed: shutdown(2), the peer sees FIN, receiving goes on (still Open)
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
    private CloseStage _closeStage;
    private Exception? _closeCause;
    private bool _isDisposed;
    private bool _isAborted;
    private bool _isFinSent;
    private LingerList.Entry? _linger;
    private TaskCompletionSource? _closed;

    private enum CloseStage
    {
        Open,
        Lingering,
        Closing,
        Closed,
    }

    /// <summary>
    /// Whether the end waits for the peer's FIN, <see cref="RingConnectionOptions.LingerTimeout"/> at most, also where nothing is
    /// left unread. For protocols whose peer may speak at any time, such as HTTP/2 with its acknowledgements: what meets a closed
    /// socket is answered by a reset, and the peer may drop what it has received but not looked at.
    /// </summary>
    internal bool EndsWithPeer { get; set; }

    /// <summary>Whether the descriptor is closed and no operation is in flight.</summary>
    internal bool IsClosed => _closeStage == CloseStage.Closed;

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
        if (_closeStage >= CloseStage.Closing)
        {
            return;
        }

        if (_isAborted && _isSending)
        {
            // It was cancelled before and goes on. The reactor looks every few milliseconds until nothing is in flight.
            Reactor.PrepareCancel(OperationKind.CancelSend, OperationKind.Send, _slotIndex);
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
        _closeStage = CloseStage.Closed;
        _isReceiveEnded = true;
        _input.End(MakeError());
        Output.End();
        RaiseClosed();
        _input.Notify();
        Output.NotifyFlush();
        CompleteDispose();
    }

    private void DisposeOnReactor()
    {
        _isDisposed = true;
        SetCloseReason(CloseReason.Disposed, null);
        SendLayer?.EndTurn();
        Output.TakePosted();
        Output.Complete();
        _input.Complete();
        MarkDirty();
        if (_closeStage == CloseStage.Closed)
        {
            CompleteDispose();
        }
    }

    private void AbortOnReactor(CloseReason reason, Exception? cause, bool resetsPeer = true)
    {
        if (_isAborted || _closeStage >= CloseStage.Closing)
        {
            return;
        }

        _isAborted = true;
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
    private void ConnectionFailed(int errno)
    {
        _isReceiveEnded = true;
        SetCloseReason(CloseReason.PeerReset, Errno.ToSocketException(errno));
        EndBothWays();
    }

    private void EndBothWays()
    {
        _isReceiveEnded = true;
        _input.End(MakeError());
        Output.End();
        if (_isSending)
        {
            Reactor.PrepareCancel(OperationKind.CancelSend, OperationKind.Send, _slotIndex);
        }

        RaiseClosed();
        MarkDirty();

        // Who waits is resumed from the loop, not inside the call that aborted.
        Reactor.Enqueue(new WorkItem(
            static (connection, _, _, _) =>
            {
                var self = (RingConnection)connection!;
                self._input.Notify();
                self.Output.NotifyFlush();
                self.NotifySendIdle();
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
        if (_isAborted)
        {
            Close();
        }
        else if (_isDisposed)
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
        if (_isReceiveEnded || (_closeStage == CloseStage.Lingering && !_linger!.IsScheduled))
        {
            return false;
        }

        // Something was said and nothing was read: what the peer wants to say may still be on its way.
        bool hasNotListened = !Options.EndsBothWays && _hasSent && _input.Consumed == 0;

        // A host that refuses to tell how much waits may have something waiting.
        return EndsWithPeer || hasNotListened || _hasDiscardedInput || _isStarved
            || Reactor.Kernel.BytesAvailable(_descriptor) != 0;
    }

    private void Linger()
    {
        if (_closeStage == CloseStage.Lingering)
        {
            return;
        }

        _closeStage = CloseStage.Lingering;
        _linger = new LingerList.Entry(this);
        Reactor.Timers.Add(_linger, Reactor.DueTick(Options.LingerTimeout));
        Reactor.Lingering.Add(_linger);
        SendFin();
        if (_armedRing is null)
        {
            ArmReceive();
        }
    }

    private void SendFin()
    {
        if (!_isFinSent)
        {
            _isFinSent = true;
            bool endsBoth = Options.EndsBothWays && !EndsWithPeer && _closeStage == CloseStage.Open;
            _ = Reactor.Kernel.Shutdown(_descriptor, endsBoth ? SocketConstants.ShutdownBoth : SocketConstants.ShutdownWrite);
        }
    }

    private void Close()
    {
        const int ChainLength = 2;
        lock (_input)
        {
            _closeStage = CloseStage.Closing;
        }

        // What a late writer flushes goes straight home.
        Output.End();
        StopTimers();

        // The chain is hard: the close follows whether or not there was something to cancel.
        Reactor.Ring.Reserve(ChainLength);
        if (_armedRing is not null && !_isCancellingReceive)
        {
            _isCancellingReceive = true;
            Reactor.PrepareCancel(OperationKind.CancelReceive, OperationKind.Receive, _slotIndex, SqeFlags.HardLink);
        }

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

    private void TryFinish()
    {
        if (_descriptor >= 0 || _closeStage != CloseStage.Closing || Reactor.Operations.InFlightOf(_slotIndex) > 0)
        {
            return;
        }

        _closeStage = CloseStage.Closed;
        RaiseClosed();
        Reactor.Operations.Remove(_slotIndex);
        Reactor.ConnectionClosed(this);
        _acceptor?.ConnectionClosed();
        _input.EndPrologue();
        _input.NoteBegun();
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

        if (_sendPause is { } pause)
        {
            Reactor.Timers.Remove(pause);
        }

        _sendDeadline?.Stop();
    }
}
