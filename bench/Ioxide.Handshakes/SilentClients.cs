using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Ioxide.Handshakes;

/// <summary>Clients that send a part of a handshake and stay. Each leaves after a while, so that ports and descriptors last.</summary>
internal sealed class SilentClients(EndPoint server, byte[] bytes) : IDisposable
{
    // Longer than Kestrel's HandshakeTimeout.
    private static readonly TimeSpan s_stay = TimeSpan.FromSeconds(12);

    private readonly Queue<(Socket Socket, long Since)> _clients = new();

    internal int Opened { get; private set; }

    internal async Task OpenAsync(int count)
    {
        for (int index = 0; index < count; index++)
        {
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            socket.LingerState = new LingerOption(true, 0);
            _clients.Enqueue((socket, Stopwatch.GetTimestamp()));
            await socket.ConnectAsync(server);
            await socket.SendAsync(bytes);
            Opened++;
        }

        while (_clients.TryPeek(out (Socket Socket, long Since) oldest) && Stopwatch.GetElapsedTime(oldest.Since) > s_stay)
        {
            oldest.Socket.Dispose();
            _clients.Dequeue();
        }
    }

    /// <summary>Opens so many a second until the time is over.</summary>
    internal async Task OpenAtRateAsync(int perSecond, TimeSpan duration)
    {
        int before = Opened;
        long started = Stopwatch.GetTimestamp();
        for (TimeSpan elapsed = default; elapsed < duration; elapsed = Stopwatch.GetElapsedTime(started))
        {
            await OpenAsync((int)(elapsed.TotalSeconds * perSecond) - (Opened - before));
            await Task.Delay(10);
        }
    }

    public void Dispose()
    {
        foreach ((Socket socket, _) in _clients)
        {
            socket.Dispose();
        }
    }
}
