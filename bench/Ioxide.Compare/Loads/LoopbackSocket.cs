using System.Net;
using System.Net.Sockets;

namespace Ioxide.Compare.Loads;

/// <summary>Makes the blocking sockets of the driver's own clients.</summary>
internal static class LoopbackSocket
{
    /// <summary>A server that says nothing for so long hangs; the socket then throws.</summary>
    private const int TimeoutMs = 30_000;

    /// <param name="port">Where the server listens.</param>
    /// <param name="configure">Sets what has to be set before the socket connects.</param>
    /// <exception cref="SocketException">Nobody listens there, or descriptors or ports have run out.</exception>
    internal static Socket Connect(int port, Action<Socket>? configure = null)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            NoDelay = true,
            ReceiveTimeout = TimeoutMs,
            SendTimeout = TimeoutMs,
        };
        try
        {
            configure?.Invoke(socket);
            socket.Connect(IPAddress.Loopback, port);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
