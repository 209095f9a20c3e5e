using System.Globalization;

namespace Ioxide.Pg;

/// <summary>Leases, and how waits end: served, refused, or too long.</summary>
internal sealed partial class ReactorPool
{
    // Under a total all reactors wait in one queue.
    private long LeaseLimit => (long)Options.QueueLimit * (_total?.Pools.Length ?? 1);

    /// <summary>Leases a connection. <see cref="GiveBack"/> returns it.</summary>
    internal ValueTask<ServerConnection> LeaseAsync(CancellationToken cancellationToken)
    {
        using ContextScope scope = Reactor.EnterRuntime();
        if (_isClosed)
        {
            return ValueTask.FromException<ServerConnection>(DataSource.ClosedError());
        }

        if (_leases.Count == 0 && TakeIdleShared() is { } connection)
        {
            return new ValueTask<ServerConnection>(Lease(connection));
        }

        if (QueueLength >= LeaseLimit)
        {
            return ValueTask.FromException<ServerConnection>(QueueFull());
        }

        StartConnecting(isShared: false);
        if (HasNoneToLend && IsRefused)
        {
            return ValueTask.FromException<ServerConnection>(ConnectFailure.Again(_failure!));
        }

        var request = new LeaseRequest(this, Reactor.NowTick());
        _leases.Enqueue(request);
        _clock.Start();
        ValueTask<ServerConnection> wait = request.WaitAsync(cancellationToken);
        LendShared();
        if (_total is { HasRoom: false })
        {
            // Another pool may have an idle connection.
            _total.Wake(this);
        }

        return wait;
    }

    /// <summary>The caller has stopped waiting for its lease. Threads: any.</summary>
    internal void Withdraw(LeaseRequest request) => _leases.Remove(request);

    /// <summary>Others wait for a connection: the reactor looks whether this pool can help. Threads: any.</summary>
    internal void Ask()
    {
        if (Interlocked.Exchange(ref _isAsked, 1) == 0)
        {
            // A reactor that has ended has no connection.
            Reactor.TryEnqueue(this, static pool => pool.Help());
        }
    }

    /// <summary>Returns a leased connection.</summary>
    internal void GiveBack(ServerConnection connection)
    {
        if (!_leased.Contains(connection))
        {
            return; // It was lost meanwhile.
        }

        connection.Listener = null;
        if (!Options.Pooling)
        {
            connection.RetireTick = 0;
        }

        if (connection.Pending > 0 || connection.IsCancelling)
        {
            // Abandoned commands are still being answered; it returns here afterwards.
            connection.IsReturning = true;
            return;
        }

        connection.IsReturning = false;
        _leased.Remove(connection);
        connection.IsLeased = false;
        if ((connection.TransactionStatus != (byte)'I' || (connection.IsTouched && Resets)) && !_isClosed && !IsTooOld(connection))
        {
            // The next user need not wait for the answer.
            connection.SendReset();
        }

        Place(connection);
    }

    /// <summary>When the clock is due: within a second, and by the time that the oldest wait or the next attempt is due.</summary>
    internal long NextLookTick()
    {
        long due = Reactor.NowTick() + PoolClock.PeriodMs;
        if (QueueLength == 0)
        {
            return due;
        }

        if (IsRefused)
        {
            due = Math.Min(due, _nextAttemptTick);
        }

        long oldest = Math.Min(_queue.Head?.QueuedTick ?? long.MaxValue, _leases.OldestTick);
        return Options.QueueTimeout > TimeSpan.Zero && oldest < long.MaxValue
            ? Math.Min(due, oldest + (long)Options.QueueTimeout.TotalMilliseconds + 1)
            : due;
    }

