namespace Ioxide.Pg;

/// <summary>A caller that waits to lease a connection. Threads: the reactor's.</summary>
internal sealed class LeaseRequest : ReactorAwaitable<ServerConnection>
{
    private readonly ReactorPool _pool;
    private CancellationTokenRegistration _registration;
    private ServerConnection? _connection;
    private Exception? _reason;

    internal LeaseRequest(ReactorPool pool, long queuedTick)
    {
        _pool = pool;
        QueuedTick = queuedTick;
        ResumesWithoutContext = true;
    }

    internal long QueuedTick { get; }

    /// <summary>It was abandoned or answered.</summary>
    internal bool IsOver { get; private set; }

    internal ValueTask<ServerConnection> WaitAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.CanBeCanceled)
        {
            _registration = cancellationToken.UnsafeRegister(
                (state, token) => _pool.Reactor.Enqueue(
                    (LeaseRequest)state!,
                    request =>
                    {
                        _pool.Withdraw(request);
                        request.Fail(new OperationCanceledException(token));
                    }),
                this);
        }

        return Task;
    }

    /// <summary>False: it was abandoned meanwhile.</summary>
    internal bool TryComplete(ServerConnection connection)
    {
        if (IsOver)
        {
            return false;
        }

        _connection = connection;
        End();
        return true;
    }

    internal void Fail(Exception reason)
    {
        if (!IsOver)
        {
            _reason = reason;
            End();
        }
    }

    private void End()
    {
        IsOver = true;
        _registration.Unregister();

        // Later, because the pool is in the middle of a change and this resumes application code.
        if (!_pool.Reactor.TryEnqueue(this, static request => request.Tell()))
        {
            Tell();
        }
    }

    private void Tell()
    {
        if (_reason is { } reason)
        {
            SetException(_pool.Reactor, reason);
        }
        else
        {
            SetResult(_pool.Reactor, _connection!);
        }
    }
}
