using System.Net.WebSockets;
using System.Text;

namespace Ioxide.Soak;

/// <summary>Sessions that send as much as they get.</summary>
internal static class StreamLoads
{
    /// <summary>Bodies with a length and in chunks, sent in pieces of any size; the server checks each byte and tells.</summary>
    internal static void Upload(Worker worker)
    {
        const int UploadCount = 10;
        using Peer peer = worker.Connect();
        for (int i = 0; i < UploadCount && worker.Gate.IsOpen; i++)
        {
            long key = worker.Random.NextInt64();
            int length = worker.Random.Next(1 << worker.Random.Next(1, 22));
            bool isChunked = worker.Random.Next(2) == 0;
            string framing = isChunked ? "Transfer-Encoding: chunked" : $"Content-Length: {length}";
            peer.Send($"POST /check?key={key} HTTP/1.1\r\nHost: localhost\r\n{framing}\r\n\r\n");
            SendBody(worker.Random, peer, key, length, isChunked);
            string answer = peer.ReadText();
            if (answer != $"{length} -1")
            {
                throw new InvalidDataException($"Of {length} bytes the server says '{answer}'.");
            }

            worker.AddAnswer();
        }
    }

    /// <summary>Bytes to the runtime alone and back, both ways at once, to the end or up to a reset.</summary>
    internal static void RawEcho(Worker worker)
    {
        const int MaxLengthBits = 20;
        const int MaxPieceBytes = 32 * 1024;
        Random random = worker.Random;
        using Peer peer = worker.ConnectToRestarted(worker.Surroundings.Raw);
        long key = random.NextInt64();
        int length = 1 + random.Next(1 << random.Next(1, MaxLengthBits + 1));
        int resetAt = random.Next(8) == 0 ? random.Next(length) : length;
        int pieceBytes = random.Next(1, MaxPieceBytes + 1);
        Task sending = Crew.RunAsync(1, _ => peer.SendEcho(key, length, pieceBytes: pieceBytes));
        try
        {
            peer.ReadPart(key, length, resetAt);
            if (resetAt < length)
            {
                peer.Reset();
            }
            else
            {
                sending.GetAwaiter().GetResult();
                peer.Finish();
                peer.ExpectEnd();
                worker.AddAnswer();
            }
        }
        finally
        {
            // It ends with the connection, and what it says then is of no interest.
            peer.Dispose();
            Task.WhenAny(sending).Wait();
            Waits.Observe(sending);
        }
    }

    /// <summary>Messages that come back, then the closing handshake.</summary>
    internal static void WebSocket(Worker worker)
    {
        const int MessageCount = 200;
        const int MaxMessageBytes = 40 * 1024;
        using var limit = new CancellationTokenSource();
        using ClientWebSocket socket = new();
        limit.CancelAfter(Surroundings.PatienceMs);
        socket.ConnectAsync(new Uri($"ws://{worker.Surroundings.Main}/ws"), limit.Token).GetAwaiter().GetResult();
        for (int i = 0; i < MessageCount && worker.Gate.IsOpen; i++)
        {
            limit.CancelAfter(Surroundings.PatienceMs);
            int length = worker.Random.Next(1 + worker.Random.Next(MaxMessageBytes));
            EchoMessageAsync(socket, worker.Random.NextInt64(), length, limit.Token).GetAwaiter().GetResult();
            worker.AddAnswer();
        }

        limit.CancelAfter(Surroundings.PatienceMs);
        socket.CloseAsync(WebSocketCloseStatus.NormalClosure, null, limit.Token).GetAwaiter().GetResult();
    }

    private static void SendBody(Random random, Peer peer, long key, int length, bool isChunked)
    {
        const int MaxPieceBytes = 48 * 1024;
        byte[] piece = new byte[MaxPieceBytes];
        for (int offset = 0; offset < length;)
        {
            Span<byte> bytes = piece.AsSpan(0, Math.Min(random.Next(1, MaxPieceBytes + 1), length - offset));
            Payload.Fill(bytes, key, offset);
            offset += bytes.Length;
            if (isChunked)
            {
                peer.SendMore(Encoding.ASCII.GetBytes($"{bytes.Length:x}\r\n"));
            }

            peer.SendMore(bytes);
            if (isChunked)
            {
                peer.SendMore("\r\n"u8);
            }
        }

        if (isChunked)
        {
            peer.SendMore("0\r\n\r\n"u8);
        }
    }

    private static async Task EchoMessageAsync(ClientWebSocket socket, long key, int length, CancellationToken limit)
    {
        byte[] message = new byte[length + 1];
        Payload.Fill(message.AsSpan(0, length), key, 0);
        await socket.SendAsync(message.AsMemory(0, length), WebSocketMessageType.Binary, true, limit);
        for (int offset = 0; ;)
        {
            ValueWebSocketReceiveResult received = await socket.ReceiveAsync(message.AsMemory(), limit);
            int wrong = Payload.FirstDifference(message.AsSpan(0, received.Count), key, offset);
            offset += received.Count;
            if (received.MessageType != WebSocketMessageType.Binary || wrong >= 0 || (received.EndOfMessage && offset != length))
            {
                throw new InvalidDataException($"{received.MessageType}, {offset} bytes of {length}, byte {wrong} of the last {received.Count}.");
            }

            if (received.EndOfMessage)
            {
                return;
            }
        }
    }
}
