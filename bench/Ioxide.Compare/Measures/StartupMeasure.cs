using System.Diagnostics;
using System.Net.Sockets;
using Ioxide.Compare.Loads;
using Ioxide.Compare.Servers;

namespace Ioxide.Compare.Measures;

/// <summary>From the start of the process to the first reply.</summary>
internal sealed class StartupMeasure(Session session) : IMeasure
{
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(30);

    private static readonly byte[] s_request = "GET /plaintext HTTP/1.1\r\nHost: localhost\r\n\r\n"u8.ToArray();

    private int _launchCount;

    public async Task RunAsync(CancellationToken cancellation)
    {
        // Round 0 brings the programs into the page cache and is not counted.
        for (int number = 0; number <= session.Options.RoundCount; number++)
        {
            foreach (Side side in session.Sides)
            {
                if (number == 0)
                {
                    await MeasureAsync(side, cancellation);
                    continue;
                }

                await session.RunRoundAsync(side, number, () => MeasureAsync(side, cancellation));
            }
        }
    }

    private async Task<Dictionary<Metric, double>> MeasureAsync(Side side, CancellationToken cancellation)
    {
        ServerPorts ports = ServerPorts.OfLaunch(_launchCount++);
        ServerCommand command = session.Command(side, ports, upstreamPort: 0);
        long started = Stopwatch.GetTimestamp();
        using ServerProcess server = ServerProcess.Launch(side, ports, command, session.Options.ServerCpus);
        server.AwaitReply(() => TryAsk(ports), s_timeout, cancellation);
        var values = new Dictionary<Metric, double>
        {
            [Metric.StartMs] = Stopwatch.GetElapsedTime(started).TotalMilliseconds,
            [Metric.StartCpuMs] = server.CpuSeconds * 1000,
            [Metric.StartResidentMb] = server.ResidentBytes / 1e6,
        };

        // What it runs on is checked after the clock was read.
        await server.WaitUntilReadyAsync(cancellation);
        using var stats = new HostStatsClient();
        await stats.ReadAsync(server, cancellation);
        return values;
    }

    private static bool TryAsk(ServerPorts ports)
    {
        Socket socket;
        try
        {
            socket = LoopbackSocket.Connect(ports.Http);
        }
        catch (SocketException)
        {
            return false;
        }

        using (socket)
        {
            socket.Send(s_request);
            new ReplyReader(socket).Read();
            return true;
        }
    }
}
