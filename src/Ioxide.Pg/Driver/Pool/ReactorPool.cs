namespace Ioxide.Pg;

/// <summary>The connections of one data source on one reactor. It shares nothing with other reactors but a total, if there is one.</summary>
/// <remarks>
/// <para>Two lanes. Shared connections take the short commands of all callers, pipelined, the one with the fewest in flight first.
/// Leased ones belong to a session, a stream or a COPY until it is over. An idle connection may go from one lane to the other.</para>
/// <para>Commands and leases wait first in, first out; the queue has a limit, and each wait a time limit.</para>
/// <para>Threads: the reactor's, unless a member says otherwise.</para>
/// </remarks>
internal sealed partial class ReactorPool : CommandTarget
{
    private readonly ConnectionTotal? _total;
    private readonly PoolClock _clock;
    private volatile bool _isClosed;
    private int _sessions;
    private AskFlag _help;
    private int _clearsAsked;

    /// <param name="reactor">Its reactor.</param>
    /// <param name="dataSource">Its data source.</param>
    /// <param name="total">The limit on all pools of the data source together, or null.</param>
    internal ReactorPool(Reactor reactor, PgDataSource dataSource, ConnectionTotal? total = null)
        : base(reactor, dataSource)
    {
        Options = dataSource.Options;
        _total = total;
        Lanes = new ConnectionLanes(this);
        Queue = new PoolQueue(this, total);
        Attempts = new ConnectAttempts(this, total);
        MaxConnections = Options.MaxPerReactorOrTotal;
        MinConnections = Options.MinPerReactorOf(reactor.Group.Reactors.Count);
        _clock = new PoolClock(this);
    }

    internal PgDataSourceOptions Options { get; }

    internal PoolCounters Counters { get; } = new();

    internal PoolQueue Queue { get; }

    internal ConnectAttempts Attempts { get; }

    internal ConnectionLanes Lanes { get; }

    internal bool IsClosed => _isClosed;

    /// <summary>The maximum number of connections, in both lanes; under a total, the most that it may have if other pools have none.</summary>
    internal int MaxConnections { get; }

    /// <summary>The maximum, such that the pools of a data source add up to its total.</summary>
    internal int ShareOfMax => _total?.ShareOf(this) ?? MaxConnections;

    /// <summary>The minimum number of connections.</summary>
    internal int MinConnections { get; }

    /// <summary>Open connections. Threads: any; a snapshot.</summary>
    internal int OpenCount => Lanes.OpenCount;

    /// <summary>Whether session state is reset between users. A pooler runs each transaction in another session, where no state remains.</summary>
    internal bool Resets => Options.ResetOnReturn && !DataSource.Poolers.IsTransactional;

    /// <inheritdoc cref="PoolQueue.Length"/>
    internal int QueueLength => Queue.Length;

    /// <summary>It has a connection for a command, or may open one. Threads: any; a snapshot.</summary>
    internal bool CanServe => _total is null
        ? Sessions < MaxConnections
        : Lanes.Shared.Count + Lanes.FreeCount > 0 || Lanes.AtHand.IsTaken || (_total.HasRoom && Sessions < MaxConnections);

    /// <summary>Its connections may become free for a command. Threads: any; a snapshot.</summary>
    internal bool MayServeLater => OpenCount + Attempts.Count > 0;

    /// <summary>Commands wait, and there is no connection. Threads: any; a snapshot.</summary>
    internal bool IsStarving => Queue.CommandCount > 0 && !MayServeLater;

    /// <summary>A clear is on its way to the reactor. Threads: any.</summary>
    internal bool IsToClear => Volatile.Read(ref _clearsAsked) > 0;

    /// <summary>A connection that comes free is not kept for its last user. Threads: any; a snapshot.</summary>
    internal bool IsWanted => _isClosed || IsToClear || !Options.Pooling || QueueLength > 0 || IsToGivePlace;

    /// <summary>It could do with a connection less, and another pool has commands and no place for one.</summary>
    private bool IsToGivePlace => Queue.CommandCount == 0 && _total is { IsPlaceWanted: true };

    /// <summary>The number of sessions that are open or requested. Threads: any.</summary>
    internal int Sessions => Volatile.Read(ref _sessions);

    /// <summary>Counts a session from when its reactor is chosen, so that the next choice sees it.</summary>
    internal void SessionBegins() => Interlocked.Increment(ref _sessions);

