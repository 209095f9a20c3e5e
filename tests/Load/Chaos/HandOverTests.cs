using System.Diagnostics;
using System.Net;

namespace Ioxide.Chaos;

/// <summary>
/// A new process takes over the port of an old one, again and again, under load: both listen for a moment (port sharing), then
/// the old one is asked to stop and answers what it has. No request may be lost.
/// </summary>
/// <remarks>Takes 12 s: each hand-over starts a process.</remarks>
public class HandOverTests
{
    private const int Clients = 16;

    [Fact]
    public async Task NoRequestIsLostWhenThePortChangesHands()
    {
        int seed = Seed.Print();
        using MigratingRequests migrating = MigratingRequests.TurnOn();
        Figures.Print($"net.ipv4.tcp_migrate_req is {(migrating.IsOn ? "on" : "off")}");
        ServerProcess current = await StartAsync(port: 0);
        IPEndPoint endPoint = current.EndPoint;
        Customers customers = Customers.Start(endPoint, Clients, seed);
        long started = Stopwatch.GetTimestamp();
        var slowest = TimeSpan.Zero;
        try
        {
            for (int handOver = 0; handOver < ChaosScale.HandOvers; handOver++)
            {
                ServerProcess old = current;
                current = await StartAsync(endPoint.Port);
                int answered = customers.Answered;
                await Waits.Eventually(() => customers.Answered > answered + Clients, 20.Seconds(), "both serve");
                long stopping = Stopwatch.GetTimestamp();
                await old.DisposeAsync();
                slowest = TimeSpan.FromTicks(Math.Max(slowest.Ticks, Stopwatch.GetElapsedTime(stopping).Ticks));
            }

            await Waits.Eventually(() => customers.Answered >= ChaosScale.HandOverRequests, 60.Seconds(), "there were enough requests");
        }
        finally
        {
            await customers.StopAsync();
            await current.DisposeAsync();
        }

        Figures.Print(
            $"{ChaosScale.HandOvers} hand-overs in {Stopwatch.GetElapsedTime(started).TotalSeconds:F1} s, the slowest stop "
            + $"{slowest.TotalSeconds:F2} s: {customers.Answered} requests answered, {customers.Failures.Count} failed, "
            + $"{customers.EndedUnanswered} crossed the end of an idle connection, {customers.EndedIdle} idle connections ended, "
            + $"{customers.Refused} connection attempts refused and repeated");
        Assert.True(customers.Failures.Count == 0, string.Join('\n', customers.Failures.Take(5)));

        // The old process ends each connection that is kept alive once.
        Assert.InRange(customers.EndedUnanswered + customers.EndedIdle, 0, ChaosScale.HandOvers * Clients / 2);
    }

    private static Task<ServerProcess> StartAsync(int port) => ServerProcess.StartAsync("--Ioxide:AllowPortSharing=true", $"--port={port}");
}
