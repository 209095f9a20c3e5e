using System.Diagnostics;

namespace Ioxide.Blocking;

/// <summary>24 requests at once to an endpoint that blocks: how long until the last one is answered.</summary>
internal static class BlockedRows
{
    private const int AtOnce = 24;
    private static readonly string[] s_paths = ["/result", "/getresult", "/lock", "/semaphore", "/self", "/write", "/read"];

    internal static async Task RunAsync(int rounds)
    {
        Console.WriteLine($"{AtOnce} requests at once, ms until the last is answered: min / median / max of {rounds} rounds");
        foreach (string path in s_paths)
        {
            var times = new Dictionary<string, List<double>> { ["sockets"] = [], ["ioxide"] = [] };
            for (int round = 0; round < rounds; round++)
            {
                foreach ((string transport, List<double> taken) in times)
                {
                    taken.Add(await MeasureAsync(transport, path));
                }
            }

            Console.WriteLine($"{path,-12} {string.Join("   ", times.Select(side => $"{side.Key} {Show(side.Value)}"))}");
        }
    }

    /// <summary>A new server per round: what it has learned must not help it.</summary>
    private static async Task<double> MeasureAsync(string transport, string path)
    {
        await using BlockingServer server = await BlockingServer.StartAsync(transport);
        for (int i = 0; i < 20; i++)
        {
            _ = await server.Client.GetStringAsync(new Uri("/ok", UriKind.Relative));
        }

        long started = Stopwatch.GetTimestamp();
        await Task.WhenAll(Enumerable.Range(0, AtOnce).Select(_ => AskAsync(server.Client, path)));
        return Stopwatch.GetElapsedTime(started).TotalMilliseconds;
    }

    private static async Task AskAsync(HttpClient client, string path)
    {
        var address = new Uri(path, UriKind.Relative);
        using var body = new ByteArrayContent(new byte[3_000_000]);
        using HttpResponseMessage response = path == "/read" ? await client.PostAsync(address, body) : await client.GetAsync(address);
        response.EnsureSuccessStatusCode();
        _ = await response.Content.ReadAsByteArrayAsync();
    }

    private static string Show(List<double> values)
    {
        values.Sort();
        return $"{values[0]:0} / {values[values.Count / 2]:0} / {values[^1]:0}";
    }
}
