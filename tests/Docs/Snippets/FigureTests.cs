using System.Text.RegularExpressions;

namespace Ioxide.Docs.Tests;

/// <summary>README promises what bench/RESULTS.md records.</summary>
public partial class FigureTests
{
    private static readonly string[] s_sides = ["stock", "alone", "ours"];

    [Fact]
    public void EachRowOfWhatIsGainedIsOfOneRecordedRow()
    {
        string[] recorded = Lines("bench/RESULTS.md");
        string[] details = Lines("bench/results/boards.md");
        MatchCollection promised = Row().Matches(File.ReadAllText(Path.Combine(Repository.Root, "README.md")));

        Assert.Equal(7, promised.Count);
        Assert.All(promised, row => Assert.Contains(
            recorded,
            line => line.Contains($"| {row.Groups["stock"]} | {row.Groups["ours"]} |", StringComparison.Ordinal)
                && (line.Contains($"| **{row.Groups["ratio"]}x** ", StringComparison.Ordinal) || line.Contains($"| {row.Groups["ratio"]} |", StringComparison.Ordinal))));
        Assert.All(promised.Where(static row => row.Groups["alone"].Value.Contains('(', StringComparison.Ordinal)), row => Assert.Contains(
            details,
            line => s_sides.All(side => line.Contains($"| {row.Groups[side]} |", StringComparison.Ordinal))));
    }

    private static string[] Lines(string path) => File.ReadAllLines(Path.Combine(Repository.Root, path));

    /// <summary>Stock with its range, the transport alone where that is another, Ioxide with its range, and the ratio.</summary>
    [GeneratedRegex(
        @"^\| [^|]+ \| (?<stock>[\d,]+ \([\d,]+ to [\d,]+\)) \| (?<alone>[^|]+) \| (?<ours>[\d,]+ \([\d,]+ to [\d,]+\)) \| (?<ratio>[^|]+) \|$",
        RegexOptions.Multiline)]
    private static partial Regex Row();
}
