namespace Ioxide.BadNetwork;

/// <summary>From one moment on the network forwards nothing, and nobody is told. What waits for the peer ends within its limit.</summary>
[OnRequest("eng/bad-network.sh")]
public class VanishedTests
{
    private const int ManyBytes = 50_000_000;
    private const int EnoughBytes = 100_000;

    public static TheoryData<Subject> Servers => Extent.Rows(Extent.Servers, Subject.Http2);

    public static TheoryData<Subject> Clients => Extent.Rows(Extent.Clients, Subject.Pg);

    [Theory, MemberData(nameof(Servers))]
    public Task AnIdleConnectionIsClosed(Subject subject) => PlayAsync("vanished: idle connection", subject, async stage =>
    {
        using var exchange = new Exchange(stage, subject);
        string answer = await exchange.DownAsync(1, 100);
        await stage.Network.RuleAsync("drop");
        await UntilNoPeersAsync(stage);
        return $"{answer}, then closed";
    });

    [Theory, MemberData(nameof(Servers))]
    public Task ARequestBodyThatStopsEndsTheRequest(Subject subject) => PlayAsync("vanished: in a request body", subject, async stage =>
    {
        using HttpClient client = stage.CreateClient(subject);
        using var content = new HeldContent(1, EnoughBytes);
        using var cancel = new CancellationTokenSource();
        Task<HttpResponseMessage> asking = client.PostAsync(new Uri("/up?key=1", UriKind.Relative), content, cancel.Token);
        Waits.Observe(asking);
        await content.Half.Within(20.Seconds());
        await stage.Network.RuleAsync("drop");
        string seen = await stage.UntilSeenAsync("up:");
        await UntilNoPeersAsync(stage);
        await cancel.CancelAsync();
        return seen;
    });

    [Theory, MemberData(nameof(Servers))]
    public Task AnAnswerThatNobodyTakesIsCut(Subject subject) => PlayAsync("vanished: in an answer", subject, async stage =>
    {
        using HttpClient client = stage.CreateClient(subject);
        await using Stream body = await client.GetStreamAsync(new Uri($"/down?key=1&length={ManyBytes}", UriKind.Relative));
        await body.ReadExactlyAsync(new byte[EnoughBytes]);
        await stage.Network.RuleAsync("drop");
        string seen = await stage.UntilSeenAsync("down:");
        await UntilNoPeersAsync(stage);
        return seen;
    });

    /// <summary>HTTP/1.1 has nothing that would ask a silent client whether it is there.</summary>
    [Fact]
    public Task AStreamThatWaitsLearnsThatItsClientIsGone() => PlayAsync("vanished: while a handler waits", Subject.Http2, async stage =>
    {
        using HttpClient client = stage.CreateClient(Subject.Http2);
        Task<string> asking = client.GetStringAsync(new Uri("/wait", UriKind.Relative));
        Waits.Observe(asking);
        await stage.UntilRunningAsync();
        await stage.Network.RuleAsync("drop");
        return await stage.UntilSeenAsync("wait:");
    });

    [Theory, MemberData(nameof(Clients))]
    public Task AnAnswerThatStopsEndsTheCall(Subject subject) => PlayAsync("vanished: in an answer", subject, async stage =>
    {
        FaultProxy proxy = subject == Subject.Pg ? stage.Database : stage.Upstream;
        int before = proxy.Links.Count;
        using var exchange = new Exchange(stage, subject);
        Task<string> asking = exchange.DownAsync(1, ManyBytes);
        await Waits.Eventually(() => proxy.Links.Skip(before).Any(static link => link.Forwarded(Direction.ToClient) > EnoughBytes), 20.Seconds());
        await stage.Network.RuleAsync("drop");
        string answer = await asking.Within(20.Seconds());
        await stage.Network.RuleAsync();
        return $"{answer}, then {await exchange.DownAsync(2, EnoughBytes)}";
    });

    [Theory, MemberData(nameof(Clients))]
    public Task APooledConnectionThatIsDeadEndsTheCall(Subject subject) => PlayAsync("vanished: idle connection", subject, async stage =>
    {
        using var exchange = new Exchange(stage, subject);
        string first = await exchange.DownAsync(1, 100);
        await stage.Network.RuleAsync("drop");
        string second = await exchange.DownAsync(2, 100);
        await stage.Network.RuleAsync();
        return $"{first}, then {second}, then {await exchange.DownAsync(3, 100)}";
    });

    [Theory, MemberData(nameof(Clients))]
    public Task AConnectThatNobodyAnswersIsGivenUp(Subject subject) => PlayAsync("vanished: before the connect", subject, async stage =>
    {
        using var exchange = new Exchange(stage, subject);
        await stage.Network.RuleAsync("drop");
        string first = await exchange.DownAsync(1, 100);
        await stage.Network.RuleAsync();
        return $"{first}, then {await exchange.DownAsync(2, 100)}";
    });

    private static Task PlayAsync(string scenario, Subject subject, Func<Stage, Task<string>> play)
        => Beside.OnNetworkAsync(scenario, subject, play, isImpatient: true);

    private static Task<string> UntilNoPeersAsync(Stage stage) => Waits.Until(
        stage.HeldAsync,
        static held => held.StartsWith(BadNetworkHost.Servers.NoPeers, StringComparison.Ordinal),
        20.Seconds(),
        "every connection is closed");
}
