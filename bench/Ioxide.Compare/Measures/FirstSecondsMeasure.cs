using System.Net.Sockets;
using Ioxide.Compare.Loads;
using Ioxide.Compare.Servers;

namespace Ioxide.Compare.Measures;

/// <summary>What a processor second buys in each of a process's first seconds under full load: code is compiled and endpoints are proven meanwhile.</summary>
/// <remarks>Each round starts the server anew. A second is a load of its own, so that its requests are known; what connects again is part of it.</remarks>
internal sealed class FirstSecondsMeasure(Session session, ILoad load) : IMeasure
{
    private static readonly TimeSpan s_slice = TimeSpan.FromSeconds(1);

    private const int SumSeconds = 5;

    private int _launchCount;

    public async Task RunAsync(CancellationToken cancellation)
    {
        for (int number = 1; number <= session.Options.RoundCount; number++)
        {
            foreach (Side side in session.Sides)
            {
                try
                {
                    await session.RunRoundAsync(side, number, () => MeasureAsync(side, cancellation));
                }
                catch (Exception exception) when (exception is RefusedException or SocketException)
                {
                    session.Refuse(side, number, exception.Message);
                }
            }
        }
    }

    private async Task<Dictionary<Metric, double>> MeasureAsync(Side side, CancellationToken cancellation)
    {
        ServerPorts ports = ServerPorts.OfLaunch(_launchCount++);
        using ServerProcess server = await ServerProcess.StartAsync(
            side, ports, session.Command(side, ports, upstreamPort: 0), session.Options.ServerCpus, cancellation);
        var target = new LoadTarget(ports, session.Workload.Endpoint, session.ConnectionCount, session.Layout);
        var values = new Dictionary<Metric, double>();
        double cpuSeconds = 0;
        long requests = 0;
        for (int second = 1; second <= session.Options.FirstSeconds; second++)
        {
            double before = server.CpuSeconds;
            LoadResult result = await load.RunAsync(target, s_slice, cancellation);
            double used = Math.Max(0.01, server.CpuSeconds - before);
            server.CheckAlive();
            values[Metric.FirstSeconds[second - 1]] = result.Requests / used;
            cpuSeconds += used;
            requests += result.Requests;
            if (second == SumSeconds)
            {
                values[Metric.FirstFiveSeconds] = requests / cpuSeconds;
            }
        }

        return values;
    }
}