    /// <summary>Checks waits, idle connections and the minimum. The clock calls it.</summary>
    internal void Look()
    {
        long now = Reactor.NowTick();
        long waitLimit = now - (long)Options.QueueTimeout.TotalMilliseconds;
        while (_queue.Head is { } oldest && oldest.QueuedTick < waitLimit && Options.QueueTimeout > TimeSpan.Zero)
        {
            _queue.Dequeue();
            Counters.QueueTimeouts++;
            RefuseLater(oldest, WaitedTooLong());
        }

        while (Options.QueueTimeout > TimeSpan.Zero && _leases.TryDequeue(out LeaseRequest? request, waitLimit))
        {
            Counters.QueueTimeouts += request.TryFail(WaitedTooLong()) ? 1 : 0;
        }

        PlaceAtHand();
        RetireIdle(_idle, now);
        RetireIdle(_shared, now);
        ServeQueue();
        KeepMinimum();
        if (OpenCount > 0 || QueueLength > 0 || (MinConnections > 0 && !_isClosed))
        {
            _clock.Start();
        }
    }

    private void RetireIdle(List<ServerConnection> connections, long now)
    {
        long idleLimit = Options.IdleLifetime > TimeSpan.Zero ? now - (long)Options.IdleLifetime.TotalMilliseconds : long.MinValue;
        for (int i = connections.Count - 1; i >= 0; i--)
        {
            ServerConnection connection = connections[i];
            if (connection.Pending == 0
                && (IsTooOld(connection) || (connection.IdleSinceTick < idleLimit && OpenCount > MinConnections)))
            {
                Retire(connection);
            }
        }
    }

    private void Help()
    {
        Volatile.Write(ref _isAsked, 0);
        ServeQueue();
        if (IsToGivePlace
            && (TakeNewestIdle() ?? _shared.Find(static connection => connection.Pending == 0 && !connection.IsCancelling)) is { } idle)
        {
            Retire(idle);
        }
    }

    /// <summary>Fails every waiting command with the reason.</summary>
    private void RefuseCommands(Exception reason)
    {
        while (_queue.Dequeue() is { } roundTrip)
        {
            RefuseLater(roundTrip, ConnectFailure.Again(reason));
        }
    }

    /// <summary>Fails every waiting lease with the reason.</summary>
    private void RefuseLeases(Exception reason)
    {
        while (_leases.TryDequeue(out LeaseRequest? request))
        {
            request.TryFail(ConnectFailure.Again(reason));
        }
    }

    /// <summary>Fails the caller later: its code may block on the next round trip.</summary>
    private void RefuseLater(RoundTrip roundTrip, Exception reason)
    {
        roundTrip.Fail(reason);
        if (!Reactor.TryEnqueue(roundTrip, static roundTrip => Tell(roundTrip)))
        {
            Tell(roundTrip);
        }
    }

    private PgPoolExhaustedException QueueFull() => new(string.Create(
        CultureInfo.InvariantCulture,
        $"{QueueLength} callers wait for {Connections()}; that is the limit (Queue Limit, {nameof(Options.QueueLimit)}). " +
        $"Answer with 503, or raise it or {LimitName()}.{DataSource.Holders}"));

    private PgPoolExhaustedException WaitedTooLong() => new(
        string.Create(
        CultureInfo.InvariantCulture,
        $"No connection became free within {Options.QueueTimeout.TotalSeconds:0.###} s ({Options.QueueTimeoutName}): there are {Connections()}. " +
        $"A session or connection that is not disposed keeps its connection; else raise {LimitName()}.{DataSource.Holders}"),
        OpenCount == 0 ? _failure : null,
        hasTimedOut: true);

    private string Connections()
    {
        int open = _total?.Pools.Sum(static pool => pool.OpenCount) ?? OpenCount;
        int leased = _total?.Pools.Sum(static pool => pool._leased.Count) ?? _leased.Count;
        int connecting = _total?.Pools.Sum(static pool => pool._connecting) ?? _connecting;
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{open} open connections{(_total is null ? $" on reactor {Reactor.Id}" : "")}, {leased} of them "
                + $"leased{(connecting > 0 ? $", and {connecting} being opened" : "")}");
    }

    private string LimitName() => string.Create(
        CultureInfo.InvariantCulture,
        $"{(_total is null ? $"Max Per Reactor ({nameof(Options.MaxPerReactor)})" : $"Maximum Pool Size ({nameof(Options.MaxConnections)})")}, "
            + $"which is {_total?.Max ?? MaxConnections}");
}
