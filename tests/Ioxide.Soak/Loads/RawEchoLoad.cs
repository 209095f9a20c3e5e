using System.Net.Sockets;

namespace Ioxide.Soak;

/// <summary>Bytes to the raw listener and back, both ways at once, to the end or up to a reset.</summary>
internal sealed class RawEchoLoad(LoadSurroundings surroundings, int number, int seed)
    : Load(surroundings, "raw echo", number, seed)
{
    private const int BufferBytes = 32 * 1024;
    private const int MaxLengthBits = 20;

    private readonly byte[] _sending = new byte[BufferBytes];
    private readonly byte[] _receiving = new byte[BufferBytes];
    private bool _hasReceived;

    /// <summary>Between the last accept of the old listener and its close, the kernel may have completed a handshake.</summary>
    protected override bool MayBeTurnedAway => !_hasReceived;

    protected override async Task RunSessionAsync()
    {
        _hasReceived = false;
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        Lane.Use(socket);
        await socket.ConnectAsync(Target.Raw);
        long key = Random.NextInt64();
        int length = 1 + Random.Next(1 << Random.Next(1, MaxLengthBits + 1));
        int resetAt = Random.Next(8) == 0 ? Random.Next(length) : length;

        // Drawn here, because both directions run at once.
        int pieceBytes = Random.Next(1, BufferBytes + 1);
        Task sending = SendAsync(socket, key, length, pieceBytes);
        try
        {
            await ReceiveAsync(socket, key, resetAt);
            if (resetAt < length)
            {
                socket.LingerState = new LingerOption(true, 0);
                socket.Dispose();
                return;
            }

            await sending;
            socket.Shutdown(SocketShutdown.Send);
            if (await socket.ReceiveAsync(_receiving.AsMemory()) != 0)
            {
                Counters.AddWrongBytes(1, $"{Lane.Name}: more came back than was sent");
            }

            Counters.Answered(Name);
        }
        finally
        {
            // It ends with the socket, and what it says then is of no interest.
            socket.Dispose();
            await sending.ContinueWith(static sent => sent.Exception, TaskScheduler.Default);
        }
    }

    private async Task SendAsync(Socket socket, long key, int length, int pieceBytes)
    {
        for (int offset = 0; offset < length;)
        {
            int count = Math.Min(pieceBytes, length - offset);
            Pattern.Fill(_sending.AsSpan(0, count), key, offset);
            for (int sent = 0; sent < count;)
            {
                sent += await socket.SendAsync(_sending.AsMemory(sent, count - sent));
                Lane.Touch();
            }

            offset += count;
        }
    }

    private async Task ReceiveAsync(Socket socket, long key, int length)
    {
        for (int offset = 0; offset < length;)
        {
            int count = await socket.ReceiveAsync(_receiving.AsMemory(0, Math.Min(BufferBytes, length - offset)));
            Lane.Touch();
            if (count == 0)
            {
                throw new EndOfStreamException($"The echo ended after {offset} of {length} bytes.");
            }

            _hasReceived = true;
            Counters.AddWrongBytes(Pattern.Differences(_receiving.AsSpan(0, count), key, offset), $"{Lane.Name}, at {offset}");
            offset += count;
        }
    }
}
