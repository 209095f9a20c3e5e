namespace Ioxide.Http2.Tests;

/// <summary>gRPC's interop descriptions for servers, in clear text and under TLS: stock Kestrel, Kestrel on the ring, and the engine.</summary>
[Once]
public sealed class GrpcInteropBoardTests(GrpcInteropServers servers) : IClassFixture<GrpcInteropServers>
{
    // A call without messages, and two that the client itself ends.
    private static readonly string[] s_noAnswer = ["empty_stream", "cancel_after_begin"];

    public static TheoryData<string, bool> Ids
        => new(GrpcInteropCases.All.Keys.SelectMany(static name => new[] { (name, false), (name, true) }));

    [Theory, MemberData(nameof(Ids))]
    public async Task EachServerAnswersAsDescribed(string name, bool isTls)
    {
        string id = isTls ? $"{name}, TLS" : name;
        foreach (GrpcInteropServers.Side server in await servers.AllAsync(isTls))
        {
            servers.Board.Add(id, $"interop-test-descriptions.md, {name}", server.Name, await server.PlayAsync(name));
        }

        Assert.Empty(servers.Board.Complaints(id));
    }

    [Fact]
    public async Task AServerThatSaysNothingFailsWhereAnAnswerIsDue()
    {
        await using GrpcInteropServers.Side wrong = await GrpcInteropServers.StartWrongAsync();
        foreach (string name in GrpcInteropCases.All.Keys.Except(s_noAnswer))
        {
            Assert.Equal((name, Score.Fail), (name, (await wrong.PlayAsync(name)).Score));
        }
    }
}
