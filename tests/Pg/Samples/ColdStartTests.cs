using System.Diagnostics;
using System.Net;
using System.Text.RegularExpressions;

namespace Ioxide.Pg.Tests;

/// <summary>
/// <c>samples/Database</c> from a cold start under 64 connections, where processors are short: by a quota, and by other processes. It stays live, no
/// endpoint is demoted, and the log says what is short, at most once per minute.
/// </summary>
/// <remarks>
/// None of its handlers blocks, so whatever is said of one is wrong. No time is compared: what a request takes is the machine's affair. One doubt is
/// let pass, at Debug: beside other suites one run in five has a first request that seems to sleep for 30 to 70 ms. The thread itself waited for no
/// processor then. A holder of one of the runtime's locks may have, which nothing that the host tells of a thread shows.
/// Slow: where processors are short, a start takes 6 to 17 s.
/// </remarks>
[Once]
public sealed partial class ColdStartTests(ITestOutputHelper output)
{
    private const int ConnectionCount = 64;
    private const int RequestsPerConnection = 25;
    private const int BusyProcessCount = 30;

    private static readonly string[] s_paths = ["/db", "/queries?n=3", "/fortunes", "/async-db?min=10&max=50", "/items/1"];

    [Fact]
    public async Task WithAFifthOfAProcessorItStaysLiveAndBlamesNoHandler()
    {
        using CpuGroup? quota = CpuGroup.Make(processors: 0.2, out string missing);
        Assert.SkipWhen(quota is null, missing);
        await LoadAsync(quota!.Under);
        Assert.True(quota.Throttled > 10, $"The quota was used up {quota.Throttled} times.");
    }

    [Fact]
    public async Task BesideThirtyBusyProcessesItStaysLiveAndBlamesNoHandler()
    {
        List<Process> busy = [];
        try
        {
            for (int count = 0; count < BusyProcessCount; count++)
            {
                busy.Add(Process.Start("/bin/sh", ["-c", "while :; do :; done"]));
            }

            await LoadAsync(under: null);
        }
        finally
        {
            foreach (Process process in busy)
            {
                process.Kill();
                process.Dispose();
            }
        }
    }

    private async Task LoadAsync(string[]? under)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync<ColdStartTests>();
        long started = Stopwatch.GetTimestamp();
        await using DatabaseSample sample = await DatabaseSample.StartUnderAsync(
            under, $"Host=127.0.0.1;Port={server.Port};Username={PgUsers.Trust};Database={database};SSL Mode=Disable",
            ("Logging__LogLevel__Ioxide.AspNetCore", "Debug"));
        sample.Client.Timeout = Timeout.InfiniteTimeSpan;

        using var over = new CancellationTokenSource();
        Task<int> probes = ProbeAsync(sample.Client, over.Token);
        await Task.WhenAll(Enumerable.Range(0, ConnectionCount).Select(connection => SendAsync(sample.Client, connection))).Within(300.Seconds());
        await over.CancelAsync();
        int probeCount = await probes;

        string log = sample.Log;
        string[] shortages = [.. Shortage().Matches(log).Select(static match => match.Value)];
        string[] doubts = [.. Doubt().Matches(log).Select(static match => match.Value).Distinct()];
        output.WriteLine(
            $"{Stopwatch.GetElapsedTime(started).TotalSeconds:F0} s, {probeCount} probes\n{string.Join('\n', [.. shortages, .. doubts])}");
        Assert.True(probeCount > 0);
        Assert.DoesNotMatch(Blame(), log);
        Assert.InRange(doubts.Length, 0, 1);
        Assert.InRange(shortages.Length, 0, 1 + (int)Stopwatch.GetElapsedTime(started).TotalMinutes);
    }

    private static async Task SendAsync(HttpClient client, int connection)
    {
        for (int request = 0; request < RequestsPerConnection; request++)
        {
            using HttpResponseMessage answer = await client.GetAsync(s_paths[(connection + request) % s_paths.Length]);
            Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
            await answer.Content.ReadAsByteArrayAsync();
        }
    }

    private static async Task<int> ProbeAsync(HttpClient client, CancellationToken over)
    {
        int count = 0;
        for (; !over.IsCancellationRequested; count++)
        {
            using HttpResponseMessage answer = await client.GetAsync("/live", CancellationToken.None);
            string text = await answer.Content.ReadAsStringAsync(CancellationToken.None);
            Assert.True(answer.StatusCode == HttpStatusCode.OK && text == "Healthy", $"/live: {answer.StatusCode} {text}");
            await Task.Delay(100, CancellationToken.None);
        }

        return count;
    }

    /// <summary>1003, 1013, 1016, 1017 and 1019: all that name a handler or an endpoint for a stall.</summary>
    [GeneratedRegex("has been blocked for .*|is stuck: .*|(?<!may have )blocked reactor .*")]
    private static partial Regex Blame();

    /// <summary>1017: the endpoint runs on the pool until it has shown again that it does not block.</summary>
    [GeneratedRegex("may have blocked reactor [0-9]+ for [0-9]+ ms")]
    private static partial Regex Doubt();

    [GeneratedRegex("Reactor [0-9]+ had a processor for .*")]
    private static partial Regex Shortage();
}
