namespace Ioxide.Files.Tests;

/// <summary>
/// The ring answers as sockets do, in applications that nobody has thought of: a seed makes folders, endpoints, security, middleware and
/// requests, and each request is asked of stock Kestrel and of Kestrel on the ring.
/// </summary>
public class ApplicationOracleTests(ITestOutputHelper output)
{
    private const int ShownCount = 10;

    /// <summary>From so many applications on, chance is no reason for a feature that decides nothing.</summary>
    private const int CountOfFeatures = 2_000;

    [Fact]
    public async Task TheRingAnswersLikeStockKestrel()
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        ApplicationRun run = await ApplicationRun.OfEnvironmentAsync();
        output.WriteLine($"{run}\n{run.Features}");
        IEnumerable<string> shown = run.Differences.DistinctBy(static difference => difference.Kind).Take(ShownCount)
            .Select(static difference => $"{difference}");
        Assert.True(run.DifferingCount == 0, $"{run}:\n{string.Join('\n', run.Kinds)}\n\n{string.Join('\n', shown)}");
        Assert.Empty(run.Count < CountOfFeatures ? [] : run.Features.Idle);
    }

    [Fact]
    public void ASeedIsTheSameApplicationAndTheSameRequestsEachTime()
    {
        GeneratedApplication one = GeneratedApplication.Of(42);
        GeneratedApplication again = GeneratedApplication.Of(42);
        Assert.Equal(one.ToString(), again.ToString());
        Assert.Equal(one.Requests, again.Requests);
        Assert.NotEqual(one.Requests, GeneratedApplication.Of(43).Requests);
    }

    [Theory]
    [InlineData("HTTP/1.1 200 OK", "Date", "Mon", "body", true)]
    [InlineData("HTTP/1.1 404 Not Found", "Date", "Sun", "body", false)]
    [InlineData("HTTP/1.1 200 OK", "Age", "Sun", "body", false)]
    [InlineData("HTTP/1.1 200 OK", "Date", "Sun", "other", false)]
    public void OnlyWhatSaysTheTimeMayDiffer(string statusLine, string field, string value, string body, bool isLike)
    {
        ApplicationAnswer stock = Answer("HTTP/1.1 200 OK", "Date", "Sun", "body");
        Assert.Equal(isLike, stock.IsLike(Answer(statusLine, field, value, body)));
    }

    private static ApplicationAnswer Answer(string statusLine, string field, string value, string body)
        => ApplicationAnswer.Of(
            new RawResponse(new RawHead(statusLine, [new("Content-Length", "4"), new(field, value)]), System.Text.Encoding.ASCII.GetBytes(body), []));
}
