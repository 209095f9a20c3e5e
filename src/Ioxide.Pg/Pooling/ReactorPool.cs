using System.Globalization;
using System.Runtime.InteropServices;

namespace Ioxide.Pg;

/// <summary>The connections of one data source on one reactor. It shares nothing with other reactors.</summary>
/// <remarks>
/// <para>Two lanes. Shared connections take the short commands of all callers, pipelined, the one with the fewest in flight first.
/// Leased ones belong to a session, a stream or a COPY until it is over. An idle connection may go from one lane to the other.</para>
/// <para>Commands and leases wait first in, first out; the queue has a limit, and each wait a time limit.</para>
/// <para>Threads: the reactor's.</para>
/// </remarks>
internal sealed partial class ReactorPool : ConnectionPool, IPoolLevels, IDisposable
{
    private readonly List<ServerConnection> _shared = [];
    private readonly List<ServerConnection> _idle = [];
    private readonly HashSet<ServerConnection> _leased = [];
    private readonly Queue<LeaseRequest> _leaseQueue = new();
    private readonly PoolClock _clock;
    private OperationQueue _queue;
    private readonly CancellationTokenSource _closing = new();
    private bool _isClosed;
    private int _sessions;

    internal ReactorPool(Reactor reactor, IDataSource dataSource)
        : base(reactor, dataSource)
    {
        MaxConnections = Options.MaxPerReactorOf(reactor.Group.Reactors.Count);
        MinConnections = Options.MinPerReactorOf(reactor.Group.Reactors.Count);
        _clock = new PoolClock(this);
    }

    /// <summary>The maximum number of connections, in both lanes.</summary>
    public int MaxConnections { get; }

    /// <summary>The minimum number of connections.</summary>
    internal int MinConnections { get; }

    /// <summary>Open connections.</summary>
    public int OpenCount => _shared.Count + _idle.Count + _leased.Count;

    /// <summary>Open connections that are idle.</summary>
    /// <remarks>Threads: any; a reading from another thread is a snapshot.</remarks>
    public int IdleCount
    {
        get
        {
            int count = _idle.Count;
            foreach (ServerConnection? connection in CollectionsMarshal.AsSpan(_shared))
            {
                count += connection?.Pending == 0 ? 1 : 0;
            }

            return count;
        }
    }

    public override int QueueLength => _queue.Count + _leaseQueue.Count;

    /// <summary>Sessions have not taken all connections: one is left for callers from other threads.</summary>
    /// <remarks>Threads: any; a reading from another thread is a snapshot.</remarks>
    internal bool HasRoomForSession => Sessions < MaxConnections;

    /// <summary>The number of sessions that are open or requested.</summary>
    /// <remarks>Threads: any.</remarks>
    internal int Sessions => Volatile.Read(ref _sessions);

    /// <summary>Counts a session from when its reactor is chosen, so that the next choice sees it.</summary>
    internal void SessionBegins() => Interlocked.Increment(ref _sessions);

    internal void SessionEnds() => Interlocked.Decrement(ref _sessions);

    internal override void Submit(Operation operation)
    {
        if (_isClosed)
        {
            Refuse(operation, DataSource.ClosedError());
            return;
        }

        if (operation is Command { Statement: { } statement } && RefusalOf(statement) is { } refusal)
        {
            Refuse(operation, refusal);
            return;
        }

        ServerConnection? chosen = Choose();
        if (chosen is not null && _queue.Count > 0)
        {
            HasRoom(chosen);
        }

        if (chosen is not null && _queue.Count == 0 && CanTake(chosen))
        {
            chosen.Send(operation);
            return;
        }

        if (IsHopeless)
        {
            Refuse(operation, ConnectFailure.Again(_failure!));
            return;
        }

        if (QueueLength >= Options.QueueLimit)
        {
            Refuse(operation, QueueFull());
            return;
        }

        operation.Stage = OperationStage.Waiting;
        operation.Connection = null;
        operation.QueuedTick = Reactor.NowTick();
        _queue.Enqueue(operation);
        _clock.Start();
    }

    internal override void Cancel(Operation operation, Exception reason)
    {
        if (operation.Stage == OperationStage.Waiting && operation.Connection is null && _queue.Remove(operation))
        {
            Refuse(operation, reason);
            return;
        }

        base.Cancel(operation, reason);
    }

    internal override void Ended(Operation operation)
    {
        Counters.Commands++;
        Counters.Errors += operation.Error is null ? 0 : 1;
    }

