using System.Diagnostics;

namespace Ioxide.Chaos;

/// <summary>
/// Ten thousand connections that keep alive and say nothing, beside some that say much. What each costs is measured in a process
/// of its own, so that the clients do not count: with Kestrel and, because its objects are apart, with the runtime alone.
/// </summary>
/// <remarks>Takes 7 s: ten thousand connections are opened.</remarks>
public class HeldConnectionTests
{
    private const int Threads = 16;
    private const int ReplyBytes = 100;
    private const double MostManagedBytesOfTransport = 4096;

    [Theory]
    [InlineData("kestrel")]
    [InlineData("raw")]
    public async Task IdleConnectionsHoldNoBufferAndNoneIsLostBesideBusyOnes(string kind)
    {
        OpenFiles.Require(ChaosScale.HeldConnections + ChaosScale.ActiveConnections);
        int seed = Seed.Print();
        await using ServerProcess host = await ServerProcess.StartAsync($"--sites={kind}:2", "--addresses=4");
        await Customers.RunAsync(host.EndPoints, ChaosScale.ActiveConnections, seed, 1.Seconds());
        await host.StatsWhereAsync(stats => stats.Connections == 0, 20.Seconds(), "the first load has left");
        HostStats start = await host.StatsAsync(collects: true);

        var held = new Peer[ChaosScale.HeldConnections];
        try
        {
            await Crew.ForEachAsync(held.Length, Threads, index =>
            {
                held[index] = Peer.Connect(host.EndPoints[index % host.EndPoints.Count]);
                held[index].Ask(Seed.KeyOf(seed, index), ReplyBytes);
            }).Within(60.Seconds(), "every connection had its first answer");
            HostStats resting = await host.StatsAsync(collects: true);
            Assert.Equal((0L, (long)held.Length), (resting.BuffersTaken, resting.Connections));
            double managed = (resting.ManagedBytes - start.ManagedBytes) / (double)held.Length;
            double resident = (resting.ResidentBytes - start.ResidentBytes) / (double)held.Length;
            Figures.Print(
                $"{kind}: {held.Length} idle connections, each {Figures.KiB(managed)} managed, "
                + $"{Figures.KiB(resident)} resident");

            LoadResult load = await Customers.RunAsync(host.EndPoints, ChaosScale.ActiveConnections, seed, ChaosScale.LoadSeconds.Seconds());
            Figures.Print($"{kind}: {ChaosScale.ActiveConnections} active beside them: {load}");
            load.AssertNoneFailed();
            await host.StatsWhereAsync(
                stats => stats.BuffersTaken == 0 && stats.Connections == held.Length,
                20.Seconds(), "only the idle ones are left");

            await Crew.ForEachAsync(held.Length, Threads, index => held[index].Ask(Seed.KeyOf(seed, index), ReplyBytes))
                .Within(60.Seconds(), "every idle connection answers again");
            if (kind == "raw")
            {
                Assert.True(managed <= MostManagedBytesOfTransport, $"{managed:F0} bytes an idle connection.");
            }
        }
        finally
        {
            foreach (Peer peer in held)
            {
                peer?.Dispose();
            }
        }

        long closed = Stopwatch.GetTimestamp();
        await host.AssertAtBaseAsync(start);
        Figures.Print($"{kind}: all closed {Stopwatch.GetElapsedTime(closed).TotalSeconds:F2} s after the last client");
    }
}
