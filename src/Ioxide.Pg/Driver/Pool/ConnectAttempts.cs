using System.Diagnostics;
using System.Runtime.ExceptionServices;

namespace Ioxide.Pg;

/// <summary>Opens connections of a pool, and those for its cancel requests: when, and how many at once.</summary>
/// <remarks>While the server is unreachable one attempt runs at a time. Threads: the reactor's, unless a member says otherwise.</remarks>
internal sealed class ConnectAttempts(ReactorPool pool, ConnectionTotal? total) : IDisposable
{
    private const int MaxCancels = 4;

    private readonly CancellationTokenSource _closing = new();
    private int _cancels;

    /// <summary>Attempts that run. Threads: any; a snapshot.</summary>
    internal int Count { get; private set; }

    /// <summary>Those for the shared lane.</summary>
    internal int SharedCount { get; private set; }

    /// <summary>Why the last attempt failed, until one succeeds.</summary>
    internal Exception? Failure { get; private set; }

    internal long NextTick { get; private set; }

    /// <summary>The server has just refused: the next attempt is not due yet.</summary>
    internal bool IsRefused => Failure is not null && pool.Reactor.NowTick() < NextTick;

    /// <summary>The limits allow another connection.</summary>
    internal bool CanGrow => pool.OpenCount + Count < pool.MaxConnections && total is not { HasRoom: false };

    /// <summary>
    /// Opens connections up to the minimum of the options, and waits for those that are already being opened. Fails with the first that cannot be
    /// opened, or with the last cause if the next attempt is not due yet.
    /// </summary>
    internal async Task WarmUpAsync(CancellationToken cancellationToken)
    {
        long failures = pool.Counters.ConnectFailures;
        while (pool.OpenCount < pool.MinConnections && !pool.IsClosed)
        {
            if (IsRefused)
            {
                throw ConnectFailure.Again(Failure!);
            }

            if (pool.OpenCount + Count < pool.MinConnections)
            {
                if (total?.TryTake() == false)
                {
                    return; // Other reactors have all connections that there may be.
                }

                using var ending = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _closing.Token);
                await RunAsync(isShared: false, ending.Token).ConfigureAwait(true);
                cancellationToken.ThrowIfCancellationRequested();
            }
            else
            {
                await pool.Reactor.DelayAsync(TimeSpan.FromMilliseconds(2), cancellationToken).ConfigureAwait(true);
            }

            if (pool.Counters.ConnectFailures != failures && Failure is { } failure)
            {
                ExceptionDispatchInfo.Throw(failure);
            }
        }

        if (pool.IsClosed)
        {
            throw pool.DataSource.ClosedError();
        }
    }

    /// <summary>Opens another connection where the limits allow it.</summary>
    internal void Start(bool isShared)
    {
        if (!pool.IsClosed && CanGrow && !IsRefused && Count < (Failure is null ? pool.Options.MaxConnectingPerReactor : 1)
            && total?.TryTake() != false)
        {
            _ = RunAsync(isShared, _closing.Token);
        }
    }

    internal void KeepMinimum()
    {
        if (pool.OpenCount + Count < pool.MinConnections)
        {
            Start(isShared: false);
        }
    }

    /// <summary>Closes a shared connection that is too old and never idle, once a free one can take its place.</summary>
    internal void ReplaceBusy()
    {
        if (pool.Lanes.Shared.FindTooOld() is not { } busy)
        {
            return;
        }

        if (pool.Lanes.FreeCount > 0)
        {
            pool.Lanes.Retire(busy);
        }
        else if (Count == 0)
        {
            Start(isShared: false);
        }
    }

    /// <summary>Asks the server to cancel the connection's running command. Only a few run at once: each takes a server process.</summary>
    internal async Task<CancelOutcome> CancelAsync(ServerConnection connection, RoundTrip roundTrip)
    {
        while (_cancels >= MaxCancels)
        {
            await pool.Reactor.DelayAsync(TimeSpan.FromMilliseconds(5)).ConfigureAwait(true);
        }

        _cancels++;
        pool.Counters.Cancels++;
        try
        {
            return await Connector.CancelAsync(pool, connection, roundTrip).ConfigureAwait(true);
        }
        finally
        {
            _cancels--;
        }
    }

    /// <summary>Abandons what runs, on the thread pool: a password provider may have registered callbacks on the token.</summary>
    internal void Close() => _ = _closing.CancelAsync();

    public void Dispose() => _closing.Dispose();

    private async Task RunAsync(bool isShared, CancellationToken cancellationToken)
    {
        Debug.Assert(SynchronizationContext.Current == pool.Reactor.RuntimeContext);
        Count++;
        SharedCount += isShared ? 1 : 0;
        ServerConnection? connection = null;
        Exception? failure = null;
        try
        {
            connection = await Connector.OpenAsync(pool, cancellationToken).ConfigureAwait(true);
        }
        catch (Exception exception)
        {
            failure = exception;
        }
        finally
        {
            Count--;
            SharedCount -= isShared ? 1 : 0;
        }

        if (connection is not null)
        {
            Failure = null;
            pool.Opened(connection);
            return;
        }

        total?.GiveBack(pool);
        if (cancellationToken.IsCancellationRequested)
        {
            // An abandoned attempt says nothing about the server. The next waiter gets its own attempt.
            pool.ServeQueue();
        }
        else if (!pool.IsClosed)
        {
            Failure = failure!;
            NextTick = pool.Reactor.NowTick()
                + (ConnectFailure.IsMendedByCaller(Failure) ? 0 : (long)pool.Options.ReconnectDelay.TotalMilliseconds);
            pool.Counters.ConnectFailures++;
            pool.DataSource.Log.ConnectFailed(pool.Options, Failure);
            pool.ConnectFailed(Failure);
        }
    }
}
