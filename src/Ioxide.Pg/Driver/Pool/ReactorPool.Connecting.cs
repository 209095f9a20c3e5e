using System.Diagnostics;
using System.Runtime.ExceptionServices;

namespace Ioxide.Pg;

/// <summary>Opens connections: when, how many at once, and how waiters fail.</summary>
internal sealed partial class ReactorPool
{
    private int _connecting;
    private int _connectingShared;

    // Why the last attempt failed, until one succeeds.
    private Exception? _failure;
    private long _nextAttemptTick;

    // While the server is unreachable one attempt runs at a time. When it fails, all waiters fail.
    private int MaxConnecting => _failure is null ? Options.MaxConnectingPerReactor : 1;

    /// <summary>The server has just refused: the next attempt is not due yet.</summary>
    private bool IsRefused => _failure is not null && Reactor.NowTick() < _nextAttemptTick;

    /// <summary>No connection can serve a command before the next attempt: it gets the last cause.</summary>
    private bool IsHopeless => OpenCount == 0 && _connecting == 0 && IsRefused;

    /// <summary>No pool has a connection that a waiting lease could get.</summary>
    private bool HasNoneToLend => _total is null ? OpenCount == 0 && _connecting == 0 : _total.Taken == 0;

    /// <summary>The limits allow another connection.</summary>
    private bool CanGrow => OpenCount + _connecting < MaxConnections && _total is not { HasRoom: false };

    /// <summary>
    /// Opens connections up to the minimum of the options, and waits for those that are already being opened. Fails with the first that cannot be
    /// opened, or with the last cause if the next attempt is not due yet.
    /// </summary>
    internal async Task WarmUpAsync(CancellationToken cancellationToken)
    {
        long failures = Counters.ConnectFailures;
        while (OpenCount < MinConnections && !_isClosed)
        {
            if (IsRefused)
            {
                throw ConnectFailure.Again(_failure!);
            }

            if (OpenCount + _connecting < MinConnections)
            {
                if (_total?.TryTake() == false)
                {
                    return; // Other reactors have all connections that there may be.
                }

                using var ending = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _closing.Token);
                await ConnectAsync(isShared: false, ending.Token).ConfigureAwait(true);
                cancellationToken.ThrowIfCancellationRequested();
            }
            else
            {
                await Reactor.DelayAsync(TimeSpan.FromMilliseconds(2), cancellationToken).ConfigureAwait(true);
            }

            if (Counters.ConnectFailures != failures && _failure is { } failure)
            {
                ExceptionDispatchInfo.Throw(failure);
            }
        }

        if (_isClosed)
        {
            throw DataSource.ClosedError();
        }
    }

    /// <summary>Asks the server to cancel the connection's running command. Only a few run at once: each takes a server process.</summary>
    internal async Task<CancelOutcome> CancelAsync(ServerConnection connection, StartedSession session, RoundTrip roundTrip)
    {
        while (_cancels >= MaxCancels)
        {
            await Reactor.DelayAsync(TimeSpan.FromMilliseconds(5)).ConfigureAwait(true);
        }

        _cancels++;
        Counters.Cancels++;
        try
        {
            return await Connector.CancelAsync(this, connection, session, roundTrip).ConfigureAwait(true);
        }
        finally
        {
            _cancels--;
        }
    }

    private const int MaxCancels = 4;
    private int _cancels;

    private void StartConnecting(bool isShared)
    {
        if (_isClosed || _connecting >= MaxConnecting || !CanGrow || IsRefused || _total?.TryTake() == false)
        {
            return;
        }

        _ = ConnectAsync(isShared, _closing.Token);
    }

    private async Task ConnectAsync(bool isShared, CancellationToken cancellationToken)
    {
        Debug.Assert(SynchronizationContext.Current == Reactor.RuntimeContext);
        _connecting++;
        _connectingShared += isShared ? 1 : 0;
        ServerConnection? connection = null;
        Exception? failure = null;
        try
        {
            connection = _isClosed ? null : await Connector.OpenAsync(this, cancellationToken).ConfigureAwait(true);
        }
        catch (Exception exception)
        {
            failure = exception;
        }
        finally
        {
            _connecting--;
            _connectingShared -= isShared ? 1 : 0;
        }

        if (connection is null)
        {
            _total?.GiveBack(this);
        }

        if (connection is not null)
        {
            _open.Add(connection);
            _failure = null;
            Place(connection);
            ServeQueue();
        }
        else if (failure is not null && !cancellationToken.IsCancellationRequested)
        {
            ConnectFailed(failure);
        }
        else
        {
            // An abandoned attempt says nothing about the server. The next waiter gets its own attempt.
            ServeQueue();
        }
    }

    private void ConnectFailed(Exception failure)
    {
        if (_isClosed)
        {
            return;
        }

        _failure = failure;
        _nextAttemptTick = Reactor.NowTick() + (ConnectFailure.IsMendedByCaller(failure) ? 0 : (long)Options.ReconnectDelay.TotalMilliseconds);
        Counters.ConnectFailures++;
        DataSource.Log.ConnectFailed(Options, failure);

        // Whom no connection can serve fails with the cause at once, and not at the end of the wait.
        if (OpenCount == 0 && _connecting == 0)
        {
            RefuseCommands(failure);
        }

        if (HasNoneToLend)
        {
            RefuseLeases(failure);
        }

        if (Reactor.HasEnded)
        {
            // It opens no more connections.
            RefuseCommands(failure);
            RefuseLeases(failure);
            Close();
            return;
        }

        // Others wait for the pool's connections, or for the next attempt.
        _clock.Start();
    }

    /// <summary>Opens another connection for the waiters where the limits allow it.</summary>
    private void ServeQueue()
    {
        LendShared();
        if (_leases.Count > _connecting - _connectingShared)
        {
            StartConnecting(isShared: false);
        }

        if (_queue.Count > 0 && (UsableShared + _connectingShared < Options.SharedPerReactor || (_connecting == 0 && AreAllHeldUp)))
        {
            StartConnecting(isShared: true);
        }
    }

    private void KeepMinimum()
    {
        if (OpenCount + _connecting < MinConnections)
        {
            StartConnecting(isShared: false);
        }
    }
}
