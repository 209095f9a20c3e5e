using System.Net.Sockets;
using System.Text;

namespace Ioxide.Soak;

/// <summary>Connections that ask for much, read nothing, and reset after a while.</summary>
internal sealed class NeverReaders(LoadSurroundings surroundings) : Fault("never readers", surroundings)
{
    private const int ConnectionCount = 50;
    private const int Length = 8 * 1024 * 1024;
    private static readonly TimeSpan s_hold = TimeSpan.FromMilliseconds(1500);

    internal override async Task RunAsync(Random random)
    {
        Socket?[] sockets = await Task.WhenAll(Enumerable.Range(0, ConnectionCount).Select(_ => TryConnectAsync(4096)));
        foreach (Socket socket in sockets.OfType<Socket>())
        {
            await socket.SendAsync(Encoding.ASCII.GetBytes(HttpConnection.GetText(random.NextInt64(), Length)));
        }

        await Surroundings.Gate.PauseAsync(s_hold);
        foreach (Socket socket in sockets.OfType<Socket>())
        {
            Reset(socket);
        }
    }
}
