namespace Ioxide.BadNetwork;

/// <summary>A process at either end stops for seconds and goes on (SIGSTOP, SIGCONT), as a paused container or a suspended laptop does.</summary>
[OnRequest("eng/bad-network.sh")]
public class SuspendedTests
{
    private const int DownloadBytes = 60_000_000;

    /// <summary>More than an answer may be ahead of a client that does not read, and less than the answer.</summary>
    private const int MostGrowthBytes = 30_000_000;

    private static readonly TimeSpan s_pause = 3.Seconds();

    public static TheoryData<Subject> Servers => Extent.Rows(Extent.Servers, Subject.Http1);

    public static TheoryData<Subject> Clients => Extent.Rows(Extent.Clients, Subject.Outbound);

    [Theory, MemberData(nameof(Servers))]
    public Task AClientThatStopsHoldsUpItsAnswerAndNoMemory(Subject subject) => Beside.OnLoopbackAsync("suspended client", subject, async stage =>
    {
        long before = stage.Process.ResidentBytes();
        await using Download download = await Download.StartAsync(stage, subject, DownloadBytes);
        await download.Process.FreezeAsync();
        await Task.Delay(s_pause);
        long after = stage.Process.ResidentBytes();
        Assert.True(after - before < MostGrowthBytes, $"{stage.Side} grew from {before} to {after} bytes.");
        download.Process.Signal(Signals.Continue);
        return $"{await download.EndAsync()}, {await stage.UntilSeenAsync("down:")}";
    });

    /// <summary>Limits are of one second, so that those of what the server could not do are over when it goes on.</summary>
    [Theory, MemberData(nameof(Servers))]
    public Task AServerThatStopsAnswersWhenItGoesOn(Subject subject) => Beside.OnLoopbackAsync("suspended server", subject, async stage =>
    {
        using HttpClient client = stage.CreateClient(subject);
        using var content = new HeldContent(1, 100_000);
        Task<HttpResponseMessage> sending = client.PostAsync(new Uri("/up?key=1", UriKind.Relative), content);
        await content.Half.Within(20.Seconds());
        await stage.UntilRunningAsync();
        await stage.Process.FreezeAsync();

        // The rest of the body and another request wait in the kernel meanwhile.
        content.Release();
        using var exchange = new Exchange(stage, subject);
        Task<string> asking = exchange.DownAsync(2, 100_000);
        await Task.Delay(s_pause);
        stage.Process.Signal(Signals.Continue);
        using HttpResponseMessage response = await sending.Within(20.Seconds());
        return $"{await response.Content.ReadAsStringAsync()}, {await asking.Within(20.Seconds())}";
    }, isImpatient: true);

    /// <summary>A client whose own process stops while its answer is on the way goes on where it was, unless its limit is over.</summary>
    [Theory, MemberData(nameof(Clients))]
    public Task AClientOfOursThatStopsGoesOn(Subject subject) => Beside.OnLoopbackAsync("suspended caller", subject, async stage =>
    {
        using var exchange = new Exchange(stage, subject);
        FaultProxy proxy = subject == Subject.Pg ? stage.Database : stage.Upstream;
        proxy.SetFaults(ProxyFault.StallAfter(Direction.ToClient, 100_000));
        Task<string> asking = exchange.DownAsync(1, DownloadBytes / 2);
        await Waits.Eventually(() => proxy.Links[^1].Forwarded(Direction.ToClient) == 100_000, 20.Seconds(), "the answer has begun");
        await stage.Process.FreezeAsync();
        await Waits.Eventually(
            () =>
            {
                // A release that comes before the proxy waits for it has no effect.
                proxy.Release();
                return proxy.Links[^1].Forwarded(Direction.ToClient) > 100_000;
            },
            20.Seconds(),
            "the answer goes on");
        await Task.Delay(s_pause);
        stage.Process.Signal(Signals.Continue);
        return $"{await asking.Within(60.Seconds())}, {await exchange.UpAsync(2, 100_000)}";
    });

    [Fact]
    public Task ABackendThatStopsIsATimeoutAndIsReplaced() => Beside.OnLoopbackAsync("suspended PostgreSQL backend", Subject.Pg, async stage =>
    {
        PostgresServer postgres = await PostgresServer.SharedAsync();
        using var exchange = new Exchange(stage, Subject.Pg);
        string first = await exchange.DownAsync(1, 1000);
        int[] backends = await postgres.BackendsAsync();
        Array.ForEach(backends, postgres.FreezeBackend);
        try
        {
            string second = await exchange.DownAsync(2, 1000);
            return $"{first}, then {second}, then {await exchange.DownAsync(3, 1000)}";
        }
        finally
        {
            Array.ForEach(backends, postgres.ThawBackend);
        }
    }, isImpatient: true);
}
