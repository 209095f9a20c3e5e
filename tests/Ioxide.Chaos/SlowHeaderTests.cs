using System.Diagnostics;

namespace Ioxide.Chaos;

/// <summary>Peers that send their request one byte a second, to hold what a server has few of. Their time is limited.</summary>
public class SlowHeaderTests
{
    private const int TimeoutSeconds = 3;

    [Fact]
    public async Task PeersThatDripTheirHeadAreClosedAtTheTimeoutAndOthersAreServed()
    {
        const int Others = 8;
        int seed = Seed.Print();
        await using ChaosHost host = await ChaosHost.StartAsync(
            "--Ioxide:ReactorCount=2", $"--headers-timeout={TimeoutSeconds}");
        HostStats start = host.Stats();
        int sockets = host.OpenSockets();
        Load others = Load.Start(host.EndPoints, Others, seed);
        List<double> closedAfter = await DripAsync(host);
        LoadResult load = await others.StopAsync();
        Assert.Equal(ChaosScale.AbusivePeers, closedAfter.Count);
        Figures.Print(
            $"{closedAfter.Count} of {ChaosScale.AbusivePeers} drippers closed, timeout {TimeoutSeconds} s, "
            + $"first after {closedAfter.Min():F2} s, last after {closedAfter.Max():F2} s; others: {load}");
        load.AssertNoneFailed();
        await host.AssertAtBaseAsync(start, sockets, 20.Seconds());
    }

    /// <summary>Drips until every connection is closed or the limit is over.</summary>
    /// <returns>For each closed one, the seconds from its first byte.</returns>
    private static Task<List<double>> DripAsync(ChaosHost host) => Task.Run(async () =>
    {
        const int LimitSeconds = TimeoutSeconds + 15;
        const int LooksPerByte = 10;
        const string Head = "GET /pattern?key=1&length=1 HTTP/1.1\r\nHost: localhost\r\n";
        var open = new List<(Peer Peer, long Started)>();
        var closedAfter = new List<double>();
        try
        {
            for (int peer = 0; peer < ChaosScale.AbusivePeers; peer++)
            {
                open.Add((Peer.Connect(host.EndPoint), Stopwatch.GetTimestamp()));
                open[peer].Peer.Send(Head[..1]);
            }

            for (int look = 1; open.Count > 0 && look < LimitSeconds * LooksPerByte; look++)
            {
                await Task.Delay(1000 / LooksPerByte);
                foreach ((Peer peer, long started) in open.Where(each => IsClosedAfterDrip(each.Peer, look)).ToArray())
                {
                    closedAfter.Add(Stopwatch.GetElapsedTime(started).TotalSeconds);
                    open.Remove((peer, started));
                    peer.Dispose();
                }
            }
        }
        finally
        {
            open.ForEach(each => each.Peer.Dispose());
        }

        return closedAfter;

        static bool IsClosedAfterDrip(Peer peer, int look)
        {
            try
            {
                if (look % LooksPerByte == 0)
                {
                    int index = look / LooksPerByte % Head.Length;
                    peer.Send(Head[index..(index + 1)]);
                }
            }
            catch (System.Net.Sockets.SocketException exception) when (Peer.IsEnd(exception))
            {
                return true;
            }

            return peer.DropToEnd();
        }
    });
}
