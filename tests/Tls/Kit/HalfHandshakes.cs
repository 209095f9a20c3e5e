using System.Net.Sockets;

namespace Ioxide.Tls.Tests;

/// <summary>Clients that began and say no more, in the order in which the server met them.</summary>
internal sealed class HalfHandshakes : IDisposable
{
    private readonly List<Half> _all = [];

    internal int Count => _all.Count;

    internal Half this[int index] => _all[index];

    internal Half Last => _all[^1];

    /// <summary>Opens one, sends its bytes and waits until the server's handshake has seen them.</summary>
    internal async Task OpenAsync(TlsEcho echo, byte[] bytes)
    {
        int before = echo.BegunCount;
        Half half = new(await RawSocket.ConnectAsync(echo.EndPoint));
        _all.Add(half);
        await Waits.Eventually(() => echo.BegunCount == before + 1, Patience.Limit);
        long received = echo.Reactor.Snapshot().BytesReceived;
        await half.Socket.SendAllAsync(bytes);
        await Waits.Eventually(() => echo.Reactor.Snapshot().BytesReceived == received + bytes.Length, Patience.Limit);
        await echo.Reactor.RunAsync(static () => 0).Within(Patience.Limit);
    }

    public void Dispose() => _all.ForEach(static half => half.Socket.Dispose());

    internal sealed class Half(Socket socket)
    {
        internal Socket Socket { get; } = socket;

        /// <summary>Whether the server has neither closed nor reset it.</summary>
        internal bool IsOpen
        {
            get
            {
                // Readable without a byte is an end.
                Socket.Blocking = false;
                byte[] buffer = new byte[16 * 1024];
                int count;
                SocketError error;
                do
                {
                    count = Socket.Receive(buffer, SocketFlags.None, out error);
                }
                while (count > 0);
                return error == SocketError.WouldBlock;
            }
        }

        internal async Task WaitForAnswerAsync()
        {
            byte[] first = new byte[1];
            Assert.Equal(1, await Socket.ReceiveAsync(first, SocketFlags.Peek).Within(Patience.Limit, "the server's hello"));
            Assert.Equal(22, first[0]);
        }

        internal async Task WaitForEndAsync()
        {
            byte[] buffer = new byte[16 * 1024];
            try
            {
                while (await Socket.ReceiveAsync(buffer).Within(Patience.Limit, "the server ends the connection") > 0)
                {
                }
            }
            catch (SocketException exception) when (exception.SocketErrorCode == SocketError.ConnectionReset)
            {
                // Also an end.
            }
        }
    }
}