    internal void SessionEnds() => Interlocked.Decrement(ref _sessions);

    internal override void Submit(RoundTrip roundTrip)
    {
        if ((_isClosed ? DataSource.ClosedError() : SharedLane.RefusalOf(roundTrip)) is { } refusal)
        {
            roundTrip.Refuse(refusal);
            return;
        }

        ClearIfAsked();
        if (Choose() is { } chosen)
        {
            HasRoom(chosen);
            if (Queue.CommandCount == 0 && CanTake(chosen))
            {
                chosen.Pipeline.Send(roundTrip);
                return;
            }
        }

        if (!MayServeLater && Attempts.IsRefused)
        {
            // No connection can serve it before the next attempt.
            roundTrip.Refuse(ConnectFailure.Again(Attempts.Failure!));
            return;
        }

        if (!Queue.TakesCommand)
        {
            roundTrip.Refuse(Queue.FullError());
            return;
        }

        Queue.Add(roundTrip);
        _clock.Start();
        PlaceAtHand();
        if (_total is not null && IsStarving)
        {
            _total.Wake(this);
        }
    }

    internal override void Cancel(RoundTrip roundTrip, Exception reason)
    {
        if (Queue.Remove(roundTrip))
        {
            roundTrip.Refuse(reason);
            return;
        }

        base.Cancel(roundTrip, reason);
    }

    internal override void Ended(RoundTrip roundTrip)
    {
        Counters.Commands++;
        Counters.Errors += roundTrip.Error is null ? 0 : 1;
    }

    /// <summary>Leases a connection. <see cref="GiveBack"/> returns it.</summary>
    internal ValueTask<ServerConnection> LeaseAsync(CancellationToken cancellationToken)
    {
        using ContextScope scope = Reactor.EnterRuntime();
        if (_isClosed)
        {
            return ValueTask.FromException<ServerConnection>(DataSource.ClosedError());
        }

        ClearIfAsked();
        if (Queue.LeaseCount == 0 && TakeIdle() is { } connection)
        {
            return new ValueTask<ServerConnection>(Lease(connection));
        }

        if (!Queue.TakesLease)
        {
            return ValueTask.FromException<ServerConnection>(Queue.FullError());
        }

        Attempts.Start(isShared: false);
        if (HasNoneToLend && Attempts.IsRefused)
        {
            return ValueTask.FromException<ServerConnection>(ConnectFailure.Again(Attempts.Failure!));
        }

        ValueTask<ServerConnection> wait = Queue.AddLeaseAsync(cancellationToken);
        _clock.Start();
        ServeQueue(); // A place of the total may have come free before the request was to be seen.
        if (_total is { HasRoom: false })
        {
            // Another pool may have an idle connection.
            _total.Wake(this);
        }

        return wait;
    }

    /// <summary>Returns a leased connection.</summary>
    internal void GiveBack(ServerConnection connection)
    {
        if (!Lanes.IsLeased(connection))
        {
            return; // It was lost meanwhile.
        }

        connection.Listener = null;
        connection.RetireTick = Options.Pooling ? connection.RetireTick : 0;

        if (connection.Pipeline.Pending > 0 || connection.IsCancelling)
        {
            // Abandoned commands are still being answered; it returns here afterwards.
            connection.IsReturning = true;
            return;
        }

        connection.IsReturning = false;
        Lanes.TryEndLease(connection);
        if ((connection.State.TransactionStatus != (byte)'I' || (connection.State.IsTouched && Resets)) && !_isClosed && !connection.IsTooOld)
        {
            // The next user need not wait for the answer.
            connection.State.SendReset();
        }

        Place(connection);
    }

    /// <summary>All answers have arrived. Called by the connection.</summary>
    internal void BecameIdle(ServerConnection connection)
    {
        if (connection.IsCancelling)
        {
            return;
        }

        connection.IdleSinceTick = Reactor.NowTick();
        if (connection.IsLeased)
        {
            if (connection.IsReturning)
            {
                GiveBack(connection);
            }
        }
        else if (connection.IsTooOld)
        {
            Lanes.Retire(connection);
        }
        else if (Queue.LeaseCount > 0 && Lanes.Shared.Remove(connection))
        {
            Place(connection);
        }
        else if (IsToGivePlace && Lanes.Shared.Remove(connection))
        {
            connection.Terminate();
        }
        else
        {
            HasRoom(connection);
            if (connection.Pipeline.Pending == 0 && Lanes.Shared.HasExtra && Lanes.Shared.Remove(connection))
            {
                // It was taken because others were held up.
                Place(connection);
            }
        }
    }

