using System.Globalization;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;

namespace Ioxide.Docs.Tests;

/// <summary>README promises what bench/RESULTS.md records, and documents quote the counts of docs/figures.json, which programs write.</summary>
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
            line => line.Contains($"| {row.Groups["stock"]}{row.Groups["setting"]} | {row.Groups["ours"]} |", StringComparison.Ordinal)
                && (line.Contains($"| **{row.Groups["ratio"]}x** ", StringComparison.Ordinal) || line.Contains($"| {row.Groups["ratio"]} |", StringComparison.Ordinal))));
        Assert.All(promised.Where(static row => row.Groups["alone"].Value.Contains('(', StringComparison.Ordinal)), row => Assert.Contains(
            details,
            line => s_sides.All(side => line.Contains($"| {row.Groups[side]} |", StringComparison.Ordinal))));
    }

    /// <summary>A figure that was measured, with its range, is told as it was recorded: in README, the packages' READMEs and the pages for users.</summary>
    [Fact]
    public void EachFigureWithARangeIsARecordedOne()
    {
        string recorded = string.Concat(Directory.EnumerateFiles(Path.Combine(Repository.Root, "bench/results"), "*.md")
            .Append(Path.Combine(Repository.Root, "bench/RESULTS.md")).Select(File.ReadAllText));
        (string File, string Figure)[] told = [.. Fence.Documents.Where(static file => !file.StartsWith("bench/", StringComparison.Ordinal) && file != "docs/trust.md")
            .SelectMany(static file => Ranges().Matches(string.Join('\n', Lines(file))).Select(match => (file, match.Value)))];

        Assert.True(told.Length >= 40, $"{told.Length} figures");
        Assert.All(told, each => Assert.True(recorded.Contains(each.Figure, StringComparison.Ordinal), $"{each.File}: {each.Figure}"));
    }

    /// <summary>A document, words with numbers in them, and the figures that these are, in their order.</summary>
    [Theory]
    [InlineData("README.md", @"\*\*([\d,]+) tests\*\*", "tests")]
    [InlineData("README.md", @"\*\*([\d,]+) seeds\*\*", "seeds")]
    [InlineData("README.md", @"\*\*([\d,]+) of ([\d,]+)\*\* planted faults", "faultsNoticed", "faults")]
    [InlineData("README.md", @"([\d,]+) of ([\d,]+) cases pass \(on Npgsql ([\d,]+)\)", "adoPassed", "adoCases", "adoPassedByNpgsql")]
    [InlineData("docs/trust.md", @"\s([\d,]+) seeds were run once", "seeds")]
    [InlineData("docs/trust.md", @"The catalogue has ([\d,]+) faults", "faults")]
    [InlineData("docs/trust.md", @"that could be noticed: ([\d,]+) \(", "faultsNoticed")]
    [InlineData("docs/trust.md", @"([\d,]+) of ([\d,]+) pass on the facade, ([\d,]+) on Npgsql", "adoPassed", "adoCases", "adoPassedByNpgsql")]
    public void CountsAreThoseThatProgramsWrote(string document, string words, params string[] names)
    {
        JsonNode figures = JsonNode.Parse(File.ReadAllText(Path.Combine(Repository.Root, "docs/figures.json")))!;
        MatchCollection found = Regex.Matches(File.ReadAllText(Path.Combine(Repository.Root, document)), words);

        Assert.True(found.Count > 0, $"{document} has no words like {words}");
        Assert.All(found, match => Assert.Equal(
            names.Select(name => figures[name]!.GetValue<long>().ToString("N0", CultureInfo.InvariantCulture)),
            match.Groups.Values.Skip(1).Select(static group => group.Value)));
    }

    private static string[] Lines(string path) => File.ReadAllLines(Path.Combine(Repository.Root, path));

    /// <summary>Stock with its range, the transport alone where that is another, Ioxide with its range, and the ratio.</summary>
    [GeneratedRegex(
        @"^\| [^|]+ \| (?<stock>[\d,]+ \([\d,]+ to [\d,]+\))(?<setting>, inline)? \| (?<alone>[^|]+) \| (?<ours>[\d,]+ \([\d,]+ to [\d,]+\)) \| (?<ratio>[^|]+) \|$",
        RegexOptions.Multiline)]
    private static partial Regex Row();

    [GeneratedRegex(@"(?<![-\d,.])[\d,.]+ \([\d,.]+ to [\d,.]+\)")]
    private static partial Regex Ranges();
}
