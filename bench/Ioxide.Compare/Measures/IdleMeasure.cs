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

    private static readonly byte[] s_request = "GET /fixed HTTP/1.1\r\nHost: localhost\r\n\r\n"u8.ToArray();

    public async Task<IReadOnlyList<Round>> RunAsync(CancellationToken cancellation)
    {
        var rounds = new List<Round>();
        for (int number = 1; number <= session.Options.RoundCount; number++)
        {
            foreach (Side side in session.Sides)
            {
                var round = new Round(side, number, await MeasureAsync(side, cancellation));
                session.Report(round);
                rounds.Add(round);
            }
        }

        return rounds;
    }

    private async Task<Dictionary<Metric, double>> MeasureAsync(Side side, CancellationToken cancellation)
    {
        ServerPorts ports = ServerPorts.OfServer(0);
        using ServerProcess server = await ServerProcess.StartAsync(
            side, ports, session.Command(side, ports, upstreamPort: 0), session.Options.ServerCpus, cancellation);
        using var stats = new HostStatsClient();
        Close(Open(ports.Http, WarmupConnectionCount, cancellation));
        await stats.ReadAsync(server, cancellation);
        await Task.Delay(s_settle, cancellation);

        long residentBefore = server.ResidentBytes;
        List<Socket> connections = Open(ports.Http, session.ConnectionCount, cancellation);
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

    private static List<Socket> Open(int port, int connectionCount, CancellationToken cancellation)
    {
        var connections = new List<Socket>(connectionCount);
        try
        {
            for (int i = 0; i < connectionCount; i++)
            {
                cancellation.ThrowIfCancellationRequested();
                Socket socket = LoopbackSocket.Connect(port);
                connections.Add(socket);
                socket.Send(s_request);
                new ReplyReader(socket).Read();
            }

            return connections;
        }
        catch (SocketException exception)
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

    private static void Close(List<Socket> connections)
    {
        foreach (Socket connection in connections)
        {
            connection.Dispose();
        }
    }
}
