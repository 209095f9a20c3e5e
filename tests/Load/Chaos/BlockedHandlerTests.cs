using System.Diagnostics;

namespace Ioxide.Chaos;

/// <summary>A handler that blocks its reactor for two seconds: reported, and nobody else's business.</summary>
public class BlockedHandlerTests
{
    private const int BlockedMs = 2_000;
    private const int Neighbours = 4;
    private const int ReplyBytes = 3_000;

    [Fact]
    public async Task ABlockedReactorIsReportedAndTheOtherGoesOn()
    {
        int seed = Seed.Print();
        await using ServerProcess host = await ServerProcess.StartAsync("--Ioxide:StallThreshold=00:00:00.2");
        ILookup<string, Peer> peers = ConnectToBoth(host);
        try
        {
            Peer[] blocked = [.. peers["0"].Take(Neighbours + 1)];
            Peer[] free = [.. peers["1"].Take(Neighbours)];
            long started = Stopwatch.GetTimestamp();
            blocked[0].Send($"GET /block?ms={BlockedMs} HTTP/1.1\r\nHost: localhost\r\n\r\n");
            await Waits.Eventually(() => Reports(host).Length > 0, 20.Seconds(), "the stall is reported");
            double reportedMs = Stopwatch.GetElapsedTime(started).TotalMilliseconds;
            for (int index = 1; index < blocked.Length; index++)
            {
                blocked[index].SendPattern(Seed.KeyOf(seed, index), ReplyBytes);
            }

            int answered = AskUntilUnblocked(blocked[0], free, seed);
            Assert.Equal("0", blocked[0].ReadText());
            double freedMs = Stopwatch.GetElapsedTime(started).TotalMilliseconds;
            for (int index = 1; index < blocked.Length; index++)
            {
                blocked[index].ReadReply(Seed.KeyOf(seed, index), ReplyBytes);
            }

            long stalls = (await host.StatsAsync()).Stalls;
            Figures.Print(
                $"blocked for {BlockedMs} ms: reported after {reportedMs:F0} ms, over after {freedMs:F0} ms, {stalls} stalls, "
                + $"{answered} answers of the other reactor meanwhile");
            Assert.True(answered >= Neighbours, $"{answered} answers.");
            Assert.True(stalls >= 1, "No stall was counted.");
            Assert.All(Reports(host), line => Assert.Contains("Reactor 0 ", line, StringComparison.Ordinal));
        }
        finally
        {
            foreach (Peer peer in peers.SelectMany(group => group))
            {
                peer.Dispose();
            }
        }
    }

    /// <summary>Connections by the reactor that they live on, enough on both.</summary>
    private static ILookup<string, Peer> ConnectToBoth(ServerProcess host)
    {
        const int MostConnections = 400;
        var peers = new List<(string Reactor, Peer Peer)>();
        while (peers.Count(each => each.Reactor == "0") <= Neighbours || peers.Count(each => each.Reactor == "1") < Neighbours)
        {
            Assert.True(peers.Count < MostConnections, "One reactor gets no connection.");
            Peer peer = Peer.Connect(host.EndPoint);
            peers.Add((peer.AskText("/where"), peer));
        }

        return peers.ToLookup(each => each.Reactor, each => each.Peer);
    }

    private static int AskUntilUnblocked(Peer blocked, Peer[] free, int seed)
    {
        int answered = 0;
        while (!blocked.HasInput)
        {
            for (int index = 0; index < free.Length; index++)
            {
                free[index].Ask(Seed.KeyOf(seed, 1000 + index), ReplyBytes);
                answered++;
            }
        }

        return answered;
    }

    /// <summary>A busy machine may stall a reactor, too, but not by this request.</summary>
    private static string[] Reports(ServerProcess host)
        => [.. host.Process.Lines.Where(line => line.Contains("GET /block", StringComparison.Ordinal))];
}
