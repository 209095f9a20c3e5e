using System.Net.WebSockets;

namespace Ioxide.Soak;

/// <summary>Messages that come back, then the closing handshake.</summary>
internal sealed class WebSocketLoad(LoadSurroundings surroundings, int number, int seed)
    : Load(surroundings, "web socket", number, seed)
{
    private const int MessagesPerConnection = 200;
    private const int MaxMessageBytes = 40 * 1024;

    private readonly byte[] _message = new byte[MaxMessageBytes];

    protected override async Task RunSessionAsync()
    {
        using ClientWebSocket socket = new();
        Lane.Use(socket);
        await socket.ConnectAsync(new Uri($"ws://{Target.Main}/ws"), CancellationToken.None);
        for (int i = 0; i < MessagesPerConnection && Gate.IsOpen; i++)
        {
            long key = Random.NextInt64();
            int length = Random.Next(1 + Random.Next(MaxMessageBytes));
            Pattern.Fill(_message.AsSpan(0, length), key, 0);
            await socket.SendAsync(_message.AsMemory(0, length), WebSocketMessageType.Binary, true, CancellationToken.None);
            Lane.Touch();
            await ReadEchoAsync(socket, key, length);
            Counters.Answered(Name);
        }

        await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);
    }

    private async Task ReadEchoAsync(ClientWebSocket socket, long key, int length)
    {
        for (int offset = 0; ;)
        {
            ValueWebSocketReceiveResult received = await socket.ReceiveAsync(_message.AsMemory(), CancellationToken.None);
            Lane.Touch();
            if (received.MessageType != WebSocketMessageType.Binary)
            {
                throw new InvalidDataException("The server closed the WebSocket.");
            }

            Counters.AddWrongBytes(Pattern.Differences(_message.AsSpan(0, received.Count), key, offset), Lane.Name);
            offset += received.Count;
            if (received.EndOfMessage)
            {
                Counters.AddWrongBytes(Math.Abs(length - offset), $"{Lane.Name}: {offset} bytes came back of {length}");
                return;
            }
        }
    }
}
