using System.Collections.Concurrent;
using System.Globalization;

namespace Ioxide.Files.Tests;

/// <summary>
/// Files beside other endpoints answer as <c>UseStaticFiles</c> in front of routing does, whatever the endpoints are: a seed makes folders,
/// prefixes, groups, hosts, endpoints and requests, and both are asked. What differs is written out in <see cref="Expected"/>.
/// </summary>
/// <remarks>Takes 13 s: 400 pairs of hosts start in Release.</remarks>
public class NeighbourOracleTests(ITestOutputHelper output)
{
    /// <summary>Says which applications: the first seed and how many, such as <c>1:10000</c>.</summary>
    private const string Variable = "IOXIDE_NEIGHBOURS";

    /// <summary>From so many applications on, chance is no reason for a kind of answer that is not there.</summary>
    private const int CountOfKinds = 40;

    [Fact]
    public async Task FilesAreServedWhereStaticFilesAre()
    {
        string[]? asked = Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } variable ? variable.Split(':') : null;
        ulong firstSeed = asked is null ? 1 : ulong.Parse(asked[0], CultureInfo.InvariantCulture);
        int count = asked is null ? Scale.Of(400) : int.Parse(asked[1], CultureInfo.InvariantCulture);
        using var folders = new ApplicationFolders();
        ConcurrentQueue<string> differences = [];
        int requests = 0;
        int files = 0;
        int refusals = 0;
        await Parallel.ForAsync(0, count, new ParallelOptions { MaxDegreeOfParallelism = 2 }, async (index, _) =>
        {
            var application = new NeighbourApplication(firstSeed + (ulong)index);
            await using NeighbourHost ours = await NeighbourHost.StartAsync(application, folders, isOurs: true);
            await using NeighbourHost theirs = await NeighbourHost.StartAsync(application, folders, isOurs: false);
            foreach (NeighbourRequest request in application.Requests)
            {
                NeighbourAnswer asGet = await theirs.AskAsync(request with { Method = "GET" });
                NeighbourAnswer their = await theirs.AskAsync(request);
                NeighbourAnswer our = await ours.AskAsync(request);
                NeighbourAnswer? expected = Expected(application, request, their, asGet);
                Interlocked.Increment(ref requests);
                Interlocked.Add(ref files, our.IsOfFile ? 1 : 0);
                Interlocked.Add(ref refusals, expected != their ? 1 : 0);
                if (expected is not null && expected != our
                    && !(IsNobodys(expected) && IsNobodys(our) && MayBeRefusedOtherwise(application, their, asGet)))
                {
                    differences.Enqueue(
                        $"{application}\n  {request}\n    static files: {their}\n    expected:     {expected}\n    ours:         {our}");
                }
            }
        });

        output.WriteLine(
            $"{count} applications from seed {firstSeed}, {requests} requests, {files} answered with files, {refusals} otherwise by rule.");
        Assert.True(differences.IsEmpty, $"{differences.Count} of {requests} differ:\n{string.Join('\n', differences.Take(8))}");
        if (count >= CountOfKinds)
        {
            Assert.InRange(files, requests / 5, requests);
            Assert.InRange(refusals, requests / 50, requests / 3);
        }
    }

    private static bool IsNobodys(NeighbourAnswer answer) => answer is { EndPoint: null, IsOfFile: false, Status: not 500 };

    /// <summary>
    /// Where nobody answers, routing says 404 in place of 405 if a folder's own host refuses the request, for then an endpoint without methods is
    /// there. It says either, or goes on, if the folder's prefix makes a segment a literal, for then an endpoint is not looked at whose constraint
    /// or complex segment the literal breaks.
    /// </summary>
    private static bool MayBeRefusedOtherwise(NeighbourApplication application, NeighbourAnswer their, NeighbourAnswer asGet)
        => (their.Status == 405 && application.Folders.Any(static folder => folder.Host is not null))
            || ((their.Status == 405 || !asGet.IsOfFile)
                && application.Routes.Any(static route => route.Pattern.Contains(':', StringComparison.Ordinal)
                    || route.Pattern.Contains("}.{", StringComparison.Ordinal)));

    /// <summary>What the folder's endpoint answers where static files answer <paramref name="their"/>; null: nothing is said.</summary>
    private static NeighbourAnswer? Expected(NeighbourApplication application, NeighbourRequest request, NeighbourAnswer their, NeighbourAnswer asGet)
    {
        if (request.Method is "GET" or "HEAD" || their.EndPoint is not null || their.Status == 500)
        {
            return their;
        }

        // MapFallbackToFile refuses the method itself; beside a fallback file of a folder the application goes on as without it.
        if (application.HasFallbackFile)
        {
            return null;
        }

        // Nobody takes the method, and what is there is a file or a folder: 405, where static files pass the request on.
        return asGet.IsOfFile ? new NeighbourAnswer(405, null, "GET, HEAD", null, false, "") : their;
    }
}
