namespace Ioxide;

/// <summary>Ending a connection: a state machine that only moves forward.</summary>
/// <remarks>
/// <code>
/// Open ------> (HalfClosed) ------> (Lingering) ------> Closing ------> Closed
///   queued bytes are sent; then
///   - the writer completed, not disposed: shutdown(2), the peer sees FIN, receiving continues (HalfClosed)
///   - disposed, and the peer may still send unwanted bytes: FIN, then received bytes are dropped until the peer's FIN or
///     the linger limit (Lingering), because closing over unread bytes would reset the connection and cost the peer the
///     end of the answer
///   - disposed or aborted: the receive is cancelled and the descriptor closed by one chain of two entries (Closing)
///   Closed: every operation had its last completion; the slot is released
/// </code>
/// Lingering connections are counted and bounded (<see cref="LingerList"/>): the oldest close at once when a new connection is accepted over
/// the bound, or when descriptors are short. Otherwise each lingers for its full time.
/// close(2) alone sends no FIN while a receive is armed. The ring's own shutdown goes to a worker thread, so the plain
/// system call is used. Source: shutdown(2), io_uring_prep_cancel(3), io_uring_prep_close(3).
/// </remarks>
public sealed unsafe partial class RingConnection
{
    private RuntimeLock _descriptorLock;
    private CloseStage _stage;
    private long _stageSince;
    private Ending _ending;
    private Linger? _linger;
    private TaskCompletionSource? _closed;

    private enum CloseStage
    {
        Open,
        HalfClosed,
        Lingering,
        Closing,
        Closed,
    }

    /// <summary>The end that this side has requested. It only grows.</summary>
    private enum Ending
    {
        None,
        Disposed,
        Aborted,
    }

    /// <summary>
    /// Whether closing waits for the peer's FIN, at most for <see cref="RingConnectionOptions.LingerTimeout"/>, even if nothing is unread.
    /// For protocols whose peer may send at any time, such as HTTP/2 with its acknowledgements: a closed socket answers with a reset,
    /// and the peer may then drop received bytes that it has not examined.
    /// </summary>
    internal bool WaitsForPeerFin { get; set; }

    /// <summary>Whether the descriptor is closed and no operation is in flight.</summary>
    internal bool IsClosed => _stage == CloseStage.Closed;

    /// <summary>Whether the application may still use it: it was not aborted, and its end has not begun.</summary>
    internal bool IsOpen => _stage < CloseStage.Lingering && _ending != Ending.Aborted;

    /// <summary>Whether a receive may be armed: the descriptor is not being closed.</summary>
    internal bool CanReceive => _stage < CloseStage.Closing;

    /// <summary>Ends the connection at once. The peer gets a reset; queued bytes are dropped.</summary>
    /// <param name="cause">Readers get it as the inner exception.</param>
    /// <remarks>
    /// Threads: any. The connection must still be disposed. One that was disposed before, and only waits for the peer's end, has sent everything: it
    /// is closed without a reset.
    /// </remarks>
    public void Abort(Exception? cause = null) => Abort(cause, resetsPeer: true);

    /// <summary>Ends the connection at once, with a reset or with a FIN behind the bytes that the kernel has already taken.</summary>
    internal void Abort(Exception? cause, bool resetsPeer)
    {
        if (Reactor.IsCurrent)
        {
            AbortOnReactor(CloseReason.Aborted, cause, resetsPeer);
            return;
        }

        Action<RingConnection, Exception?> abort = resetsPeer
            ? static (connection, cause) => connection.AbortOnReactor(CloseReason.Aborted, cause)
            : static (connection, cause) => connection.AbortOnReactor(CloseReason.Aborted, cause, resetsPeer: false);
        Reactor.Enqueue(WorkItem.Of(this, cause, abort));
    }

