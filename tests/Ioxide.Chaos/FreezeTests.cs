using System.Diagnostics;

namespace Ioxide.Chaos;

/// <summary>The whole server stops and goes on (SIGSTOP, SIGCONT), as a paused container or virtual machine does.</summary>
public class FreezeTests
{
    private const int NewcomersPerFreeze = 50;
    private const int ReplyBytes = 5_000;

    [Fact]
    public async Task NothingIsLostWhileTheServerIsFrozen()
    {
        int seed = Seed.Print();
        await using HostProcess host = await HostProcess.StartAsync("--Ioxide:ReactorCount=2");
        HostStats start = host.Stats();
        int sockets = host.OpenSockets();
        Load load = Load.Start(host.EndPoints, ChaosScale.ActiveConnections, seed);
        for (int freeze = 0; freeze < ChaosScale.Freezes; freeze++)
        {
            await Task.Delay(500.Milliseconds());
            var newcomers = new List<Peer>();
            try
            {
                await host.FreezeAsync();
                await FillAsync(host, newcomers, seed);
                int waiting = load.Waiting;
                int answered = load.Answered;
                Assert.True(waiting > 0, "No request was on its way.");
                host.Thaw();
                long thawed = Stopwatch.GetTimestamp();
                await Waits.Eventually(
                    () => load.Answered >= answered + waiting, 20.Seconds(), "those on their way are answered");
                for (int index = 0; index < newcomers.Count; index++)
                {
                    newcomers[index].ReadReply(Seed.KeyOf(seed, index), ReplyBytes);
                }

                Figures.Print(
                    $"{waiting} requests on their way and {newcomers.Count} newcomers were answered "
                    + $"{Stopwatch.GetElapsedTime(thawed).TotalMilliseconds:F0} ms after the freeze");
            }
            finally
            {
                host.Thaw();
                newcomers.ForEach(peer => peer.Dispose());
            }
        }

        LoadResult result = await load.StopAsync();
        Figures.Print($"{result}");
        result.AssertNoneFailed();
        await host.AssertAtBaseAsync(start, sockets, 20.Seconds());
    }

    /// <summary>Clients that come while nobody is there, for a second.</summary>
    private static async Task FillAsync(HostProcess host, List<Peer> newcomers, int seed)
    {
        for (int index = 0; index < NewcomersPerFreeze; index++)
        {
            newcomers.Add(Peer.Connect(host.EndPoint));
            newcomers[index].SendPattern(Seed.KeyOf(seed, index), ReplyBytes);
            await Task.Delay(20);
        }
    }
}
