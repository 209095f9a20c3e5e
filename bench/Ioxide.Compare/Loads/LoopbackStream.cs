using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using Ioxide.Compare.Servers;

namespace Ioxide.Compare.Loads;

/// <summary>Makes the blocking connections of the driver's own clients, over TLS where the workload is.</summary>
internal static class LoopbackStream
{
    /// <exception cref="SocketException">Nobody listens there, or descriptors or ports have run out.</exception>
    /// <exception cref="IOException">The handshake failed.</exception>
    internal static Stream Connect(ServerPorts ports, WorkloadEndpoint endpoint)
    {
        if (endpoint != WorkloadEndpoint.Https)
        {
            return new NetworkStream(LoopbackSocket.Connect(endpoint == WorkloadEndpoint.Http2 ? ports.Http2 : ports.Http), ownsSocket: true);
        }

        var network = new NetworkStream(LoopbackSocket.Connect(ports.Https), ownsSocket: true);
        try
        {
#pragma warning disable CA5359 // The server is a child of this program, and its certificate was made for this run.
            var secured = new SslStream(network, leaveInnerStreamOpen: false, static (_, _, _, _) => true);
#pragma warning restore CA5359
            secured.AuthenticateAsClient("localhost");
            return secured;
        }
        catch (AuthenticationException exception)
        {
            network.Dispose();
            throw new IOException(exception.Message, exception);
        }
        catch
        {
            network.Dispose();
            throw;
        }
    }
}
