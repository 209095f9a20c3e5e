using System.Diagnostics;
using System.Net.Sockets;

namespace Ioxide.Compare.Loads;

/// <summary>Keeps so many messages in flight on each connection: when the echoes of all are there, it sends as many again.</summary>
/// <remarks>One thread waits for all sockets at once: cheaper than a task a connection, so the server is the
/// limit.</remarks>
internal sealed class WebSocketLoad(string path) : ILoad
{
    private static readonly TimeSpan s_echoTimeout = TimeSpan.FromSeconds(10);

    /// <summary>Above 1 a batch is timed, not a message.</summary>
    internal int InFlight { get; init; } = 1;

    public Task<LoadResult> RunAsync(LoadTarget target, TimeSpan duration, CancellationToken cancellation)
        => Task.Factory.StartNew(
            () => Run(target, duration, cancellation),
            cancellation,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);

    private LoadResult Run(LoadTarget target, TimeSpan duration, CancellationToken cancellation)
    {
        var clients = new Dictionary<Socket, WebSocketClient>(target.ConnectionCount);
        try
        {
            for (int i = 0; i < target.ConnectionCount; i++)
            {
                Socket socket = LoopbackSocket.Connect(target.Ports.Http);
                clients.Add(socket, new WebSocketClient(socket, InFlight));
                clients[socket].Upgrade(path);
            }

            return Echo(clients, duration, cancellation);
        }
        finally
        {
            foreach (Socket socket in clients.Keys)
            {
                socket.Dispose();
            }
        }
    }

    private LoadResult Echo(
        Dictionary<Socket, WebSocketClient> clients, TimeSpan duration, CancellationToken cancellation)
    {
        var latencies = new LatencyHistogram();
        long started = Stopwatch.GetTimestamp();
        long echoCount = 0;
        foreach (WebSocketClient client in clients.Values)
        {
            client.Send();
        }

        var readable = new List<Socket>(clients.Count);
        while (Stopwatch.GetElapsedTime(started) < duration)
        {
            cancellation.ThrowIfCancellationRequested();
            readable.Clear();
            readable.AddRange(clients.Keys);
            Socket.Select(readable, null, null, s_echoTimeout);
            if (readable.Count == 0)
            {
                throw new RefusedException($"No echo within {s_echoTimeout.TotalSeconds:0} s.");
            }

            foreach (Socket socket in readable)
            {
                WebSocketClient client = clients[socket];
                if (client.TryReceive(out TimeSpan latency))
                {
                    latencies.Add(latency);
                    echoCount += InFlight;
                    client.Send();
                }
            }
        }

        double seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        return new LoadResult(echoCount, seconds, echoCount * WebSocketClient.MessageLengthBytes).With(latencies);
    }
}
