using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;

namespace Ioxide.Files.Tests;

/// <summary>Takes the endpoints of one host that are to be served by the framework's sockets; the ring gets the others.</summary>
/// <remarks>So the ports of an application share everything but the transport.</remarks>
internal sealed class SocketsOrRing(SocketTransportFactory sockets, Func<EndPoint, bool> isOfSockets)
    : IConnectionListenerFactory, IConnectionListenerFactorySelector
{
    public bool CanBind(EndPoint endpoint) => isOfSockets(endpoint);

    public ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
        => sockets.BindAsync(endpoint, cancellationToken);
}
