using System.Runtime.InteropServices;

namespace Ioxide.Pg;

/// <summary>The connections of one data source on one reactor. It shares nothing with other reactors but a total, if there is one.</summary>
/// <remarks>
/// <para>Two lanes. Shared connections take the short commands of all callers, pipelined, the one with the fewest in flight first.
/// Leased ones belong to a session, a stream or a COPY until it is over. An idle connection may go from one lane to the other.</para>
/// <para>Commands and leases wait first in, first out; the queue has a limit, and each wait a time limit.</para>
/// <para>Threads: the reactor's.</para>
/// </remarks>
internal sealed partial class ReactorPool : CommandTarget, IDisposable
{
    private readonly List<ServerConnection> _shared = [];
    private readonly List<ServerConnection> _idle = [];
    private readonly HashSet<ServerConnection> _leased = [];

    // All of them, and those that are closing.
    private readonly HashSet<ServerConnection> _open = [];
    private readonly ConnectionTotal? _total;
    private readonly LeaseQueue _leases;
    private readonly PoolClock _clock;
    private RoundTripQueue _queue;
    private readonly CancellationTokenSource _closing = new();
    private volatile bool _isClosed;
    private int _sessions;
    private int _isAsked;

    /// <param name="reactor">Its reactor.</param>
    /// <param name="dataSource">Its data source.</param>
    /// <param name="total">The limit on all pools of the data source together, or null.</param>
    internal ReactorPool(Reactor reactor, PgDataSource dataSource, ConnectionTotal? total = null)
        : base(reactor, dataSource)
    {
        Options = dataSource.Options;
        _total = total;
        _leases = total?.Leases ?? new LeaseQueue();
        MaxConnections = Options.MaxPerReactorOrTotal;
        MinConnections = Options.MinPerReactorOf(reactor.Group.Reactors.Count);
        _clock = new PoolClock(this);
    }

    /// <summary>The maximum number of connections, in both lanes; under a total, the most that it may have if other pools have none.</summary>
    internal int MaxConnections { get; }

    /// <summary>The maximum, such that the pools of a data source add up to its total.</summary>
    internal int ShareOfMax => _total?.ShareOf(this) ?? MaxConnections;

    /// <summary>The minimum number of connections.</summary>
    internal int MinConnections { get; }

    /// <summary>Open connections.</summary>
    internal int OpenCount => _shared.Count + _idle.Count + _leased.Count;

    /// <summary>Open connections that are idle.</summary>
    /// <remarks>Threads: any; a reading from another thread is a snapshot.</remarks>
    internal int IdleCount
    {
        get
        {
            int count = _idle.Count + (HasAtHand ? 1 : 0);
            foreach (ServerConnection? connection in CollectionsMarshal.AsSpan(_shared))
            {
                count += connection?.Pending == 0 ? 1 : 0;
            }

            return count;
        }
    }

    internal PgDataSourceOptions Options { get; }

    internal PoolCounters Counters { get; } = new();

    /// <summary>Whether session state is reset between users. A pooler runs each transaction in another session, where no state remains.</summary>
    internal bool Resets => Options.ResetOnReturn && !DataSource.Poolers.IsTransactional;

    /// <summary>Waiting commands, and the leases that this pool may serve.</summary>
    internal int QueueLength => _queue.Count + _leases.Count;

    /// <summary>The same, such that the pools of a data source add up: the leases under a total are counted once. Threads: any; a snapshot.</summary>
    internal int ShareOfQueue => _total is null || ReferenceEquals(_total.Pools[0], this) ? QueueLength : _queue.Count;

    /// <summary>It has a connection for a command, or may open one.</summary>
    /// <remarks>Threads: any; a reading from another thread is a snapshot.</remarks>
    internal bool CanServe => _total is null
        ? Sessions < MaxConnections
        : _shared.Count + _idle.Count > 0 || HasAtHand || (_total.HasRoom && Sessions < MaxConnections);

    /// <summary>Its connections may become free for a command. Threads: any, as <see cref="CanServe"/>.</summary>
    internal bool MayServeLater => OpenCount + _connecting > 0;

    /// <summary>Commands wait, and there is no connection. Threads: any, as <see cref="CanServe"/>.</summary>
    internal bool IsStarving => _queue.Count > 0 && !MayServeLater;

    /// <summary>It could do with a connection less, and another pool has commands and no place for one.</summary>
    private bool IsToGivePlace => _queue.Count == 0 && _total is { IsOneStarving: true };

    /// <summary>The number of sessions that are open or requested.</summary>
    /// <remarks>Threads: any.</remarks>
    internal int Sessions => Volatile.Read(ref _sessions);

    /// <summary>Counts a session from when its reactor is chosen, so that the next choice sees it.</summary>
    internal void SessionBegins() => Interlocked.Increment(ref _sessions);

    internal void SessionEnds() => Interlocked.Decrement(ref _sessions);

