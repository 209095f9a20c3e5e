using System.Text.RegularExpressions;

namespace Ioxide.Docs.Tests;

/// <summary>Every link from one document to another, or to a file of the repository, leads there, and to a heading where it names one.</summary>
public partial class LinkTests
{
    // The charts of README are made by bench/report and are committed beside the results.
    private const string Charts = "docs/images/results-";

    public static TheoryData<string> Documents => [.. Fence.Documents];

    [Theory, MemberData(nameof(Documents))]
    public void EveryLinkLeadsSomewhere(string file)
        => Assert.DoesNotContain(Link().Matches(WithoutBlocks(file)).Select(static match => match.Groups["to"].Value), target => !Exists(file, target));

    private static bool Exists(string file, string target)
    {
        if (target.Contains("://", StringComparison.Ordinal))
        {
            return true;
        }

        string[] parts = target.Split('#', 2);
        string path = parts[0].Length == 0 ? file : Path.GetRelativePath(
            Repository.Root, Path.GetFullPath(Path.Combine(Repository.Root, Path.GetDirectoryName(file)!, parts[0]))); // A file has a folder.
        string full = Path.Combine(Repository.Root, path);
        return path.StartsWith(Charts, StringComparison.Ordinal)
            || (Path.Exists(full) && (parts.Length == 1 || !path.EndsWith(".md", StringComparison.Ordinal) || Anchors(path).Contains(parts[1])));
    }

    private static HashSet<string> Anchors(string file) =>
    [
        .. Heading().Matches(WithoutBlocks(file))
            .Select(static match => NotInAnchors().Replace(match.Groups[1].Value.Trim().ToLowerInvariant(), "").Replace(' ', '-')),
    ];

    private static string WithoutBlocks(string file)
    {
        string text = File.ReadAllText(Path.Combine(Repository.Root, file));
        return Block().Replace(text, "");
    }

    [GeneratedRegex(@"\]\((?<to>[^)\s]+)\)|(?:src|srcset)=""(?<to>[^""]+)""")]
    private static partial Regex Link();

    [GeneratedRegex(@"^#+ (.*)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"[^\w\- ]")]
    private static partial Regex NotInAnchors();

    [GeneratedRegex(@"^```.*?^```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Block();
}
