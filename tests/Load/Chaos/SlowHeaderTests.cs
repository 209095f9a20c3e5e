namespace Ioxide.Chaos;

/// <summary>Peers that send their request one byte a second, to hold what a server has few of. Their time is limited.</summary>
/// <remarks>Slow: the time for a head is 5 s.</remarks>
public class SlowHeaderTests
{
    private const int TimeoutSeconds = 3;

    [Fact]
    public async Task PeersThatDripTheirHeadAreClosedAtTheTimeoutAndOthersAreServed()
    {
        const int Others = 8;
        int seed = Seed.Print();
        await using ServerProcess host = await ServerProcess.StartAsync($"--headers-timeout={TimeoutSeconds}");
        HostStats start = await host.StatsAsync();
        Customers others = Customers.StartSteady(host.EndPoints, Others, seed);
        List<TimeSpan> closedAfter = await Task.Run(
            () => Drip.Run(host.EndPoint, ChaosScale.AbusivePeers, betweenBytes: 1.Seconds(), limit: (TimeoutSeconds + 15).Seconds()));
        LoadResult load = await others.StopAsync();
        Assert.Equal(ChaosScale.AbusivePeers, closedAfter.Count);
        Figures.Print(
            $"{closedAfter.Count} of {ChaosScale.AbusivePeers} drippers closed, timeout {TimeoutSeconds} s, "
            + $"first after {closedAfter.Min().TotalSeconds:F2} s, last after {closedAfter.Max().TotalSeconds:F2} s; others: {load}");
        load.AssertNoneFailed();
        await host.AssertAtBaseAsync(start);
    }
}
