namespace Ioxide.Pg;

/// <summary>A caller that waits to lease a connection. Threads: any; the caller resumes on its own reactor.</summary>
internal sealed class LeaseRequest : ReactorAwaitable<ServerConnection>
{
    private readonly Reactor _reactor;
    private readonly LeaseQueue _queue;
    private CancellationTokenRegistration _registration;
    private ServerConnection? _connection;
    private Exception? _reason;
    private int _isOver;

    internal LeaseRequest(Reactor reactor, LeaseQueue queue, long queuedTick)
    {
        _reactor = reactor;
        _queue = queue;
        QueuedTick = queuedTick;
        Place = new LinkedListNode<LeaseRequest>(this);
        ResumesWithoutContext = true;
    }

    internal long QueuedTick { get; }

    /// <summary>Its place in the queue.</summary>
    internal LinkedListNode<LeaseRequest> Place { get; }

    /// <summary>Abandons it with the token. Call it before it is in the queue.</summary>
    internal void EndWith(CancellationToken cancellationToken)
    {
        if (cancellationToken.CanBeCanceled)
        {
            // After the reactor has ended, pools of others may still have it in their queue.
            _registration = cancellationToken.UnsafeRegister(
                static (state, token) =>
                {
                    var request = (LeaseRequest)state!;
                    request._reactor.EnqueueOrPool(WorkItem.Of(
                        request, new OperationCanceledException(token), static (request, reason) => request.Abandon(reason)));
                },
                this);
        }
    }

    /// <summary>False: it was abandoned meanwhile.</summary>
    internal bool TryComplete(ServerConnection connection)
    {
        if (!TryEnd())
        {
            return false;
        }

        _connection = connection;
        TellLater();
        return true;
    }

    /// <summary>False: it was abandoned or answered meanwhile.</summary>
    internal bool TryFail(Exception reason)
    {
        if (!TryEnd())
        {
            return false;
        }

        _reason = reason;
        TellLater();
        return true;
    }

    private void Abandon(OperationCanceledException reason)
    {
        _queue.Remove(this);
        TryFail(reason);
    }

    // Pools of several reactors may serve it, and its own may abandon it.
    private bool TryEnd() => Interlocked.Exchange(ref _isOver, 1) == 0;

    private void TellLater()
    {
        _registration.Unregister();

        // Later, because the pool is in the middle of a change and this resumes application code.
        if (!_reactor.TryEnqueue(this, static request => request.Tell()))
        {
            Tell();
        }
    }

    private void Tell()
    {
        if (_reason is { } reason)
        {
            SetException(_reactor, reason);
        }
        else
        {
            SetResult(_reactor, _connection!);
        }
    }
}
