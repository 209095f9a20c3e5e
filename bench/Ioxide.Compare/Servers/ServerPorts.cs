using System.Net;
using System.Net.Sockets;

namespace Ioxide.Compare.Servers;

/// <summary>The ports of one server: cleartext HTTP/1.1, then HTTPS, then cleartext HTTP/2.</summary>
internal readonly record struct ServerPorts(int Http)
{
    /// <summary>Below the range that the kernel hands out to clients, so that a load cannot take one.</summary>
    private const int First = 21000;

    private const int End = 29000;
    private const int PerServer = 4;
    private const int ServersPerRun = 32;
    private const int PerRun = ServersPerRun * PerServer;

    private static readonly int s_first = FindFree();

    internal int Https => Http + 1;

    internal int Http2 => Http + 2;

    internal static ServerPorts OfServer(int index) => new(s_first + (index * PerServer));

    /// <summary>
    /// Those of a server that is started behind others. The kernel takes a ring apart after its process has ended, and until then the port belongs to
    /// the one before.
    /// </summary>
    internal static ServerPorts OfLaunch(int number) => OfServer(number % ServersPerRun);

    /// <summary>The first of a run's ports, of which nobody listens on any; another run may be under way.</summary>
    private static int FindFree()
    {
        for (int first = First; first < End; first += PerRun)
        {
            if (Enumerable.Range(first, PerRun).All(IsFree))
            {
                return first;
            }
        }

        throw new RefusedException($"No {PerRun} ports in a row are free from {First} on.");
    }

    private static bool IsFree(int port)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            socket.Bind(new IPEndPoint(IPAddress.Loopback, port));
            return true;
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.AddressAlreadyInUse)
        {
            return false;
        }
    }
}
