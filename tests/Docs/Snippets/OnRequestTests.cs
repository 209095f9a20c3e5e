using System.Text.RegularExpressions;

namespace Ioxide.Docs.Tests;

/// <summary>What continuous integration leaves out is not forgotten: docs/trust.md names the command that runs it, and when that last did.</summary>
public partial class OnRequestTests
{
    [Fact]
    public void EachCommandHasARowWithADate()
    {
        string[] rows = File.ReadAllLines(Path.Combine(Repository.Root, "docs/trust.md"));
        string[] commands =
        [
            .. Directory.EnumerateFiles(Path.Combine(Repository.Root, "tests"), "*Tests.cs", SearchOption.AllDirectories)
                .SelectMany(static file => Attribute().Matches(File.ReadAllText(file)))
                .Select(static match => match.Groups[1].Value)
                .Distinct(),
        ];

        Assert.NotEmpty(commands);
        Assert.All(commands, command => Assert.Contains(rows, row => row.Contains($"| `{command}` |", StringComparison.Ordinal) && Date().IsMatch(row)));
    }

    [GeneratedRegex("""^ *\[OnRequest\("([^"]+)"\)\]$""", RegexOptions.Multiline)]
    private static partial Regex Attribute();

    [GeneratedRegex(@"\| 20\d\d-\d\d-\d\d")]
    private static partial Regex Date();
}
