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
        int port = endpoint switch
        {
            WorkloadEndpoint.Https => ports.Https,
            WorkloadEndpoint.Http2 => ports.Http2,
            _ => ports.Http,
        };
        var network = new NetworkStream(LoopbackSocket.Connect(port), ownsSocket: true);
        return endpoint == WorkloadEndpoint.Https ? Secure(network) : network;
    }

    /// <summary>Runs the handshake and takes the stream over.</summary>
    /// <exception cref="IOException">The handshake failed.</exception>
    internal static SslStream Secure(Stream connection)
    {
#pragma warning disable CA5359 // The server is a child of this program, and its certificate was made for this run.
        var secured = new SslStream(connection, leaveInnerStreamOpen: false, static (_, _, _, _) => true);
#pragma warning restore CA5359
        try
        {
            secured.AuthenticateAsClient("localhost");
            return secured;
        }
        catch (AuthenticationException exception)
        {
            secured.Dispose();
            throw new IOException(exception.Message, exception);
        }
        catch
        {
            secured.Dispose();
            throw;
        }
    }
}
