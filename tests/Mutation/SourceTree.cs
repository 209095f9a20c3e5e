using System.Globalization;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

namespace Ioxide.Mutation;

/// <summary>The sources of one project in memory. Faults are planted by member and code, wherever the member is and however it is wrapped.</summary>
internal sealed class SourceTree
{
    /// <summary>The environment variable with the number of the fault that is switched on.</summary>
    internal const string Variable = "IOXIDE_MUTANT";

    /// <summary>What reads the variable: a file of each project in which something is planted.</summary>
    internal const string SwitchFile = $$"""
        namespace Ioxide;

        internal static class Mutants
        {
            internal static readonly int Active =
                int.TryParse(System.Environment.GetEnvironmentVariable("{{Variable}}"), out int number) ? number : 0;
        }
        """;

    /// <summary>In a mutated text: true while this fault is the active one.</summary>
    internal const string Switch = "{active}";

    private readonly string _name;
    private readonly SortedDictionary<string, SourceFile> _files = new(StringComparer.Ordinal);

    /// <summary>Reads every source below a folder.</summary>
    internal SourceTree(string folder)
    {
        _name = Path.GetFileName(folder);
        foreach (string path in Directory.EnumerateFiles(folder, "*.cs", SearchOption.AllDirectories))
        {
            _files.Add(Path.GetRelativePath(folder, path), new SourceFile(File.ReadAllText(path)));
        }
    }

    /// <summary>All files by their path below the folder, with what was planted in them.</summary>
    internal IEnumerable<(string Path, string Content)> Files => _files.Select(static file => (file.Key, file.Value.Content));

    /// <summary>The files in which something was planted.</summary>
    internal IEnumerable<(string Path, string Content)> Changed
        => _files.Where(static file => file.Value.IsChanged).Select(static file => (file.Key, file.Value.Content));

    /// <summary>Plants one change of a fault.</summary>
    /// <param name="fault">What to call it in an error.</param>
    /// <param name="member">Type.Member, as <see cref="MemberNames"/> names it; a type alone for what stands outside its members.</param>
    /// <param name="code">Tokens that follow each other once in that member. Whitespace, line breaks and comments between them do not matter.</param>
    /// <param name="mutated">What takes their place, with <see cref="Switch"/> where the fault is switched.</param>
    /// <param name="number">The fault's number, from 1.</param>
    /// <exception cref="InvalidOperationException">There is no such member, or the code is not in it exactly once.</exception>
    internal void Plant(string fault, string member, string code, string mutated, int number)
    {
        (string Path, SourceFile File, TextSpan Span)[] places = [.. FindIn(member, SyntaxTokens.Of(code))];
        if (places.Length != 1)
        {
            throw new InvalidOperationException($"'{fault}': {WhyNot(member, code, places.Length)}");
        }

        string active = string.Create(CultureInfo.InvariantCulture, $"(global::Ioxide.Mutants.Active == {number})");
        (string path, SourceFile file, TextSpan span) = places[0];
        string content = file.Content[..span.Start] + mutated.Replace(Switch, active, StringComparison.Ordinal) + file.Content[span.End..];
        _files[path] = new SourceFile(content) { IsChanged = true };
    }

    /// <summary>Plants a fault.</summary>
    /// <param name="root">The repository.</param>
    /// <param name="trees">The projects that were read, by their names; more are added.</param>
    /// <param name="fault">What to plant.</param>
    /// <exception cref="InvalidOperationException">There is no such member, or the code is not in it exactly once.</exception>
    internal static void Plant(string root, Dictionary<string, SourceTree> trees, Fault fault)
    {
        if (!trees.TryGetValue(fault.Project, out SourceTree? tree))
        {
            trees.Add(fault.Project, tree = new SourceTree(Path.Combine(root, "src", fault.Project)));
        }

        foreach ((string member, string code, string mutated) in fault.Patches)
        {
            tree.Plant(fault.Name, member, code, mutated, FaultCatalog.NumberOf(fault));
        }
    }

    private IEnumerable<(string Path, SourceFile File, TextSpan Span)> FindIn(string member, List<(string Text, TextSpan Span)> code)
        => from file in _files
           from node in file.Value.Members[member]
           from span in SyntaxTokens.Find(code, node)
           select (file.Key, file.Value, span);

    private string WhyNot(string member, string code, int count)
    {
        if (count > 1)
        {
            return $"{member} has this code {count} times, and must have it once: '{code}'";
        }

        string[] members = [.. _files.SelectMany(static file => file.Value.Members.Select(static each => each.Key)).Distinct()];
        string name = member[(member.LastIndexOf('.') + 1)..];
        bool isThere = members.Contains(member);
        List<(string, TextSpan)> tokens = SyntaxTokens.Of(code);
        string[] others = [.. members.Where(each => each.Contains('.', StringComparison.Ordinal) && FindIn(each, tokens).Any())];
        string[] namesakes = isThere ? [] : [.. members.Where(each => each.EndsWith($".{name}", StringComparison.Ordinal))];
        return (isThere ? $"{member} has not this code: '{code}'" : $"src/{_name} has no member {member}")
            + (namesakes.Length > 0 ? $"; there is {string.Join(", ", namesakes)}" : "")
            + (others.Length > 0 ? $"; the code is in {string.Join(", ", others)}" : $"; no member of src/{_name} has the code");
    }

    /// <summary>One file; what stands in it is found when it is asked for.</summary>
    private sealed class SourceFile(string content)
    {
        internal string Content => content;
        internal bool IsChanged { get; init; }

        internal ILookup<string, SyntaxNode> Members => field ??= MemberNames.Of(CSharpSyntaxTree.ParseText(content, SyntaxTokens.Options).GetRoot());
    }
}