    /// <summary>Sends queued bytes, then closes. Completes when the descriptor is closed and the kernel holds no memory.</summary>
    /// <remarks>Threads: any; can be called again. A peer that does not read delays it: then abort the connection.</remarks>
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
            else if (!Reactor.TryEnqueue(this, static connection => connection.DisposeOnReactor()))
            {
                // The reactor has ended and closed the descriptor; owners of memory lent to the writer are notified.
                Output.Complete();
                closed.TrySetResult();
            }
        }

        return new ValueTask(closed.Task);
    }

    void ICompletionTarget.ReactorEnded(Exception reason)
    {
        if (_ending == Ending.Aborted && _stage < CloseStage.Closing)
        {
            // A send was cancelled earlier and still runs. The reactor checks every few milliseconds until nothing is in flight.
            Sender.Cancel();
        }

        AbortOnReactor(CloseReason.ReactorEnded, reason);
    }

    /// <summary>Closes the descriptor without the ring, because the reactor can no longer use it.</summary>
    void ICompletionTarget.EndWithoutRing(Exception reason)
    {
        // First: from here on, no other thread duplicates the number.
        _descriptorLock.Enter();
        _stage = CloseStage.Closed;
        _descriptorLock.Exit();
        if (_descriptor >= 0)
        {
            _ = Reactor.Kernel.Shutdown(_descriptor, SocketConstants.ShutdownBoth);
            _ = Reactor.Kernel.Close(_descriptor);
            _descriptor = -1;
        }

        NoteClosed();
        _linger?.Stop();
        Sender.StopTimers();
        Receiver.End(MakeError());
        Sender.End();
        _closedToken.Raise();
        NotifyWaiters();
        CompleteDispose();
    }

    /// <summary>The end of a turn in which something was flushed, completed or closed.</summary>
    internal void EndTurn()
    {
        // Bytes that the layer queues here belong to this end of turn.
        Output.Layer?.EndTurn();
        _isDirty = false;
        if (_stage < CloseStage.Closing && Sender.EndTurn())
        {
            AdvanceClose();
        }
    }

    private void DisposeOnReactor()
    {
        _ending = (Ending)Math.Max((int)_ending, (int)Ending.Disposed);
        _cause.Set(CloseReason.Disposed, null);
        Output.Layer?.EndTurn();
        Output.TakePosted();
        Output.Complete();
        Reader.Complete();
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

        _ending = Ending.Aborted;
        _cause.Set(reason, cause);

        // One that lingers has sent everything: a reset would take back what the kernel still has.
        if (resetsPeer && _stage < CloseStage.Lingering)
        {
            ulong resetOnClose = 1; // struct linger: l_onoff = 1, l_linger = 0.
            _ = Reactor.Kernel.SetSocketOption(
                _descriptor, SocketConstants.LevelSocket, SocketConstants.OptionLinger, &resetOnClose, sizeof(ulong));
        }

        EndReceiveAndSend();
    }

    /// <summary>The peer or the network ended the connection.</summary>
    internal void Failed(int errno)
    {
        _cause.Set(CloseReason.PeerReset, Errno.ToSocketException(errno));
        EndReceiveAndSend();
    }

    /// <summary>The peer has sent its last byte; it may continue to read.</summary>
    internal void PeerFinished()
    {
        _cause.Set(CloseReason.PeerFinished, null);
        _closedToken.Raise();
    }

    /// <summary>The reader has seen the end, or wants nothing more.</summary>
    internal void ReaderIsOver() => _closedToken.ReaderIsOver();

    /// <summary>A receive had its last completion.</summary>
    internal void ReceiveIsOver()
    {
        if (_stage >= CloseStage.Lingering)
        {
            MarkDirty();
            TryFinish();
        }
    }

    private void EndReceiveAndSend()
    {
        Receiver.End(MakeError());
        Sender.End();
        Sender.Cancel();
        MarkDirty();

        // Waiters are resumed from the loop, not inside the call that aborted.
        Reactor.Enqueue(this, static self => self.NotifyWaiters());
        _closedToken.Raise();
    }

    private void NotifyWaiters()
    {
        Reader.Notify();
        Output.NotifyFlush();
        Sender.NotifyIdle();
    }

    /// <summary>The reactor is about to end with this connection open.</summary>
    internal void NoteReactorEnded(Exception reason) => _cause.Set(CloseReason.ReactorEnded, reason);

    /// <summary>Nothing is queued and nothing is being sent.</summary>
    private void AdvanceClose()
    {
        if (_ending == Ending.None)
        {
            if (Sender.IsFinished)
            {
                SendFin();
            }
        }
        else if (_ending == Ending.Aborted || !NeedsLinger())
        {
            Close();
        }
        else if (_stage != CloseStage.Lingering)
        {
            SendFin();
            Move(CloseStage.Lingering);
            _linger = new Linger(this);
            if (!Receiver.IsArmed)
            {
                Receiver.Arm();
            }
        }
    }

    /// <summary>Closing over unread bytes resets the connection, even if they are still in the socket.</summary>
    private bool NeedsLinger()
    {
        if (Receiver.HasEnded || (_stage == CloseStage.Lingering && !_linger!.IsScheduled))
        {
            return false;
        }

        // Something was sent and nothing was read: the peer's bytes may still be in transit.
        bool hasNotListened = !Options.ShutsDownBothDirections && Sender.HasSent && Receiver.Bytes.Consumed == 0;

        // A host that does not report how much waits may have something waiting.
        return WaitsForPeerFin || hasNotListened || Receiver.HasDiscardedInput || Receiver.IsStarved
            || Reactor.Kernel.BytesAvailable(_descriptor) != 0;
    }

    private void SendFin()
    {
        if (_stage == CloseStage.Open)
        {
            Move(CloseStage.HalfClosed);
            bool endsBoth = Options.ShutsDownBothDirections && !WaitsForPeerFin && _ending == Ending.None;
            _ = Reactor.Kernel.Shutdown(_descriptor, endsBoth ? SocketConstants.ShutdownBoth : SocketConstants.ShutdownWrite);
        }
    }

    private void Close()
    {
        const int ChainLength = 2;
        _descriptorLock.Enter();
        Move(CloseStage.Closing);
        _descriptorLock.Exit();

        // A late writer's flush is returned at once.
        Sender.End();
        _linger?.Stop();
        Sender.StopTimers();

        // The chain is hard: the close follows whether or not there was something to cancel.
        Reactor.Ring.Reserve(ChainLength);
        Receiver.Cancel(SqeFlags.HardLink);
        Sqe* entry = Reactor.Prepare(OperationKind.Close, _slotIndex);
        entry->Opcode = Opcode.Close;
        entry->Descriptor = _descriptor;
    }

    private void CloseCompleted(int result)
    {
        // Linux has freed the descriptor whatever close reports; a second close could hit a descriptor of another owner.
        Debug.Assert(result is 0 or -Errno.ECONNRESET or -Errno.EINTR, "close failed");
        _descriptor = -1;
        TryFinish();
    }

    /// <summary>An operation had its last completion. If it was the last of all, the connection is closed.</summary>
    internal void TryFinish()
    {
        if (_descriptor >= 0 || _stage != CloseStage.Closing || Reactor.Operations.InFlightOf(_slotIndex) > 0)
        {
            return;
        }

        Move(CloseStage.Closed);
        _closedToken.Raise();
        Reactor.Operations.Remove(_slotIndex);
        NoteClosed();
        _acceptor?.ConnectionClosed();
        CompleteDispose();
    }

    /// <summary>The descriptor is closed: the connection no longer counts as open, and no stop waits for its first read.</summary>
    private void NoteClosed()
    {
        Reactor.Load.Closed(this);
        FirstRead?.End();
    }

    private void CompleteDispose()
    {
        if (_closed is { } closed)
        {
            using ContextScope scope = Reactor.EnterApplication();
            closed.TrySetResult();
        }
    }

    private void Move(CloseStage stage)
    {
        Debug.Assert(_stage < stage);
        _stage = stage;
        _stageSince = Reactor.Wait.TimeOfTurn;
    }
}
