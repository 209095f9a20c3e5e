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

    /// <summary>Behind so many messages a connection is closed and another takes its place. Null: connections stay.</summary>
    internal int? MessagesPerConnection { get; init; }

    public Task<LoadResult> RunAsync(LoadTarget target, TimeSpan duration, CancellationToken cancellation)
        => Task.Factory.StartNew(
            () => Run(target, duration, cancellation),
            cancellation,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);

    private LoadResult Run(LoadTarget target, TimeSpan duration, CancellationToken cancellation)
    {
        var connections = new Dictionary<Socket, Connection>(target.ConnectionCount);
        try
        {
            for (int i = 0; i < target.ConnectionCount; i++)
            {
                Open(connections, target);
            }

            foreach (Socket socket in connections.Keys)
            {
                while (!connections[socket].Client.TryUpgrade())
                {
                }

                connections[socket].Next = Step.Echo;
            }

            return Echo(connections, target, duration, cancellation);
        }
        finally
        {
            foreach (Socket socket in connections.Keys)
            {
                socket.Dispose();
            }
        }
    }

    private void Open(Dictionary<Socket, Connection> connections, LoadTarget target)
    {
        Socket socket = LoopbackSocket.Connect(target.Ports.Http);
        var connection = new Connection(new WebSocketClient(socket, InFlight));
        connections.Add(socket, connection);
        connection.Client.RequestUpgrade(path);
    }

    private LoadResult Echo(
        Dictionary<Socket, Connection> connections, LoadTarget target, TimeSpan duration, CancellationToken cancellation)
    {
        var latencies = new LatencyHistogram();
        long started = Stopwatch.GetTimestamp();
        long echoCount = 0;
        foreach (Connection connection in connections.Values)
        {
            connection.Client.Send();
        }

        var readable = new List<Socket>(connections.Count);
        while (Stopwatch.GetElapsedTime(started) < duration)
        {
            cancellation.ThrowIfCancellationRequested();
            readable.Clear();
            readable.AddRange(connections.Keys);
            Socket.Select(readable, null, null, s_echoTimeout);
            if (readable.Count == 0)
            {
                throw new RefusedException($"No echo within {s_echoTimeout.TotalSeconds:0} s.");
            }

            foreach (Socket socket in readable)
            {
                Connection connection = connections[socket];
                if (connection.Next == Step.Upgrade)
                {
                    if (connection.Client.TryUpgrade())
                    {
                        connection.Next = Step.Echo;
                        connection.Client.Send();
                    }
                }
                else if (connection.Next == Step.End)
                {
                    if (connection.Client.TryEnd())
                    {
                        connections.Remove(socket);
                        socket.Dispose();
                        Open(connections, target);
                    }
                }
                else if (connection.Client.TryReceive(out TimeSpan latency))
                {
                    latencies.Add(latency);
                    echoCount += InFlight;
                    connection.EchoCount += InFlight;
                    if (connection.EchoCount >= MessagesPerConnection)
                    {
                        connection.Next = Step.End;
                        connection.Client.RequestClose();
                    }
                    else
                    {
                        connection.Client.Send();
                    }
                }
            }
        }

        double seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        return new LoadResult(echoCount, seconds, echoCount * WebSocketClient.MessageLengthBytes).With(latencies);
    }

    /// <summary>What a connection waits for.</summary>
    private enum Step
    {
        Upgrade,
        Echo,
        End,
    }

    private sealed class Connection(WebSocketClient client)
    {
        internal WebSocketClient Client { get; } = client;

        internal Step Next { get; set; }

        internal int EchoCount { get; set; }
    }
}
