using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Ioxide.Pg;

/// <summary>Callers that wait for a connection of a pool: commands, and leases, which the pools under one total have in common.</summary>
/// <remarks>First in, first out, with a limit on the number and on each wait. Threads: the reactor's, unless a member says otherwise.</remarks>
internal sealed class PoolQueue(ReactorPool pool, ConnectionTotal? total)
{
    private readonly LeaseQueue _leases = total?.Leases ?? new LeaseQueue();
    private RoundTripQueue _commands;

    internal int CommandCount => _commands.Count;

    internal int LeaseCount => _leases.Count;

    /// <summary>Waiting commands, and the leases that this pool may serve. Threads: any; a snapshot.</summary>
    internal int Length => _commands.Count + _leases.Count;

    /// <summary>The same, such that the pools of a data source add up: the leases under a total are counted once. Threads: any; a snapshot.</summary>
    internal int ShareOfLength => total is null || ReferenceEquals(total.Pools[0], pool) ? Length : _commands.Count;

    internal bool TakesCommand => _commands.Count + (total is null ? _leases.Count : 0) < pool.Options.QueueLimit;

    // Under a total all reactors wait in one queue.
    internal bool TakesLease => Length < (long)pool.Options.QueueLimit * (total?.Pools.Length ?? 1);

    /// <summary>The tick by which the oldest wait is too long; the largest number if there is none, or no limit.</summary>
    internal long DueTick
        => pool.Options.QueueTimeout > TimeSpan.Zero
            && Math.Min(_commands.Head?.QueuedTick ?? long.MaxValue, _leases.OldestTick) is < long.MaxValue and var oldest
            ? oldest + (long)pool.Options.QueueTimeout.TotalMilliseconds + 1 : long.MaxValue;

    internal void Add(RoundTrip command)
    {
        command.Stage = RoundTripStage.Waiting;
        command.Connection = null;
        command.QueuedTick = pool.Reactor.NowTick();
        _commands.Enqueue(command);
    }

    internal ValueTask<ServerConnection> AddLeaseAsync(CancellationToken cancellationToken)
    {
        var request = new LeaseRequest(pool.Reactor, _leases, pool.Reactor.NowTick());

        // In this order: from the queue on another reactor may answer it, and ends the registration.
        request.EndWith(cancellationToken);
        _leases.Enqueue(request);
        return request.Task;
    }

    /// <summary>Takes the oldest command; or null.</summary>
    internal RoundTrip? TakeCommand() => _commands.Dequeue();

    internal bool TryTakeLease([NotNullWhen(true)] out LeaseRequest? request) => _leases.TryDequeue(out request);

    /// <summary>The caller has stopped waiting. False: the command is not here.</summary>
    internal bool Remove(RoundTrip command)
        => command is { Stage: RoundTripStage.Waiting, Connection: null } && _commands.Remove(command);

    /// <summary>Fails those who have waited too long.</summary>
    internal void Expire()
    {
        if (pool.Options.QueueTimeout <= TimeSpan.Zero)
        {
            return;
        }

        long waitLimit = pool.Reactor.NowTick() - (long)pool.Options.QueueTimeout.TotalMilliseconds;
        while (_commands.Head is { } oldest && oldest.QueuedTick < waitLimit)
        {
            _commands.Dequeue();
            pool.Counters.QueueTimeouts++;
            RefuseLater(oldest, WaitedTooLong());
        }

        while (_leases.TryDequeue(out LeaseRequest? request, waitLimit))
        {
            pool.Counters.QueueTimeouts += request.TryFail(WaitedTooLong()) ? 1 : 0;
        }
    }

    /// <summary>The pool serves no caller any more. Leases that other pools may serve go on waiting for them.</summary>
    internal void RefuseAll(Exception reason)
    {
        RefuseCommands(reason);
        if (total is null || pool.DataSource.HasEnded)
        {
            RefuseLeases(reason);
        }
    }

    /// <summary>Fails every waiting command with the reason.</summary>
    internal void RefuseCommands(Exception reason)
    {
        while (_commands.Dequeue() is { } command)
        {
            RefuseLater(command, ConnectFailure.Again(reason));
        }
    }

    /// <summary>Fails every waiting lease with the reason.</summary>
    internal void RefuseLeases(Exception reason)
    {
        while (_leases.TryDequeue(out LeaseRequest? request))
        {
            request.TryFail(ConnectFailure.Again(reason));
        }
    }

    internal PgPoolExhaustedException FullError() => new(string.Create(
        CultureInfo.InvariantCulture,
        $"{Length} callers wait for {Connections()}; that is the limit (Queue Limit, {nameof(PgDataSourceOptions.QueueLimit)}). " +
        $"Answer with 503, or raise it or {LimitName()}.{pool.DataSource.Holders}"));

    /// <summary>Fails the caller later: its code may block on the next round trip.</summary>
    private void RefuseLater(RoundTrip command, Exception reason)
    {
        command.Fail(reason);
        command.CompleteLater(pool.Reactor);
    }

    private PgPoolExhaustedException WaitedTooLong() => new(
        string.Create(
        CultureInfo.InvariantCulture,
        $"No connection became free within {pool.Options.QueueTimeout.TotalSeconds:0.###} s ({pool.Options.QueueTimeoutName}): there are " +
        $"{Connections()}. {Remedy()}{pool.DataSource.Holders}"),
        pool.OpenCount == 0 ? pool.Attempts.Failure : null,
        hasTimedOut: true);

    private string Remedy() => pool.OpenCount == 0 && pool.Attempts.Count > 0
        ? $"A server has not answered yet: each of its addresses may take as long as Timeout ({nameof(PgDataSourceOptions.ConnectTimeout)}). " +
            $"Lower that, or raise {pool.Options.QueueTimeoutName}."
        : $"A session or connection that is not disposed keeps its connection; else raise {LimitName()}.";

    private string Connections()
    {
        int open = total?.Pools.Sum(static pool => pool.OpenCount) ?? pool.OpenCount;
        int leased = total?.Pools.Sum(static pool => pool.Lanes.LeasedCount) ?? pool.Lanes.LeasedCount;
        int connecting = total?.Pools.Sum(static pool => pool.Attempts.Count) ?? pool.Attempts.Count;
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{open} open connections{(total is null ? $" on reactor {pool.Reactor.Id}" : "")}, {leased} of them "
                + $"leased{(connecting > 0 ? $", and {connecting} being opened" : "")}");
    }

    private string LimitName() => string.Create(
        CultureInfo.InvariantCulture,
        $"{(total is null ? $"Max Per Reactor ({nameof(PgDataSourceOptions.MaxPerReactor)})"
            : $"Maximum Pool Size ({nameof(PgDataSourceOptions.MaxConnections)})")}, which is {total?.Max ?? pool.MaxConnections}");
}
