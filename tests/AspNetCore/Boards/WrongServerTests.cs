using System.Collections.Concurrent;

namespace Ioxide.AspNetCore.Tests;

/// <summary>The catalogue can fail: it is played to servers of a few lines that are wrong, and each case is no pass at one of them.</summary>
[Once]
public class WrongServerTests
{
    private const string Ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK";

    // No judge is asked there: what came is no response.
    private const string SpeaksNoHttp = "speaks no HTTP";

    private static readonly Dictionary<string, Func<WrongServer>> s_servers = new()
    {
        ["takes everything"] = static () => new(Ok),
        ["takes what nobody sent"] = static () => new(Ok, greets: true),
        ["refuses everything"] = static () => new("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
        ["changes the protocol"] = static () => new("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
        ["is silent"] = static () => new(null),
        ["ends each connection"] = static () => new(null, closes: true),
        [SpeaksNoHttp] = static () => new("Good day."),
    };

    [Fact]
    public async Task EachCaseIsNoPassAtAServerThatIsWrong()
    {
        ConcurrentDictionary<string, int> misses = new();
        ConcurrentDictionary<string, bool> failed = new();
        foreach ((string name, Func<WrongServer> start) in s_servers)
        {
            await using WrongServer server = start();
            Prober prober = new(server.EndPoint, 500.Milliseconds(), 250.Milliseconds());
            await Parallel.ForEachAsync(Http1Catalog.All.Values, new ParallelOptions { MaxDegreeOfParallelism = 64 }, async (played, _) =>
            {
                if ((await prober.PlayAsync(played)).Score != Score.Pass)
                {
                    misses.AddOrUpdate(name, 1, static (_, count) => count + 1);
                    failed[played.Id] = failed.GetValueOrDefault(played.Id) || name != SpeaksNoHttp;
                }
            });
        }

        string[] neverMissed = [.. Http1Catalog.All.Keys.Where(id => !failed.GetValueOrDefault(id))];
        Assert.Empty(neverMissed);
        Assert.All(s_servers.Keys, name => AssertMisses(name, 40));
        AssertMisses("takes everything", 150);
        AssertMisses(SpeaksNoHttp, 200);

        void AssertMisses(string name, int least) => Assert.True(misses[name] >= least, $"A server that {name} misses {misses[name]} cases.");
    }
}
