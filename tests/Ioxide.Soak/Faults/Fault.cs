using System.Net.Sockets;

namespace Ioxide.Soak;

/// <summary>Something bad that happens to the server, and is over when the task completes.</summary>
internal abstract class Fault(string name, LoadSurroundings surroundings)
{
    internal string Name { get; } = name;

    protected LoadSurroundings Surroundings { get; } = surroundings;

    protected ServerProcess Server => Surroundings.Server;

    internal abstract Task RunAsync(Random random);

    /// <summary>A socket that is connected, or null where the server did not let it in.</summary>
    protected async Task<Socket?> TryConnectAsync(int receiveBufferBytes = 0)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        if (receiveBufferBytes > 0)
        {
            socket.ReceiveBufferSize = receiveBufferBytes;
        }

        try
        {
            await socket.ConnectAsync(Surroundings.Target.Main);
            return socket;
        }
        catch (SocketException)
        {
            // A fault is content with those that got in.
            socket.Dispose();
            return null;
        }
    }

    protected static void Reset(Socket socket)
    {
        socket.LingerState = new LingerOption(true, 0);
        socket.Dispose();
    }
}
