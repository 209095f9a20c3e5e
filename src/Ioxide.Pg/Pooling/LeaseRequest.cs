namespace Ioxide.Pg;

/// <summary>Somebody waits for a connection of its own. Threads: the reactor's, but for the await.</summary>
internal sealed class LeaseRequest(long queuedTick)
{
    private readonly TaskCompletionSource<ServerConnection> _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private CancellationTokenRegistration _registration;

    internal long QueuedTick { get; } = queuedTick;

    /// <summary>It was given up, or has its answer.</summary>
    internal bool IsOver => _completion.Task.IsCompleted;

    internal ValueTask<ServerConnection> WaitAsync(ReactorPool pool, CancellationToken cancellationToken)
    {
        if (cancellationToken.CanBeCanceled)
        {
            _registration = cancellationToken.UnsafeRegister(
                (state, token) => pool.Reactor.Enqueue(new WorkItem(
                    (request, _, _, _) =>
                    {
                        pool.Withdraw((LeaseRequest)request!);
                        ((LeaseRequest)request!)._completion.TrySetException(new OperationCanceledException(token));
                    },
                    state)),
                this);
        }

        return new ValueTask<ServerConnection>(_completion.Task);
    }

    /// <summary>False: it was given up in between.</summary>
    internal bool TryComplete(ServerConnection connection)
    {
        _registration.Unregister();
        return _completion.TrySetResult(connection);
    }

    internal void Fail(Exception reason)
    {
        _registration.Unregister();
        _completion.TrySetException(reason);
    }
}
