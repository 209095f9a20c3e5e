namespace Ioxide.Docs.Tests;

/// <summary>A fenced block of a Markdown file.</summary>
/// <param name="File">The file's path below the repository, with slashes.</param>
/// <param name="Line">The number of its first line of content, from 1.</param>
/// <param name="Language">The word behind the opening fence; empty where there is none.</param>
/// <param name="Text">Its content, without the fences.</param>
/// <param name="Directive">What an HTML comment directly before it says, or null.</param>
internal sealed record Fence(string File, int Line, string Language, string Text, string? Directive)
{
    private const string Mark = "```";

    /// <summary>The documents that readers get: those of the root, <c>docs/</c>, and the README of each package and of samples.</summary>
    internal static string[] Documents { get; } =
    [
        .. Directory.EnumerateFiles(Repository.Root, "*.md")
            .Concat(Directory.EnumerateFiles(Path.Combine(Repository.Root, "docs"), "*.md"))
            .Concat(Directory.EnumerateFiles(Path.Combine(Repository.Root, "src"), "README.md", SearchOption.AllDirectories))
            .Concat(Directory.EnumerateFiles(Path.Combine(Repository.Root, "samples"), "README.md", SearchOption.AllDirectories))
            .Select(static path => Path.GetRelativePath(Repository.Root, path))
            .Order(StringComparer.Ordinal),
    ];

    /// <summary>Every block of every document.</summary>
    internal static Fence[] All { get; } = [.. Documents.SelectMany(static file => Read(file, System.IO.File.ReadAllLines(Path.Combine(Repository.Root, file))))];

    /// <summary>The blocks of some languages, a test row each: the file and the number of the line.</summary>
    internal static TheoryData<string, int> Rows(params string[] languages)
    {
        var rows = new TheoryData<string, int>();
        foreach (Fence fence in All.Where(fence => languages.Contains(fence.Language)))
        {
            rows.Add(fence.File, fence.Line);
        }

        return rows;
    }

    internal static Fence At(string file, int line) => All.Single(fence => fence.File == file && fence.Line == line);

    /// <summary>Cuts a document into its blocks.</summary>
    internal static IEnumerable<Fence> Read(string file, string[] lines)
    {
        for (int index = 0; index < lines.Length; index++)
        {
            string opening = lines[index].TrimStart();
            if (!opening.StartsWith(Mark, StringComparison.Ordinal))
            {
                continue;
            }

            int first = index + 1;
            int end = Array.FindIndex(lines, first, static line => line.Trim() == Mark);
            if (end < 0)
            {
                throw new FormatException($"{file}:{index + 1}: the block does not end.");
            }

            yield return new Fence(
                file, first + 1, opening[Mark.Length..].Trim(), string.Join('\n', lines[first..end]), DirectiveBefore(lines, index));
            index = end;
        }
    }

    private static string? DirectiveBefore(string[] lines, int index)
    {
        if (index == 0 || !lines[index - 1].TrimEnd().EndsWith("-->", StringComparison.Ordinal))
        {
            return null;
        }

        int start = Array.FindLastIndex(lines, index - 1, static line => line.StartsWith("<!--", StringComparison.Ordinal));
        return start < 0 ? null : string.Join('\n', lines[start..index])["<!--".Length..].TrimEnd()[..^"-->".Length].Trim();
    }
}
