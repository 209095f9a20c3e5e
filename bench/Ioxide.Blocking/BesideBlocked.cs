using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.Blocking;

/// <summary>The latency of a quick endpoint on eight connections of its own, while other handlers block.</summary>
internal static class BesideBlocked
{
    private const int Connections = 8;
    private static readonly byte[] s_request = "GET /ok HTTP/1.1\r\nHost: localhost\r\n\r\n"u8.ToArray();

    internal static async Task RunAsync(int seconds)
    {
        Console.WriteLine($"/ok on {Connections} connections for {seconds} s: requests, p50 / p99 / longest in ms");
        (string Name, string Path, int Count)[] cases =
        [
            ("nothing blocks", "", 0),
            ("1 handler in .Result", "/block", 1),
            ("64 handlers in .Result", "/block", 64),
            ("Thread.Sleep(1500), first run", "/sleep", 1),
            ("1.5 s of computing, first run", "/loop", 1),
            ("proven, then sleeps: first stall", "/turns", 1),
            ("proven, then sleeps: second stall", "/turns", 2),
        ];
        foreach ((string name, string path, int count) in cases)
        {
            foreach (string transport in (string[])["sockets", "ioxide"])
            {
                await MeasureAsync(transport, name, path, count, seconds);
            }
        }
    }

    private static async Task MeasureAsync(string transport, string name, string path, int count, int seconds)
    {
        await using BlockingServer server = await BlockingServer.StartAsync(transport);
        var endPoint = new IPEndPoint(IPAddress.Loopback, server.Client.BaseAddress!.Port);
        _ = await LoadAsync(endPoint, TimeSpan.FromSeconds(2));
        Task blocked = path == "/turns" ? await StallAsync(server, count) : AskAsync(server.Client, path, count);
        List<double> latencies = await LoadAsync(endPoint, TimeSpan.FromSeconds(seconds));
        await blocked;
        Console.WriteLine($"{name,-36} {transport,-8} {Latencies.Describe(latencies)}");
    }

    /// <summary>An endpoint earns its place, then begins to sleep; what runs when this returns is the stall of the number.</summary>
    private static async Task<Task> StallAsync(BlockingServer server, int number)
    {
        for (int i = 0; i < 200; i++)
        {
            await AskAsync(server.Client, "/turns", 1);
        }

        server.Sleeps = true;
        for (int stall = 1; stall < number; stall++)
        {
            await AskAsync(server.Client, "/turns", 1);
        }

        return AskAsync(server.Client, "/turns", 1);
    }

    private static Task<string[]> AskAsync(HttpClient client, string path, int count)
        => Task.WhenAll(Enumerable.Range(0, count).Select(_ => client.GetStringAsync(new Uri(path, UriKind.Relative))));

    private static async Task<List<double>> LoadAsync(IPEndPoint endPoint, TimeSpan duration)
    {
        List<double>[] all = await Task.WhenAll(Enumerable.Range(0, Connections).Select(_ => Task.Factory.StartNew(
            () => Load(endPoint, duration), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)));
        return [.. all.SelectMany(static latencies => latencies)];
    }

    /// <summary>A thread of its own and a blocking socket: the load must not need the thread pool, which may be starved.</summary>
    private static List<double> Load(IPEndPoint endPoint, TimeSpan duration)
    {
        using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        socket.Connect(endPoint);
        byte[] buffer = new byte[1024];
        var latencies = new List<double>();
        long started = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(started) < duration)
        {
            long sent = Stopwatch.GetTimestamp();
            socket.Send(s_request);
            int have = 0;
            while (!Encoding.ASCII.GetString(buffer, 0, have).EndsWith("\r\nok\r\n0\r\n\r\n", StringComparison.Ordinal)
                && !Encoding.ASCII.GetString(buffer, 0, have).EndsWith("\r\n\r\nok", StringComparison.Ordinal))
            {
                int read = socket.Receive(buffer, have, buffer.Length - have, SocketFlags.None);
                if (read == 0)
                {
                    throw new IOException("The server closed a connection of /ok.");
                }

                have += read;
            }

            latencies.Add(Stopwatch.GetElapsedTime(sent).TotalMilliseconds);

            // Some thousand requests per second leave the server room.
            Thread.Sleep(1);
        }

        return latencies;
    }
}
