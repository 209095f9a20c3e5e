using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.AspNetCore.Tests;

/// <summary>A server of WebSockets that the catalogue must not be content with.</summary>
/// <param name="takesAnything">It sends back each frame, however wrong; else it ends each connection once it is a WebSocket.</param>
internal sealed class WrongWebSocketServer(bool takesAnything) : IAsyncDisposable
{
    private readonly Socket _listener = RawSocket.Listen();

    internal EndPoint EndPoint => _listener.LocalEndPoint!;

    internal static WrongWebSocketServer Start(bool takesAnything)
    {
        WrongWebSocketServer server = new(takesAnything);
        Waits.Observe(server.ServeAsync());
        return server;
    }

    public ValueTask DisposeAsync()
    {
        _listener.Dispose();
        return default;
    }

    private async Task ServeAsync()
    {
        while (true)
        {
            Waits.Observe(ServeAsync(await _listener.AcceptAsync()));
        }
    }

    private async Task ServeAsync(Socket socket)
    {
        await using NetworkStream stream = new(socket, ownsSocket: true);
        string key = WebSocketLink.Field(await WebSocketLink.ReadHeadAsync(stream), "Sec-WebSocket-Key")!;
        await stream.WriteAsync(Encoding.ASCII.GetBytes(
            $"HTTP/1.1 101 Fine\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {WebSocketLink.Accept(key)}\r\n\r\n"));
        while (takesAnything)
        {
            byte[] head = new byte[2];
            await stream.ReadExactlyAsync(head);
            int lengthBytes = head[1] & 0x7f;
            byte[] more = new byte[lengthBytes switch { 126 => sizeof(ushort), 127 => sizeof(ulong), _ => 0 }];
            await stream.ReadExactlyAsync(more);
            lengthBytes = more.Length switch
            {
                sizeof(ushort) => BinaryPrimitives.ReadUInt16BigEndian(more),
                sizeof(ulong) => (int)BinaryPrimitives.ReadUInt64BigEndian(more),
                _ => lengthBytes,
            };
            byte[] mask = new byte[4];
            await stream.ReadExactlyAsync(mask);
            byte[] payload = new byte[lengthBytes];
            await stream.ReadExactlyAsync(payload);
            for (int index = 0; index < payload.Length; index++)
            {
                payload[index] ^= mask[index & 3];
            }

            bool isPing = (head[0] & 15) == WebSocketFrame.Ping;
            await stream.WriteAsync((byte[])[isPing ? (byte)(head[0] + 1) : head[0], (byte)(head[1] & 0x7f), .. more, .. payload]);
            if ((head[0] & 15) == WebSocketFrame.Close)
            {
                return;
            }
        }
    }
}
