using System.Net.Sockets;
using Ioxide.Compare.Loads;
using Ioxide.Compare.Servers;

namespace Ioxide.Compare.Measures;

/// <summary>What a connection costs in memory once it has done one request and waits for the next.</summary>
/// <remarks>A fresh server a round: memory that a process took once it seldom gives back.</remarks>
internal sealed class IdleMeasure(Session session) : IMeasure
{
    /// <summary>Connections that come and go first, so that code and pools exist before the first reading.</summary>
    private const int WarmupConnectionCount = 200;

    private static readonly TimeSpan s_settle = TimeSpan.FromSeconds(2);

    public async Task RunAsync(CancellationToken cancellation)
    {
        for (int number = 1; number <= session.Options.RoundCount; number++)
        {
            foreach (Side side in session.Sides)
            {
                session.Report(side, number, await MeasureAsync(side, cancellation));
            }
        }
    }

    private async Task<Dictionary<Metric, double>> MeasureAsync(Side side, CancellationToken cancellation)
    {
        ServerPorts ports = ServerPorts.OfServer(0);
        using ServerProcess server = await ServerProcess.StartAsync(
            side, ports, session.Command(side, ports, upstreamPort: 0), session.Options.ServerCpus, cancellation);
        using var stats = new HostStatsClient();
        Close(Open(ports, WarmupConnectionCount, cancellation));
        await stats.ReadAsync(server, cancellation);
        await Task.Delay(s_settle, cancellation);

        long residentBefore = server.ResidentBytes;
        List<Stream> connections = Open(ports, session.ConnectionCount, cancellation);
        try
        {
            await Task.Delay(s_settle, cancellation);
            long residentAfter = server.ResidentBytes;
            return new Dictionary<Metric, double>
            {
                [Metric.IdleBytesPerConnection] = (residentAfter - residentBefore) / (double)connections.Count,
                [Metric.IdleResidentMb] = residentAfter / 1e6,
            };
        }
        finally
        {
            Close(connections);
        }
    }

    private List<Stream> Open(ServerPorts ports, int connectionCount, CancellationToken cancellation)
    {
        var connections = new List<Stream>(connectionCount);
        try
        {
            for (int i = 0; i < connectionCount; i++)
            {
                cancellation.ThrowIfCancellationRequested();
                connections.Add(OneRequest.Do(ports, session.Workload.Endpoint));
            }

            return connections;
        }
        catch (Exception exception) when (exception is SocketException or IOException)
        {
            Close(connections);
            throw new RefusedException(
                $"{connections.Count} of {connectionCount} connections did a request, then: {exception.Message}");
        }
        catch
        {
            Close(connections);
            throw;
        }
    }

    private static void Close(List<Stream> connections)
    {
        foreach (Stream connection in connections)
        {
            connection.Dispose();
        }
    }
}
