using System.Collections.Concurrent;

namespace Ioxide.Http2.Tests;

/// <summary>The catalogue can fail: it is played to servers of a few lines that are wrong, and each case is no pass at one of them.</summary>
[Once]
public class WrongHttp2ServerTests
{
    [Fact]
    public async Task EachCaseIsNoPassAtAServerThatIsWrong()
    {
        ConcurrentDictionary<(WrongHttp2Kind Kind, string Id), bool> misses = new();
        foreach (WrongHttp2Kind kind in Enum.GetValues<WrongHttp2Kind>())
        {
            await using WrongHttp2Server server = new(kind);
            SpecPlayer player = new(server.EndPoint, 400.Milliseconds(), 100.Milliseconds());
            await Parallel.ForEachAsync(Http2Catalog.All.Values, new ParallelOptions { MaxDegreeOfParallelism = 32 }, async (played, _) =>
            {
                if ((await player.PlayAsync(played)).Score != Score.Pass)
                {
                    misses[(kind, played.Id)] = true;
                }
            });
        }

        Assert.Empty(Http2Catalog.All.Keys.Except(misses.Keys.Select(static miss => miss.Id)));

        // There, something comes in place of what must.
        IEnumerable<SpecCase> shaking = Http2Catalog.All.Values.Where(static played => played.ShakesHands);
        Assert.All(shaking, played => Assert.True(misses.ContainsKey((WrongHttp2Kind.Chatters, played.Id)), played.Id));
        AssertMisses(WrongHttp2Kind.TakesEverything, 90);
        AssertMisses(WrongHttp2Kind.IsMute, 140);
        AssertMisses(WrongHttp2Kind.EndsConnections, 45);
        AssertMisses(WrongHttp2Kind.OpensWithPing, 140);
        AssertMisses(WrongHttp2Kind.SaysWrongCodes, 140);

        void AssertMisses(WrongHttp2Kind kind, int least)
        {
            int count = misses.Keys.Count(miss => miss.Kind == kind);
            Assert.True(count >= least, $"A server that is wrong in the way '{kind}' misses {count} cases.");
        }
    }
}
