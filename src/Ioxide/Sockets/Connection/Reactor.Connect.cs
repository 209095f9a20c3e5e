using System.Net;

namespace Ioxide;

/// <summary>Connections opened by a reactor.</summary>
public sealed partial class Reactor
{
    /// <summary>Opens a connection on this reactor. See <see cref="ReactorGroup.ConnectAsync"/>.</summary>
    /// <remarks>Threads: any. The connection belongs to this reactor; the await resumes in its own context.</remarks>
    public ValueTask<RingConnection> ConnectAsync(
        EndPoint endPoint, RingConnectionOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(endPoint);
        return ConnectOperation.StartAsync(this, endPoint, options ?? RingConnectionOptions.Default, cancellationToken);
    }
}
