using System.Net.Sockets;

namespace Ioxide.Compare.Loads;

/// <summary>Connections that the driver holds beside a load.</summary>
internal abstract class HeldConnections : IDisposable
{
    private readonly List<Socket> _sockets;

    /// <exception cref="SocketException">Nobody listens there, or descriptors or ports have run out.</exception>
    protected HeldConnections(int port, int count, Action<Socket>? configure = null)
    {
        _sockets = new List<Socket>(count);
        try
        {
            while (_sockets.Count < count)
            {
                _sockets.Add(LoopbackSocket.Connect(port, configure));
            }
        }
        catch
        {
            Close();
            throw;
        }
    }

    protected IReadOnlyList<Socket> Sockets => _sockets;

    /// <exception cref="RefusedException">The server has ended some, so the load was not beside all of them.</exception>
    internal void Check()
    {
        int ended = _sockets.Count(static socket => !IsEstablished(socket));
        if (ended > 0)
        {
            throw new RefusedException($"The server ended {ended} of {_sockets.Count} held connections.");
        }
    }

    public virtual void Dispose() => Close();

    private void Close()
    {
        foreach (Socket socket in _sockets)
        {
            socket.Dispose();
        }
    }

    /// <summary>Reads the first byte of <c>struct tcp_info</c>.</summary>
    private static bool IsEstablished(Socket socket)
    {
        const int LevelTcp = 6;
        const int TcpInfo = 11;
        const byte Established = 1;
        Span<byte> state = stackalloc byte[1];
        return socket.GetRawSocketOption(LevelTcp, TcpInfo, state) == 1 && state[0] == Established;
    }
}