    /// <summary>An answer came: there is room for another command. Called by the connection.</summary>
    internal void HasRoom(ServerConnection connection)
    {
        if (Queue.CommandCount == 0 || connection.IsLeased || !Lanes.Shared.Contains(connection))
        {
            return;
        }

        while (CanTake(connection) && !connection.IsBroken && Queue.TakeCommand() is { } roundTrip)
        {
            connection.Pipeline.Send(roundTrip);
        }
    }

    /// <summary>A command that was not sent comes back from a connection that is lost.</summary>
    internal void Return(RoundTrip roundTrip, Exception reason)
    {
        if (roundTrip.IsAbandoned)
        {
            roundTrip.Release();
        }
        else if (roundTrip.Connection is { IsLeased: false } && !_isClosed)
        {
            Submit(roundTrip);
        }
        else
        {
            roundTrip.Refuse(reason);
        }
    }

    /// <summary>The connection is gone. Called by the connection, before its commands fail.</summary>
    internal void Lost(ServerConnection connection, Exception cause)
    {
        if (Lanes.Lost(connection))
        {
            _total?.GiveBack(this);
        }

        Counters.Closed++;
        DataSource.Log.Lost(connection.Endpoint, cause);
        if (!_isClosed)
        {
            ServeQueue();
            Attempts.KeepMinimum();
        }
    }

    /// <summary>Lets the reactor clear it; no session that is opened later gets a connection of now. Threads: any.</summary>
    internal void AskToClear()
    {
        Interlocked.Increment(ref _clearsAsked);

        // A reactor that has ended has no connection any more.
        Reactor.TryEnqueue(this, static pool =>
        {
            pool.Clear();
            Interlocked.Decrement(ref pool._clearsAsked);
        });
    }

    private void ClearIfAsked()
    {
        if (IsToClear)
        {
            Clear();
        }
    }

    /// <summary>Closes idle connections now, and busy ones when they are returned.</summary>
    internal void Clear()
    {
        PlaceAtHand();
        Lanes.RetireAll(Reactor.NowTick());
    }

    /// <summary>Accepts nothing new, waits for running commands, and closes.</summary>
    internal void Close()
    {
        if (_isClosed)
        {
            return;
        }

        _isClosed = true;
        PlaceAtHand();
        Attempts.Close();
        _clock.Stop();
        Queue.RefuseAll(DataSource.ClosedError());
        foreach (ServerConnection connection in Lanes.Unleased())
        {
            connection.Terminate();
        }
    }

    /// <summary>Closes the connections that <see cref="Close"/> left: busy and leased ones.</summary>
    internal void Abort()
    {
        Close();
        foreach (ServerConnection connection in Lanes.All())
        {
            connection.Break(DataSource.ClosedError());
        }
    }

    private ServerConnection Lease(ServerConnection connection)
    {
        Lanes.Lease(connection);
        if (connection.State.IsTouched && Resets)
        {
            connection.State.SendReset();
        }

        return connection;
    }

    /// <summary>Gives a free connection to a waiting lease or to the shared lane, or keeps it idle.</summary>
    private void Place(ServerConnection connection)
    {
        if (connection.IsBroken)
        {
            // Lost has counted it already, and in the pool it would be chosen for every command.
            return;
        }

        if (connection.IsTooOld || _isClosed)
        {
            connection.Terminate();
            return;
        }

        while (Queue.TryTakeLease(out LeaseRequest? request))
        {
            Lease(connection);
            if (request.TryComplete(connection))
            {
                return;
            }

            Lanes.TryEndLease(connection);
        }

        if (Queue.CommandCount > 0 && NeedsMoreShared)
        {
            Lanes.Shared.Add(connection);
            HasRoom(connection);
        }
        else if (IsToGivePlace || !Options.Pooling)
        {
            connection.Terminate();
            return;
        }
        else
        {
            Lanes.AddIdle(connection);
        }

        _clock.Start();
    }

    private void PlaceAtHand()
    {
        if (Lanes.TakeBackAtHand() is { } connection)
        {
            Place(connection);
        }
    }
}