    /// <summary>Leases a connection. <see cref="GiveBack"/> returns it.</summary>
    internal ValueTask<ServerConnection> LeaseAsync(CancellationToken cancellationToken)
    {
        using ContextScope scope = Reactor.EnterRuntime();
        if (_isClosed)
        {
            return ValueTask.FromException<ServerConnection>(DataSource.ClosedError());
        }

        if (_leaseQueue.Count == 0 && TakeIdleShared() is { } connection)
        {
            return new ValueTask<ServerConnection>(Lease(connection));
        }

        if (QueueLength >= Options.QueueLimit)
        {
            return ValueTask.FromException<ServerConnection>(QueueFull());
        }

        StartConnecting(isShared: false);
        if (IsHopeless)
        {
            return ValueTask.FromException<ServerConnection>(ConnectFailure.Again(_failure!));
        }

        var request = new LeaseRequest(this, Reactor.NowTick());
        _leaseQueue.Enqueue(request);
        _clock.Start();
        ValueTask<ServerConnection> wait = request.WaitAsync(cancellationToken);
        LendShared();
        return wait;
    }

    /// <summary>The caller has stopped waiting for its lease.</summary>
    internal void Withdraw(LeaseRequest request)
    {
        for (int i = _leaseQueue.Count; i > 0; i--)
        {
            LeaseRequest other = _leaseQueue.Dequeue();
            if (!ReferenceEquals(other, request))
            {
                _leaseQueue.Enqueue(other);
            }
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

    internal override void BecameIdle(ServerConnection connection)
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

        if (_leaseQueue.Count > 0 && _shared.Remove(connection))
        {
            Place(connection);
            return;
        }

        HasRoom(connection);
        if (connection.Pending == 0 && _shared.Count > Options.SharedPerReactor && _shared.Remove(connection))
        {
            // It was taken because others were held up.
            Place(connection);
        }
    }

    internal override void HasRoom(ServerConnection connection)
    {
        if (_queue.Count == 0 || connection.IsLeased || !_shared.Contains(connection))
        {
            return;
        }

        while (CanTake(connection) && !connection.IsBroken && _queue.Dequeue() is { } operation)
        {
            connection.Send(operation);
        }
    }

    internal override void Return(Operation operation, Exception reason)
    {
        if (operation.IsAbandoned)
        {
            operation.Release();
        }
        else if (operation.Connection is { IsLeased: false } && !_isClosed)
        {
            Submit(operation);
        }
        else
        {
            Refuse(operation, reason);
        }
    }

    /// <summary>Fails every waiter with the reason.</summary>
    private void RefuseAll(Exception reason)
    {
        while (_queue.Dequeue() is { } operation)
        {
            RefuseLater(operation, ConnectFailure.Again(reason));
        }

        while (_leaseQueue.TryDequeue(out LeaseRequest? request))
        {
            request.Fail(ConnectFailure.Again(reason));
        }
    }

    /// <summary>Fails the caller later: its code may block on the next operation.</summary>
    private void RefuseLater(Operation operation, Exception reason)
    {
        operation.Fail(reason);
        if (!Reactor.TryEnqueue(operation, static operation => Tell(operation)))
        {
            Tell(operation);
        }
    }

    internal override void Lost(ServerConnection connection, Exception cause)
    {
        _shared.Remove(connection);
        _idle.Remove(connection);
        _leased.Remove(connection);
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

        // On the thread pool: a password provider may have registered callbacks on the token.
        _ = _closing.CancelAsync();
        _clock.Stop();
        RefuseAll(DataSource.ClosedError());
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

        long oldest = Math.Min(_queue.Head?.QueuedTick ?? long.MaxValue, _leaseQueue.TryPeek(out LeaseRequest? request) ? request.QueuedTick : long.MaxValue);
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

        while (_leaseQueue.TryPeek(out LeaseRequest? request)
            && (request.IsOver || (request.QueuedTick < waitLimit && Options.QueueTimeout > TimeSpan.Zero)))
        {
            _leaseQueue.Dequeue();
            if (!request.IsOver)
            {
                Counters.QueueTimeouts++;
                request.Fail(WaitedTooLong());
            }
        }

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

        while (_leaseQueue.TryDequeue(out LeaseRequest? request))
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
        else
        {
            _idle.Add(connection);
        }

        _clock.Start();
    }

    private static void Refuse(Operation operation, Exception reason)
    {
        operation.Fail(reason);
        Tell(operation);
    }

    private static void Tell(Operation operation)
    {
        operation.Complete();
        operation.Release();
    }

    private PgPoolExhaustedException QueueFull() => new(string.Create(
        CultureInfo.InvariantCulture,
        $"{QueueLength} commands wait on reactor {Reactor.Id} for its {OpenCount} connections; that is the limit ({nameof(Options.QueueLimit)}). " +
        $"Answer with 503, or raise {nameof(Options.QueueLimit)} or {nameof(Options.MaxPerReactor)} ({MaxConnections})."));

    private PgPoolExhaustedException WaitedTooLong() => new(
        string.Create(
        CultureInfo.InvariantCulture,
        $"No connection became free on reactor {Reactor.Id} within {Options.QueueTimeout.TotalSeconds:0.###} s: {OpenCount} are open, " +
        $"{_leased.Count} of them leased. A session that is not disposed keeps its connection; else raise {nameof(Options.MaxPerReactor)}."),
        OpenCount == 0 ? _failure : null);
}
