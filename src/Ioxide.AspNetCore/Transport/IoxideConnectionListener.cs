namespace Ioxide.AspNetCore;

/// <summary>One endpoint that Kestrel is bound to.</summary>
internal sealed class IoxideConnectionListener(RingListener listener, AcceptQueue queue) : IConnectionListener
{
    private static readonly TimeSpan s_closePatience = TimeSpan.FromSeconds(1);

    public EndPoint EndPoint => listener.EndPoint;

    public ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
        => queue.DequeueAsync(cancellationToken);

    public async ValueTask UnbindAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            await listener.UnbindAsync().WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // Kestrel continues and aborts. What is not unbound yet follows.
        }
        finally
        {
            queue.Complete();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await UnbindAsync().ConfigureAwait(false);

        // Connections that were not accepted would stay open.
        List<Task> closing = [];
        while (await queue.DequeueAsync(CancellationToken.None).ConfigureAwait(false) is IoxideConnectionContext connection)
        {
            connection.Abort();

            // One on a reactor that does not turn is closed when it turns, or with the process.
            closing.Add(connection.Reactor.WaitWhileTurningAsync(connection.DisposeAsync().AsTask(), s_closePatience));
        }

        await Task.WhenAll(closing).ConfigureAwait(false);
    }
}
