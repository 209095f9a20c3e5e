namespace Ioxide.AspNetCore;

/// <summary>One end point that Kestrel is bound to.</summary>
internal sealed class IoxideConnectionListener : IConnectionListener
{
    private static readonly TimeSpan s_closePatience = TimeSpan.FromSeconds(1);

    private readonly AcceptQueue _queue;
    private readonly RingListener _listener;

    internal IoxideConnectionListener(RingListener listener, AcceptQueue queue, EndPoint endPoint)
    {
        _listener = listener;
        _queue = queue;
        EndPoint = endPoint;
    }

    public EndPoint EndPoint { get; }

    public ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
        => _queue.DequeueAsync(cancellationToken);

    public async ValueTask UnbindAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            await _listener.UnbindAsync().WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // Kestrel continues and aborts. What is not unbound yet follows.
        }

        _queue.Complete();
    }

    public async ValueTask DisposeAsync()
    {
        await UnbindAsync().ConfigureAwait(false);

        // Connections that were not accepted would stay open.
        List<Task> closing = [];
        while (await _queue.DequeueAsync(CancellationToken.None).ConfigureAwait(false) is IoxideConnectionContext connection)
        {
            connection.Abort();

            // One on a reactor that does not turn is closed when it turns, or with the process.
            closing.Add(connection.Reactor.WaitWhileTurningAsync(connection.DisposeAsync().AsTask(), s_closePatience));
        }

        await Task.WhenAll(closing).ConfigureAwait(false);
    }
}
