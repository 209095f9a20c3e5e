using System.Text.RegularExpressions;

namespace Ioxide.Docs.Tests;

/// <summary>README promises what bench/RESULTS.md records.</summary>
public partial class FigureTests
{
    [Fact]
    public void EachRowOfWhatIsGainedIsOfOneRecordedRow()
    {
        string[] recorded = File.ReadAllLines(Path.Combine(Repository.Root, "bench/RESULTS.md"));
        MatchCollection promised = Row().Matches(File.ReadAllText(Path.Combine(Repository.Root, "README.md")));

        Assert.Equal(6, promised.Count);
        Assert.All(promised, row => Assert.Contains(
            recorded,
            line => line.Contains($"| {row.Groups["figures"]} |", StringComparison.Ordinal)
                && (line.Contains($"| **{row.Groups["ratio"]}x** ", StringComparison.Ordinal) || line.Contains($"| {row.Groups["ratio"]} |", StringComparison.Ordinal))));
    }

    /// <summary>Stock with its range, Ioxide with its range, and the ratio.</summary>
    [GeneratedRegex(@"^\| [^|]+ \| (?<figures>[\d,]+ \([\d,]+ to [\d,]+\) \| [\d,]+ \([\d,]+ to [\d,]+\)) \| (?<ratio>[^|]+) \|$", RegexOptions.Multiline)]
    private static partial Regex Row();
}
