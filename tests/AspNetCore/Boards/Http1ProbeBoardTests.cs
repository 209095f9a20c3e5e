namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// The catalogue of Http11Probe, played over real connections to stock Kestrel and to Ioxide. An answer of Ioxide is no worse than the stock
/// server's, and each that is no pass has its reason.
/// </summary>
[Once]
public sealed class Http1ProbeBoardTests(ProbeFixture servers) : IClassFixture<ProbeFixture>
{
    public static TheoryData<string> Ids { get; } = [.. Http1Catalog.All.Keys];

    [Theory, MemberData(nameof(Ids))]
    public async Task AnAnswerIsAsTheCatalogueWantsItOrHasItsReason(string id)
    {
        await servers.PlayAsync(Http1Catalog.All[id]);
        (string? reason, bool mayBeWorse) = Http1Reasons.Of(id);
        Assert.Empty(servers.Board.Complaints(id, reason, mayBeWorse));
    }

    [Fact]
    public void EachReasonIsForACase() => Assert.Empty(Http1Reasons.Ids.Except(Http1Catalog.All.Keys));
}
