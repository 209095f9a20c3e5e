using System.Net;
using System.Net.Sockets;

namespace Ioxide;

/// <summary>Opens the connections of an HTTP handler: on a ring where there is one, else by a socket as the handler itself does.</summary>
/// <param name="find">Finds the group, at each connect; null where the process has none.</param>
/// <param name="endPoint">Where every connection goes; null for the address of each request.</param>
internal sealed class OutboundReactors(Func<ReactorGroup?> find, EndPoint? endPoint)
{
    internal async ValueTask<Stream> ConnectAsync(SocketsHttpConnectionContext context, CancellationToken cancellationToken)
    {
        EndPoint target = endPoint ?? context.DnsEndPoint;
        if (find() is { } group)
        {
            try
            {
                return new RingConnectionStream(await group.ConnectAsync(target, null, cancellationToken).ConfigureAwait(false));
            }
            catch (SocketException error) when (endPoint is null)
            {
                // The handler adds the address to the message.
                throw new SocketException((int)error.SocketErrorCode);
            }
        }

        Socket socket = target is UnixDomainSocketEndPoint
            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
            : new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket.ConnectAsync(target, cancellationToken).ConfigureAwait(false);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
