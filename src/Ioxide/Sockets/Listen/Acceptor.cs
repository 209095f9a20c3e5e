namespace Ioxide;

/// <summary>One reactor's share of a listener: a multishot accept, armed until the listener is unbound.</summary>
/// <remarks>
/// States: armed; paused (descriptors or memory ran out, a timer or a closing connection arms it again); stopping
/// (cancelled, then the queue is drained, then the listener is closed).
/// </remarks>
[DebuggerDisplay("{Describe(),nq}")]
internal sealed unsafe partial class Acceptor(RingListener listener, Reactor reactor, int descriptor, bool handsOver)
    : TimerEntry, ICompletionTarget
{
    private const int FirstPauseMs = 10;
    private const int LongestPauseMs = 1000;
    private const int LeastReserved = 6;
    private const int MostReserved = 64;
    private const int ReservedShare = 8;
    private const int ReservedShareAtFirst = 2;
    private const int AcceptsBetweenChecks = 64;

    // Lingering connections of each reactor that are closed to make room when descriptors are short.
    private const int DroppedLingers = 16;

    private readonly TaskCompletionSource _started = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _stopped = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ListeningDescriptor _listening = new(reactor.Kernel, descriptor);
    private int _slotIndex = -1;
    private bool _isArmed;
    private bool _isStopping;
    private bool _isCancelling;
    private bool _isPaused;
    private bool _hasServed;
    private uint _acceptedCount;
    private int _pauseMs = FirstPauseMs;
    private long _lastReportMs = long.MinValue / 2;

    internal Reactor Reactor => reactor;

    /// <summary>While stopping, it accepts the rest of its queue in one go.</summary>
    internal bool IsStopping => _isStopping;

    public string Describe()
    {
        string state = _isStopping ? "stopping" : _isArmed ? "armed" : _isPaused ? "paused" : "not armed";
        return $"accepts on {listener.EndPoint}: {state}{(_isCancelling ? ", cancelling" : "")}{(IsScheduled ? ", a timer arms it" : "")}";
    }

    internal Task StartAsync()
    {
        Post(static acceptor => acceptor.Start());
        return _started.Task;
    }

    internal Task StopAsync()
    {
        Post(static acceptor => acceptor.Stop());
        return _stopped.Task;
    }

    public void Complete(OperationKind kind, int result, uint flags)
    {
        if (kind == OperationKind.Accept)
        {
            bool isLast = (flags & CqeFlags.More) == 0;
            if (isLast)
            {
                _isArmed = false;
                _isCancelling = false;
            }

            if (result >= 0)
            {
                _pauseMs = FirstPauseMs;
                WatchDescriptors();
                Accepted(result);
            }

            if (isLast)
            {
                AcceptEnded(result);
            }
        }
        else
        {
            reactor.CompleteCancel(kind, OperationKind.Accept, _slotIndex, result, _isArmed && (_isCancelling || _isStopping));
        }

        FinishIfStopped();
    }

    public void ReactorEnded(Exception reason) => Stop();

    public void EndWithoutRing(Exception reason)
    {
        // A blocked handler returns here eventually, and finds nothing to do.
        _isStopping = true;
        _slotIndex = -1;
        NotePaused(false);
        reactor.Kernel.AddAcceptors(-1);
        CloseListener();
    }

    /// <summary>The pause is over.</summary>
    internal override void OnDue() => Arm();

    /// <summary>A connection of this acceptor closed its descriptor, so one is free again.</summary>
    internal void ConnectionClosed()
    {
        _hasServed = true;
        if (IsScheduled)
        {
            reactor.Timers.Remove(this);
            Arm();
        }
    }

    private void Post(Action<Acceptor> action)
    {
        if (!reactor.TryEnqueue(this, action))
        {
            CloseUnstarted();
        }
    }

    /// <summary>The reactor has ended and closed its listeners.</summary>
    private void CloseUnstarted()
    {
        _started.TrySetException(new ObjectDisposedException($"Reactor {reactor.Id} has ended."));
        CloseListener();
    }

    private void Start()
    {
        if (!reactor.CanStart)
        {
            CloseUnstarted();
            return;
        }

        try
        {
            _slotIndex = reactor.Operations.Add(this);
        }
        catch (InvalidOperationException full)
        {
            // Whoever binds stops it.
            _started.TrySetException(full);
            return;
        }

        reactor.Kernel.AddAcceptors(1);
        Arm();
        _started.TrySetResult();
    }

    private void Arm()
    {
        if (_isArmed || _isStopping || _listening.IsShutDown)
        {
            return;
        }

        bool isOneByOne = CouldExhaustDescriptors();
        if (isOneByOne && reactor.Load.Open > 0)
        {
            if (!HasRoom(ReservedShare))
            {
                Pause(Errno.EMFILE);
                return;
            }

            if (!_hasServed && !HasRoom(ReservedShareAtFirst))
            {
                WaitForFirst();
                return;
            }
        }

        Sqe* entry = reactor.Prepare(OperationKind.Accept, _slotIndex);
        entry->Opcode = Opcode.Accept;
        entry->Descriptor = _listening.Number;
        entry->IoPriority = isOneByOne ? (ushort)0 : OperationFlags.AcceptMultishot;
        entry->OperationFlags = SocketConstants.CloseOnExec;
        _isArmed = true;
        NotePaused(false);
    }

    private void AcceptEnded(int result)
    {
        if (_isStopping || _listening.IsShutDown)
        {
            return;
        }

        if (result < 0 && !Errno.IsOfOneConnection(-result))
        {
            Pause(-result);
            return;
        }

        reactor.Counters.Rearms++;
        Arm();
    }

    /// <summary>Near the limit, connections are accepted one by one.</summary>
    private void WatchDescriptors()
    {
        if (++_acceptedCount % AcceptsBetweenChecks == 0 && _isArmed && !_isStopping && !_isCancelling && CouldExhaustDescriptors())
        {
            _isCancelling = true;
            reactor.PrepareCancel(OperationKind.CancelAccept, OperationKind.Accept, _slotIndex);
        }
    }

    /// <summary>
    /// True if so many descriptors are open that multishots could use up the reserve: within one enter, each accepts all
    /// that wait in its queue, and every acceptor of the process may do so at the same time.
    /// </summary>
    private bool CouldExhaustDescriptors()
        => DescriptorBudget.Open(reactor.Kernel) + (((long)listener.Backlog + AcceptsBetweenChecks) * reactor.Kernel.AcceptorCount)
            > MaxDescriptorsForAccepts(ReservedShareAtFirst);

    /// <summary>Room for one connection per acceptor of the process, because each may have an accept in flight.</summary>
    private bool HasRoom(int share) => DescriptorBudget.Open(reactor.Kernel) + reactor.Kernel.AcceptorCount <= MaxDescriptorsForAccepts(share);

    /// <summary>
    /// Most descriptors that may be open when another connection is accepted. The rest is reserved: .NET aborts when it cannot open a pipe for
    /// a new thread.
    /// </summary>
    private int MaxDescriptorsForAccepts(int share)
    {
        int limit = DescriptorBudget.Limit(reactor.Kernel);
        return limit - Math.Clamp((limit - _listening.Number) / share, LeastReserved, MostReserved);
    }

    /// <summary>
    /// A first request loads some 30 assemblies, each with a descriptor. Until a connection has been served to its end, or a second has gone by,
    /// they have their room.
    /// </summary>
    private void WaitForFirst()
    {
        if (IsScheduled)
        {
            return;
        }

        reactor.Timers.Add(this, reactor.NowTick() + _pauseMs);
        _pauseMs *= 2;
        if (_pauseMs >= LongestPauseMs)
        {
            _hasServed = true;
            _pauseMs = FirstPauseMs;
        }
    }

    /// <summary>Armed again at once, it would fail at once, some two million times per second.</summary>
    private void Pause(int errno)
    {
        const int ReportIntervalMs = 1000;
        reactor.Counters.AcceptPauses++;
        NotePaused(true);
        if (errno is Errno.EMFILE or Errno.ENFILE)
        {
            DropLingers();
        }

        int pauseMs = _pauseMs;
        if (!IsScheduled)
        {
            reactor.Timers.Add(this, reactor.NowTick() + pauseMs);
            _pauseMs = Math.Min(_pauseMs * 2, LongestPauseMs);
        }

        long now = reactor.NowTick();
        if (now - _lastReportMs >= ReportIntervalMs)
        {
            _lastReportMs = now;
            reactor.Announce(WorkItem.Of(
                reactor, errno, static (reactor, errno) => IoxideEventSource.Log.AcceptPause(reactor.Id, (int)errno)));
            reactor.RaiseEvent(events => events.AcceptPaused(
                reactor.Id, listener.EndPoint.ToString()!, Errno.Name(errno), TimeSpan.FromMilliseconds(pauseMs)));
        }
    }

    /// <summary>Connections that are over for the application go before new ones. The first that is closed resumes accepting.</summary>
    private void DropLingers()
    {
        reactor.Load.Lingering.Drop(DroppedLingers);
        foreach (Reactor other in listener.Group.Reactors)
        {
            if (other != reactor && other.Load.Lingering.Count > 0)
            {
                other.Enqueue(other, static other => other.Load.Lingering.Drop(DroppedLingers));
            }
        }
    }

    private void NotePaused(bool isPaused)
    {
        if (_isPaused != isPaused)
        {
            _isPaused = isPaused;
            reactor.Counters.PausedListeners += isPaused ? 1 : -1;
        }
    }

    private void Accepted(int accepted)
    {
        listener.NoteAccepted();
        Reactor target = handsOver ? listener.Group.LeastLoaded(except: null) ?? reactor : reactor;
        if (ReferenceEquals(target, reactor) || !TryHandOver(target, accepted))
        {
            StartConnection(reactor, accepted);
        }
    }

    /// <summary>Starts the connection on another reactor. False if that has ended. Threads: any.</summary>
    private bool TryHandOver(Reactor target, int accepted)
    {
        target.Load.Reserve();
        bool isQueued = target.TryEnqueue(WorkItem.Of(
            this, ((long)target.Id << 32) | (uint)accepted, static (acceptor, handed) => acceptor.Arrive(handed)));
        if (!isQueued)
        {
            target.Load.ReleaseReservation();
        }

        return isQueued;
    }

    /// <summary>The connection has come to its reactor. If that has ended meanwhile, this runs on the thread that handed it over.</summary>
    private void Arrive(long handed)
    {
        Reactor target = listener.Group.Reactors[(int)(handed >> 32)];
        target.Load.ReleaseReservation();
        StartConnection(target, (int)handed);
    }

    private void StartConnection(Reactor target, int accepted)
    {
        if (target.CanStart)
        {
            listener.StartConnection(target, accepted, this);
        }
        else
        {
            // The reactor ends, and connections started now would end with it.
            _ = reactor.Kernel.Close(accepted);
            listener.NoteFirstRead();
        }
    }

    private void Stop()
    {
        if (_isStopping)
        {
            return;
        }

        _isStopping = true;
        NotePaused(false);
        reactor.Timers.Remove(this);
        if (_slotIndex < 0)
        {
            CloseListener();
            return;
        }

        if (_isArmed && !_isCancelling)
        {
            reactor.PrepareCancel(OperationKind.CancelAccept, OperationKind.Accept, _slotIndex);
        }

        FinishIfStopped();
    }

    private void FinishIfStopped()
    {
        if (!_isStopping || _slotIndex < 0 || reactor.Operations.InFlightOf(_slotIndex) > 0)
        {
            return;
        }

        Debug.Assert(!_isArmed);
        DrainQueue();
        reactor.Operations.Remove(_slotIndex);
        reactor.Kernel.AddAcceptors(-1);
        _slotIndex = -1;
        CloseListener();
    }

    /// <summary>Closing would reset the connected clients that wait in the queue.</summary>
    private void DrainQueue()
    {
        if (listener.IsAdopted)
        {
            return;
        }

        while (true)
        {
            int accepted = AcceptNow();
            if (accepted == -Errno.ECONNABORTED)
            {
                continue;
            }

            if (accepted < 0)
            {
                return;
            }

            Accepted(accepted);
        }
    }

    private void CloseListener()
    {
        _listening.Close();
        foreach (Reactor each in handsOver ? listener.Group.Reactors : [reactor])
        {
            each.Enqueue(each.Load.Lingering, static lingering => lingering.ListenerStopped());
        }

        _stopped.TrySetResult();
    }
}
