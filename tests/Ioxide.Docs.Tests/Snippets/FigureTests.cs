using System.Text.RegularExpressions;

namespace Ioxide.Docs.Tests;

/// <summary>README promises what bench/RESULTS.md records.</summary>
public partial class FigureTests
{
    [Fact]
    public void EachRowOfWhatIsGainedIsOfOneRecordedRow()
    {
        string[] recorded = File.ReadAllLines(Path.Combine(Repository.Root, "bench/RESULTS.md"));
        string[] promised = [.. Row().Matches(File.ReadAllText(Path.Combine(Repository.Root, "README.md"))).Select(static match => match.Groups[1].Value)];

        Assert.Equal(6, promised.Length);
        Assert.All(promised, row => Assert.Contains(recorded, line => line.Contains(row, StringComparison.Ordinal)));
    }

    /// <summary>Stock with its range, Ioxide with its range, and the ratio.</summary>
    [GeneratedRegex(@"^\| [^|]+(\| [\d,]+ \([\d,]+ to [\d,]+\) \| [\d,]+ \([\d,]+ to [\d,]+\) \| [^|]+ \|)$", RegexOptions.Multiline)]
    private static partial Regex Row();
}