    internal override void Submit(RoundTrip roundTrip)
    {
        if (_isClosed)
        {
            Refuse(roundTrip, DataSource.ClosedError());
            return;
        }

        if (roundTrip is Command { Statement: { } statement } && RefusalOf(statement) is { } refusal)
        {
            Refuse(roundTrip, refusal);
            return;
        }

        ServerConnection? chosen = Choose();
        if (chosen is not null && _queue.Count > 0)
        {
            HasRoom(chosen);
        }

        if (chosen is not null && _queue.Count == 0 && CanTake(chosen))
        {
            chosen.Send(roundTrip);
            return;
        }

        if (IsHopeless)
        {
            Refuse(roundTrip, ConnectFailure.Again(_failure!));
            return;
        }

        if (_queue.Count + (_total is null ? _leases.Count : 0) >= Options.QueueLimit)
        {
            Refuse(roundTrip, QueueFull());
            return;
        }

        roundTrip.Stage = RoundTripStage.Waiting;
        roundTrip.Connection = null;
        roundTrip.QueuedTick = Reactor.NowTick();
        _queue.Enqueue(roundTrip);
        _clock.Start();
        PlaceAtHand();
        if (_total is not null && IsStarving)
        {
            _total.Wake(this);
        }
    }

    internal override void Cancel(RoundTrip roundTrip, Exception reason)
    {
        if (roundTrip.Stage == RoundTripStage.Waiting && roundTrip.Connection is null && _queue.Remove(roundTrip))
        {
            Refuse(roundTrip, reason);
            return;
        }

        base.Cancel(roundTrip, reason);
    }

    internal override void Ended(RoundTrip roundTrip)
    {
        Counters.Commands++;
        Counters.Errors += roundTrip.Error is null ? 0 : 1;
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

            return;
        }

        if (IsTooOld(connection))
        {
            Retire(connection);
            return;
        }

        if (_leases.Count > 0 && _shared.Remove(connection))
        {
            Place(connection);
            return;
        }

        if (IsToGivePlace && _shared.Remove(connection))
        {
            connection.Terminate();
            return;
        }

        HasRoom(connection);
        if (connection.Pending == 0 && _shared.Count > Options.SharedPerReactor && _shared.Remove(connection))
        {
            // It was taken because others were held up.
            Place(connection);
        }
    }

    /// <summary>An answer came: there is room for another command. Called by the connection.</summary>
    internal void HasRoom(ServerConnection connection)
    {
        if (_queue.Count == 0 || connection.IsLeased || !_shared.Contains(connection))
        {
            return;
        }

        while (CanTake(connection) && !connection.IsBroken && _queue.Dequeue() is { } roundTrip)
        {
            connection.Send(roundTrip);
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
            Refuse(roundTrip, reason);
        }
    }

    /// <summary>The connection is gone. Called by the connection, before its commands fail.</summary>
    internal void Lost(ServerConnection connection, Exception cause)
    {
        _shared.Remove(connection);
        _idle.Remove(connection);
        _leased.Remove(connection);
        Interlocked.CompareExchange(ref _atHand, null, connection);
        if (_open.Remove(connection))
        {
            _total?.GiveBack(this);
        }

        Counters.Closed++;
        DataSource.Log.Lost(connection.Endpoint, cause);
        if (!_isClosed)
        {
            ServeQueue();
            KeepMinimum();
        }
    }

    /// <summary>Closes idle connections now, and busy ones when they are returned.</summary>
    internal void Clear()
    {
        long now = Reactor.NowTick();
        PlaceAtHand();
        foreach (ServerConnection connection in (ServerConnection[])[.. _shared, .. _idle, .. _leased])
        {
            connection.RetireTick = Math.Min(connection.RetireTick, now);
            if (!connection.IsLeased && connection.Pending == 0)
            {
                Retire(connection);
            }
        }
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

        // On the thread pool: a password provider may have registered callbacks on the token.
        _ = _closing.CancelAsync();
        _clock.Stop();
        RefuseCommands(DataSource.ClosedError());
        RefuseLeases(DataSource.ClosedError());
        foreach (ServerConnection connection in (ServerConnection[])[.. _shared, .. _idle])
        {
            connection.Terminate();
        }
    }

    /// <summary>Closes the connections that <see cref="Close"/> left: busy and leased ones.</summary>
    internal void Abort()
    {
        Close();
        foreach (ServerConnection connection in (ServerConnection[])[.. _shared, .. _idle, .. _leased])
        {
            connection.Break(DataSource.ClosedError());
        }
    }

    /// <summary>The reactor ends.</summary>
    public void Dispose()
    {
        Abort();
        _closing.Dispose();
    }

    private bool IsTooOld(ServerConnection connection) => Reactor.NowTick() >= connection.RetireTick;

    private void Retire(ServerConnection connection)
    {
        _shared.Remove(connection);
        _idle.Remove(connection);
        connection.Terminate();
    }

    private ServerConnection Lease(ServerConnection connection)
    {
        connection.IsLeased = true;
        _leased.Add(connection);
        if (connection.IsTouched && Resets)
        {
            connection.SendReset();
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

        if (IsTooOld(connection) || _isClosed)
        {
            connection.Terminate();
            return;
        }

        while (_leases.TryDequeue(out LeaseRequest? request))
        {
            Lease(connection);
            if (request.TryComplete(connection))
            {
                return;
            }

            _leased.Remove(connection);
            connection.IsLeased = false;
        }

        if (_queue.Count > 0 && NeedsMoreShared)
        {
            _shared.Add(connection);
            HasRoom(connection);
        }
        else if (IsToGivePlace || !Options.Pooling)
        {
            connection.Terminate();
            return;
        }
        else
        {
            _idle.Add(connection);
        }

        _clock.Start();
    }

    private static void Refuse(RoundTrip roundTrip, Exception reason)
    {
        roundTrip.Fail(reason);
        Tell(roundTrip);
    }

    private static void Tell(RoundTrip roundTrip)
    {
        roundTrip.Complete();
        roundTrip.Release();
    }
}
