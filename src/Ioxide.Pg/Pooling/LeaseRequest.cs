using System.Threading.Tasks.Sources;

namespace Ioxide.Pg;

/// <summary>Somebody waits for a connection of its own. Threads: the reactor's.</summary>
internal sealed class LeaseRequest(ReactorPool pool, long queuedTick) : IValueTaskSource<ServerConnection>
{
    private ReactorAwaitable<ServerConnection> _answer = new() { ResumesWithoutContext = true };
    private CancellationTokenRegistration _registration;
    private ServerConnection? _connection;
    private Exception? _reason;

    internal long QueuedTick { get; } = queuedTick;

    /// <summary>It was given up, or has its answer.</summary>
    internal bool IsOver { get; private set; }

    internal ValueTask<ServerConnection> WaitAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.CanBeCanceled)
        {
            _registration = cancellationToken.UnsafeRegister(
                (state, token) => pool.Reactor.Enqueue(new WorkItem(
                    (request, _, _, _) =>
                    {
                        pool.Withdraw((LeaseRequest)request!);
                        ((LeaseRequest)request!).Fail(new OperationCanceledException(token));
                    },
                    state)),
                this);
        }

        return new ValueTask<ServerConnection>(this, _answer.Version);
    }

    /// <summary>False: it was given up in between.</summary>
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

    ServerConnection IValueTaskSource<ServerConnection>.GetResult(short token) => _answer.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<ServerConnection>.GetStatus(short token) => _answer.GetStatus(token);

    void IValueTaskSource<ServerConnection>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _answer.OnCompleted(continuation, state, token, flags);

    private void End()
    {
        IsOver = true;
        _registration.Unregister();

        // Later: the pool is in the middle of something, and what waits is application code.
        if (!pool.Reactor.TryEnqueue(new WorkItem(static (request, _, _, _) => ((LeaseRequest)request!).Tell(), this)))
        {
            Tell();
        }
    }

    private void Tell()
    {
        if (_reason is { } reason)
        {
            _answer.SetException(pool.Reactor, reason);
        }
        else
        {
            _answer.SetResult(pool.Reactor, _connection!);
        }
    }
}
