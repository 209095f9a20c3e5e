namespace Ioxide.Http2.Tests;

/// <summary>
/// The catalogue of h2spec, played over real connections to stock Kestrel, to Kestrel on the ring, and to the engine. Each answer of Ioxide is
/// a pass.
/// </summary>
public sealed class Http2SpecBoardTests(SpecFixture servers) : IClassFixture<SpecFixture>
{
    public static TheoryData<string> Ids { get; } = [.. Http2Catalog.All.Keys];

    [Theory, MemberData(nameof(Ids))]
    public async Task AnAnswerIsAsTheCatalogueWantsIt(string id)
    {
        await servers.PlayAsync(Http2Catalog.All[id]);
        Assert.Empty(servers.Board.Complaints(id));
    }
}
