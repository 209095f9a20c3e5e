using System.Net.Sockets;
using System.Text;

namespace Ioxide.Soak;

/// <summary>Connections that send a byte of a head now and then. The server ends them by its limit of time for a head.</summary>
internal sealed class Slowloris(LoadSurroundings surroundings) : Fault("slowloris", surroundings)
{
    private const int ConnectionCount = 100;
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(10);

    internal override async Task RunAsync(Random random)
    {
        Task[] drips = [.. Enumerable.Range(0, ConnectionCount).Select(_ => DripAsync())];
        await Task.WhenAll(drips);
    }

    private async Task DripAsync()
    {
        if (await TryConnectAsync() is not { } socket)
        {
            return;
        }

        using (socket)
        {
            byte[] head = Encoding.ASCII.GetBytes($"GET / HTTP/1.1\r\nX-Slow: {new string('x', 1000)}");
            long started = Environment.TickCount64;
            try
            {
                Task<int> ended = socket.ReceiveAsync(new byte[1000]);
                for (int i = 0; !ended.IsCompleted; i++)
                {
                    if (Environment.TickCount64 - started > s_limit.TotalMilliseconds)
                    {
                        Surroundings.Counters.AddHung("a slow head that the server did not end");
                        return;
                    }

                    await socket.SendAsync(head.AsMemory(i % head.Length, 1));
                    await Task.WhenAny(ended, Task.Delay(s_pause));
                }
            }
            catch (SocketException)
            {
                // Ended by the server, which is what should come.
            }
        }
    }
}
