using System.Diagnostics;
using System.Net;

namespace Ioxide.Blocking;

/// <summary>
/// The latency of a quick endpoint over HTTP/2, while one in a hundred of the calls of another on the same connections computes for 2 s. The
/// load is a process of its own: it must not need the thread pool that the handlers compute on.
/// </summary>
internal static class BesideRare
{
    private const int Connections = 8;
    private static readonly TimeSpan s_learning = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan s_measured = TimeSpan.FromSeconds(40);

    internal static async Task RunAsync(int rounds)
    {
        Console.WriteLine(
            $"/ok on {Connections} connections for {s_measured.TotalSeconds} s, after {s_learning.TotalSeconds} s in which the endpoints are learned: requests, p50 / p99 / longest in ms");
        for (int round = 0; round < rounds; round++)
        {
            foreach (string transport in (string[])["sockets", "ioxide"])
            {
                Console.Write($"{transport,-8} ");
                await using BlockingServer server = await BlockingServer.StartAsync(transport, http2: true);
                using Process load = Process.Start(Environment.ProcessPath!, ["rare-load", server.Client.BaseAddress!.ToString()]);
                await load.WaitForExitAsync();
                if (load.ExitCode != 0)
                {
                    throw new InvalidOperationException($"The load ended with {load.ExitCode}.");
                }
            }
        }
    }

    internal static async Task LoadAsync(Uri address)
    {
        using var stop = new CancellationTokenSource();
        HttpClient[] clients = [.. Enumerable.Range(0, Connections).Select(_ => MakeClient(address))];
        Task rare = CallRareAsync(clients, stop.Token);
        _ = await MeasureAsync(clients, s_learning);
        List<double> latencies = await MeasureAsync(clients, s_measured);
        await stop.CancelAsync();
        await rare;
        Console.WriteLine(Latencies.Describe(latencies));
        Array.ForEach(clients, static client => client.Dispose());
    }

    private static HttpClient MakeClient(Uri address) => new(new SocketsHttpHandler { UseProxy = false })
    {
        BaseAddress = address,
        DefaultRequestVersion = HttpVersion.Version20,
        DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
    };

    /// <summary>25 calls per second, so one of 2 s begins every 4 s, whatever the answers of the earlier ones take.</summary>
    private static async Task CallRareAsync(HttpClient[] clients, CancellationToken stop)
    {
        List<Task> calls = [];
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(40));
        while (!stop.IsCancellationRequested)
        {
            _ = await timer.WaitForNextTickAsync(CancellationToken.None);
            calls.Add(clients[calls.Count % clients.Length].GetStringAsync(new Uri("/rare", UriKind.Relative), CancellationToken.None));
        }

        await Task.WhenAll(calls);
    }

    private static async Task<List<double>> MeasureAsync(HttpClient[] clients, TimeSpan duration)
    {
        List<double>[] all = await Task.WhenAll(clients.Select(client => Task.Run(() => MeasureAsync(client, duration))));
        return [.. all.SelectMany(static latencies => latencies)];
    }

    private static async Task<List<double>> MeasureAsync(HttpClient client, TimeSpan duration)
    {
        var latencies = new List<double>();
        long started = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(started) < duration)
        {
            long sent = Stopwatch.GetTimestamp();
            _ = await client.GetStringAsync(new Uri("/ok", UriKind.Relative));
            latencies.Add(Stopwatch.GetElapsedTime(sent).TotalMilliseconds);

            // Some thousand requests per second leave the server room.
            await Task.Delay(2);
        }

        return latencies;
    }
}
