using System.Net.Sockets;
using System.Text;

namespace Ioxide.Soak;

/// <summary>Many connections that send a part of a request, or all of it, and reset.</summary>
internal sealed class ResetBurst(LoadSurroundings surroundings) : Fault("resets", surroundings)
{
    private const int ConnectionCount = 300;

    internal override Task RunAsync(Random random)
    {
        int[] draws = [.. Enumerable.Range(0, ConnectionCount).Select(_ => random.Next())];
        return Task.WhenAll(draws.Select(async draw =>
        {
            if (await TryConnectAsync() is not { } socket)
            {
                return;
            }

            try
            {
                byte[] request = Encoding.ASCII.GetBytes(HttpConnection.GetText(draw, 50_000));
                await socket.SendAsync(request.AsMemory(0, draw % (request.Length + 1)));
            }
            catch (SocketException)
            {
                // The server was faster.
            }

            Reset(socket);
        }));
    }
}
