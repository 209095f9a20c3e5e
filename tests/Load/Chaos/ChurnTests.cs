using System.Net;

namespace Ioxide.Chaos;

/// <summary>
/// Ten thousand connections, with IOXIDE_CHAOS=full a hundred thousand, of which most end badly. No byte may reach a stranger: each connection has bytes of its own
/// and checks all that it gets. Afterwards the server has what it had before.
/// </summary>
/// <remarks>Slow: a hundred thousand connections take 10 s, ten thousand one.</remarks>
public class ChurnTests
{
    [Fact]
    public async Task KestrelGivesEachConnectionItsOwnBytesAndIsAtBaseAfterwards()
    {
        int seed = Seed.Print();
        await using ServerProcess host = await ServerProcess.StartAsync("--addresses=4");

        // The first connections make what stays: compiled code, buffers, pools.
        await new Churn(host.EndPoints, ~seed, answersAfterFin: false).RunAsync(ChaosScale.ChurnConnections / 20);
        await host.StatsWhereAsync(stats => stats.Connections == 0, 20.Seconds(), "the first connections have left");
        HostStats start = await host.StatsAsync(collects: true);

        await new Churn(host.EndPoints, seed, answersAfterFin: false).RunAsync(ChaosScale.ChurnConnections);
        await host.AssertAtBaseAsync(start);
        HostStats end = await host.StatsAsync(collects: true);
        Figures.Print(
            $"accepted {end.Accepted - start.Accepted}, rearms {end.Rearms - start.Rearms}, above the warm base: "
            + $"managed {Figures.MiB(end.ManagedBytes - start.ManagedBytes)}, "
            + $"resident {Figures.MiB(end.ResidentBytes - start.ResidentBytes)}");
        Assert.Equal(ChaosScale.ChurnConnections, end.Accepted - start.Accepted);
    }

    [Fact]
    public async Task TheRuntimeAloneGivesEachConnectionItsOwnBytesAndLeavesNothing()
    {
        int seed = Seed.Print();
        await using ReactorFixture fixture = ReactorFixture.Start();
        IPEndPoint endPoint = await fixture.ListenToManyAsync(RawHttp.ServeAsync);
        await new Churn([endPoint], seed, answersAfterFin: true).RunAsync(ChaosScale.RawChurnConnections);
        await Waits.Eventually(() => fixture.Stats() is { Connections: 0, BuffersTaken: 0 }, 20.Seconds(), "all connections have left");
        Assert.Equal(ChaosScale.RawChurnConnections, fixture.Stats().Accepted);
    }
}
