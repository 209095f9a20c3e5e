using System.Net;
using Microsoft.AspNetCore.Connections;

namespace Ioxide.AspNetCore;

/// <summary>One end point that Kestrel is bound to.</summary>
internal sealed class IoxideConnectionListener : IConnectionListener
{
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
            // A reactor that a handler blocks cannot unbind in time. It does so when it turns again; Kestrel goes on and aborts.
        }

        _queue.Complete();
    }

    public async ValueTask DisposeAsync()
    {
        await UnbindAsync().ConfigureAwait(false);

        // Connections that nobody took would stay open for ever.
        while (await _queue.DequeueAsync(CancellationToken.None).ConfigureAwait(false) is { } connection)
        {
            connection.Abort();
            await connection.DisposeAsync().ConfigureAwait(false);
        }
    }
}
