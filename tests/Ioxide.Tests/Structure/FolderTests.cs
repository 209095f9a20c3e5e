using System.Text.RegularExpressions;
using Ioxide.TestKit;

namespace Ioxide.Tests;

/// <summary>
/// Folders point one way: what lies in one refers to nothing in a folder above it. The order is that of ARCHITECTURE.md; the references are
/// read from the built assemblies, with their symbols for where each method stands.
/// </summary>
public partial class FolderTests
{
    private const int MostLines = 500;
    private const int MostFields = 20;

    [Theory]
    [InlineData("Ioxide")]
    [InlineData("Ioxide.Pg")]
    public void ReferencesPointDown(string project)
    {
        string[] order = OrderOf(project);
        using var assembly = new CompiledAssembly(project);
        string[] back = [.. assembly.References()
            .Where(reference => Array.IndexOf(order, FolderOf(reference.To)) > Array.IndexOf(order, FolderOf(reference.From)))
            .Select(reference => $"{reference.From} refers to {reference.Name} in {reference.To}").Distinct().Order(StringComparer.Ordinal)];

        Assert.True(back.Length == 0, $"""
            In src/{project} a folder refers to one above it (the order stands in ARCHITECTURE.md, "Layers"):
            {string.Join('\n', back)}
            Move the type down, or let the lower folder own an interface.
            """);
    }

    [Theory]
    [InlineData("Ioxide")]
    [InlineData("Ioxide.Pg")]
    public void EveryFolderHasItsPlaceInTheOrder(string project)
    {
        IEnumerable<string> folders = SourcesOf(project).Select(file => FolderOf(Path.GetRelativePath(Root(project), file))).Distinct();

        Assert.Equal(OrderOf(project).Order(StringComparer.Ordinal), folders.Order(StringComparer.Ordinal));
    }

    /// <summary>The control: without references there would be nothing to point back.</summary>
    [Fact]
    public void ReferencesAreFound()
    {
        using var assembly = new CompiledAssembly("Ioxide");
        HashSet<(string From, string To, string Name)> references = [.. assembly.References()];

        // A base type, a field, a call, a generic argument of a signature, an attribute's target in another part of the type.
        Assert.Contains(("Reactors/Trimmer.cs", "Reactors/TimerWheel.cs", "TimerEntry"), references);
        Assert.Contains(("Reactors/Reactor.cs", "Rings/Ring.cs", "Ring"), references);
        Assert.Contains(("Interop/Kernel.Calls.cs", "Interop/Sys.cs", "Sys.Call"), references);
        Assert.Contains(("Sockets/Reactor.Connect.cs", "Sockets/RingConnection.cs", "RingConnection"), references);
        Assert.Contains(("Reactors/Reactor.Loop.cs", "Reactors/IReactorConnection.cs", "IReactorConnection"), references);
        Assert.DoesNotContain(references, reference => reference.From.StartsWith("Reactors/", StringComparison.Ordinal) && reference.Name == "RingConnection");
    }

    [Fact]
    public void NoFileIsLongerThanAReaderLikes()
    {
        string[] longer = [.. Directory.EnumerateFiles(Path.Combine(Repository.Root, "src"), "*.cs", SearchOption.AllDirectories)
            .Where(file => !IsGenerated(file))
            .Select(file => (file, lines: File.ReadLines(file).Count())).Where(entry => entry.lines > MostLines)
            .Select(entry => $"{Path.GetRelativePath(Repository.Root, entry.file)}: {entry.lines} lines")];

        Assert.True(longer.Length == 0, string.Join('\n', longer));
    }

    [Fact]
    public void APublicTypeStandsInTheFileOfItsName()
    {
        string[] astray = [.. Directory.EnumerateFiles(Path.Combine(Repository.Root, "src"), "*.cs", SearchOption.AllDirectories)
            .Where(file => !IsGenerated(file)).SelectMany(Astray)];

        Assert.True(astray.Length == 0, string.Join('\n', astray));
    }

    /// <summary>A type with more state than a reader keeps in mind says in its head why: "It has 23 fields ...".</summary>
    [Theory]
    [InlineData("Ioxide")]
    [InlineData("Ioxide.AspNetCore")]
    [InlineData("Ioxide.Files")]
    [InlineData("Ioxide.Http2")]
    [InlineData("Ioxide.Pg")]
    [InlineData("Ioxide.Tls")]
    public void ATypeWithManyFieldsSaysWhy(string project)
    {
        using var assembly = new CompiledAssembly(project);
        string sources = string.Concat(SourcesOf(project).Select(File.ReadAllText));
        string[] silent = [.. assembly.FieldCounts()
            .Where(type => type.Count > MostFields && !Regex.IsMatch(sources, $@"It has {type.Count} fields\b(?:.*\n){{1,12}}?[^/\n]*\b(?:class|struct) {type.Name}\b"))
            .Select(type => $"{type.Name} has {type.Count} fields, and its remarks do not say why")];

        Assert.True(silent.Length == 0, string.Join('\n', silent));
    }

    private static IEnumerable<string> Astray(string file)
    {
        string name = Path.GetFileNameWithoutExtension(file).Split('.')[0];
        foreach (string line in File.ReadLines(file))
        {
            // Types that differ by their number of type parameters share a file, or lie in NameT.cs.
            if (PublicType().Match(line) is { Success: true } match && match.Groups[1].Value is var type && type != name && type + "T" != name)
            {
                yield return $"{Path.GetRelativePath(Repository.Root, file)} has {type}";
            }
        }
    }

    private static string[] OrderOf(string project)
    {
        string text = File.ReadAllText(Path.Combine(Repository.Root, "ARCHITECTURE.md"));
        Match match = Regex.Match(text, $@"^ {Regex.Escape(project)}: +(.+(?:\n   +.+)*)$", RegexOptions.Multiline);
        Assert.True(match.Success, $"ARCHITECTURE.md has no line of layers for {project}.");
        return match.Groups[1].Value.Split(["<--", "\n", " "], StringSplitOptions.RemoveEmptyEntries);
    }

    private static IEnumerable<string> SourcesOf(string project)
        => Directory.EnumerateFiles(Root(project), "*.cs", SearchOption.AllDirectories).Where(file => !IsGenerated(file));

    private static string Root(string project) => Path.Combine(Repository.Root, "src", project);

    /// <summary>The first folder of a path; a file that lies in none stands at the front of the project, which has its name.</summary>
    private static string FolderOf(string path) => path.Contains('/', StringComparison.Ordinal) ? path[..path.IndexOf('/', StringComparison.Ordinal)] : "(front)";

    private static bool IsGenerated(string file) => file.Contains("/obj/", StringComparison.Ordinal);

    [GeneratedRegex(@"^public (?:(?:abstract|sealed|static|readonly|ref|unsafe|partial) )*(?:class|struct|interface|enum|record(?: struct| class)?|delegate \S+) (\w+)")]
    private static partial Regex PublicType();
}
