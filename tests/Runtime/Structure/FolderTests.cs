using System.Text.RegularExpressions;

namespace Ioxide.Tests;

/// <summary>
/// Folders point one way: what lies in one refers to nothing in a folder above it. The order is that of ARCHITECTURE.md, where folders with a
/// plus between them share a place; the references are read from the built assemblies, with their symbols for where each method stands.
/// </summary>
[Once]
public partial class FolderTests
{
    private const int MostLines = 500;
    private const int MostColumns = 150;
    private const int MostTypeLines = 600;
    private const int MostFields = 30;

    /// <summary>One file per family: a value, its codec and its text change together, and are read together.</summary>
    private static readonly string s_families = Path.Combine("src", "Ioxide.Pg", "Types") + "/";

    [Theory, Each("Ioxide", "Ioxide.Pg")]
    public void ReferencesPointDown(string project)
    {
        Dictionary<string, int> places = PlacesOf(project);
        using var assembly = new CompiledAssembly(project);
        string[] back = [.. assembly.References()
            .Where(reference => places[FolderOf(reference.To)] > places[FolderOf(reference.From)])
            .Select(reference => $"{reference.From} refers to {reference.Name} in {reference.To}").Distinct().Order(StringComparer.Ordinal)];

        Assert.True(back.Length == 0, $"""
            In src/{project} a folder refers to one above it (the order stands in ARCHITECTURE.md, "Layers"):
            {string.Join('\n', back)}
            Move the type down, or let the lower folder own an interface.
            """);
    }

    [Theory, Each("Ioxide", "Ioxide.Pg")]
    public void EveryFolderHasItsPlaceInTheOrder(string project)
    {
        IEnumerable<string> folders = SourcesOf(project).Select(file => FolderOf(Path.GetRelativePath(Root(project), file))).Distinct();

        Assert.Equal(PlacesOf(project).Keys.Order(StringComparer.Ordinal), folders.Order(StringComparer.Ordinal));
    }

    /// <summary>The control: without references there would be nothing to point back.</summary>
    [Fact]
    public void ReferencesAreFound()
    {
        using var assembly = new CompiledAssembly("Ioxide");
        HashSet<(string From, string To, string Name)> references = [.. assembly.References()];

        // A base type, a field, a call, a generic argument of a signature, an attribute's target in another part of the type.
        Assert.Contains(("Reactor/Trimmer.cs", "Reactor/TimerWheel.cs", "TimerEntry"), references);
        Assert.Contains(("Reactor/Reactor.cs", "Kernel/Ring.cs", "Ring"), references);
        Assert.Contains(("Kernel/Kernel.Calls.cs", "Kernel/Sys.cs", "Sys.Call"), references);
        Assert.Contains(("Sockets/Connection/ReactorGroup.Sockets.cs", "Sockets/Connection/RingConnection.cs", "RingConnection"), references);
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
    public void NoLineIsLongerThanAReaderLikes()
    {
        string[] longer = [.. Directory.EnumerateFiles(Path.Combine(Repository.Root, "src"), "*.cs", SearchOption.AllDirectories)
            .Where(file => !IsGenerated(file))
            .SelectMany(static file => File.ReadLines(file).Select((line, index) => (file, line, index)))
            .Where(static entry => entry.line.Length > MostColumns)
            .Select(static entry => $"{Path.GetRelativePath(Repository.Root, entry.file)}:{entry.index + 1}: {entry.line.Length} columns")];

        Assert.True(longer.Length == 0, string.Join('\n', longer));
    }

    [Fact]
    public void APublicTypeStandsInTheFileOfItsName()
    {
        string[] astray = [.. Directory.EnumerateFiles(Path.Combine(Repository.Root, "src"), "*.cs", SearchOption.AllDirectories)
            .Where(static file => !IsGenerated(file) && !file.Contains(s_families, StringComparison.Ordinal)).SelectMany(Astray)];

        Assert.True(astray.Length == 0, string.Join('\n', astray));
    }

    /// <summary>
    /// A part-file is no wall: every part sees all fields. So lines and fields are those of the whole type, and what has a life of its own is
    /// an object of its own. LargeTypes.txt lists the exceptions, each with its reason; one that is no longer needed fails too.
    /// </summary>
    [Fact]
    public void ATypeIsOfAReadersSize()
    {
        string list = Path.Combine(Repository.Root, "tests", "Runtime", "Structure", "LargeTypes.txt");
        HashSet<string> excused = [.. File.ReadLines(list).Where(static line => line.Length > 0 && line[0] != '#').Select(static line =>
        {
            Assert.Matches(@"^Ioxide[.\w]* \w+: .{20,}$", line);
            return line[..line.IndexOf(':', StringComparison.Ordinal)];
        })];
        HashSet<string> large = [.. Directory.EnumerateDirectories(Path.Combine(Repository.Root, "src")).Select(static folder => Path.GetFileName(folder)!)
            .Where(static project => !project.StartsWith("Ioxide.Analyzers", StringComparison.Ordinal))
            .SelectMany(project => LargeTypes(project).Select(type => $"{project} {type}"))];

        Assert.True(large.IsSubsetOf(excused), $"over {MostTypeLines} lines or {MostFields} fields: {string.Join(", ", large.Except(excused))}");
        Assert.True(excused.IsSubsetOf(large), $"no longer large, so remove it from LargeTypes.txt: {string.Join(", ", excused.Except(large))}");
    }

    private static IEnumerable<string> LargeTypes(string project)
    {
        using var assembly = new CompiledAssembly(project);
        IEnumerable<string> byFields = assembly.FieldCounts().Where(static type => type.Count > MostFields).Select(static type => type.Name);
        IEnumerable<string> byLines = SourcesOf(project).GroupBy(static file => Path.GetFileName(file).Split('.')[0])
            .Where(static files => files.Sum(static file => File.ReadLines(file).Count()) > MostTypeLines).Select(static files => files.Key);
        return [.. byFields.Union(byLines)];
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

    private static Dictionary<string, int> PlacesOf(string project)
    {
        string text = File.ReadAllText(Path.Combine(Repository.Root, "ARCHITECTURE.md"));
        Match match = Regex.Match(text, $@"^ {Regex.Escape(project)}: +(.+(?:\n   +.+)*)$", RegexOptions.Multiline);
        Assert.True(match.Success, $"ARCHITECTURE.md has no line of layers for {project}.");
        return match.Groups[1].Value.Split("<--")
            .SelectMany((place, index) => place.Split(["+", "\n", " "], StringSplitOptions.RemoveEmptyEntries).Select(folder => (folder, index)))
            .ToDictionary(entry => entry.folder, entry => entry.index);
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
