using System.Net.WebSockets;

namespace Ioxide.Http2.Tests;

/// <summary>Messages of a WebSocket, which may come in pieces.</summary>
internal static class WebSocketMessages
{
    internal static async Task<byte[]> ReceiveWholeAsync(this WebSocket socket)
    {
        using MemoryStream message = new();
        byte[] buffer = new byte[10_000];
        while (true)
        {
            ValueWebSocketReceiveResult received = await socket.ReceiveAsync(buffer.AsMemory(), default);
            await message.WriteAsync(buffer.AsMemory(0, received.Count));
            if (received.EndOfMessage)
            {
                return message.ToArray();
            }
        }
    }
}
