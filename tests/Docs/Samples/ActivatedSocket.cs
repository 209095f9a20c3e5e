using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Ioxide.Docs.Tests;

/// <summary>A listening socket that is passed to a process as systemd does: as descriptor 3, named by LISTEN_FDS and LISTEN_PID.</summary>
internal sealed partial class ActivatedSocket : IDisposable
{
    private const int SetDescriptorFlags = 2; // F_SETFD of fcntl(2).

    private readonly Socket _socket;

    private ActivatedSocket(Socket socket) => _socket = socket;

    internal IPEndPoint EndPoint => (IPEndPoint)_socket.LocalEndPoint!; // It is bound.

    /// <summary>Starts another command with the socket.</summary>
    internal string[] Command => ["bash", "-c", "exec 3<&$0 && LISTEN_PID=$$ LISTEN_FDS=1 exec \"$@\"", $"{_socket.SafeHandle.DangerousGetHandle()}"];

    internal static ActivatedSocket Listen()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        socket.Listen();
        Assert.Equal(0, Fcntl((int)socket.SafeHandle.DangerousGetHandle(), SetDescriptorFlags, 0));
        return new ActivatedSocket(socket);
    }

    public void Dispose() => _socket.Dispose();

    [LibraryImport("libc", EntryPoint = "fcntl")]
    private static partial int Fcntl(int descriptor, int command, int flags);
}
