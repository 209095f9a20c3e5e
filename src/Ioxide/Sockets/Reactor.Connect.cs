using System.Net;

namespace Ioxide;

/// <summary>Connections that a reactor opens.</summary>
public sealed partial class Reactor
{
    /// <summary>Opens a connection on this reactor. See <see cref="ReactorGroup.ConnectAsync"/>.</summary>
    /// <remarks>Threads: any. The connection lives on this reactor; the await goes on where its own context brings it.</remarks>
    public ValueTask<RingConnection> ConnectAsync(
        EndPoint endPoint, RingConnectionOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(endPoint);
        return ConnectOperation.StartAsync(this, endPoint, options ?? RingConnectionOptions.Default, cancellationToken);
    }
}
