using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace Ioxide.Do;

/// <summary>A project of tests: its own runner.</summary>
internal sealed partial class TestProject
{
    /// <summary>A <see cref="Lane"/>: it needs the machine for itself.</summary>
    internal const string Alone = "alone";

    /// <summary>A <see cref="Lane"/>: it only computes, and gives way to all others.</summary>
    internal const string Background = "background";

    private TestProject(string file, XDocument document)
    {
        ProjectFile = file;
        IsTest = Property(document, "IsTestProject") == "true";
        string? lane = Property(document, "TestLane");
        Lane = lane is null or Alone or Background
            ? lane
            : throw new UsageException($"{file}: TestLane is '{lane}', so that the project would never run. Write alone or background, or leave it out.");
        IsOnce = Property(document, "TestOnce") == "true";
        OnceFolders = Property(document, "TestOnceFolders")?.Split(';') ?? [];
        SecondFolders = Property(document, "TestSecondFolders")?.Split(';') ?? [];
        Programs =
        [
            .. document.Descendants("ProjectReference")
                .Where(static reference => (string?)reference.Attribute("ReferenceOutputAssembly") == "false")
                .Select(static reference => (string)reference.Attribute("Include")!) // Without it, it is no reference.
                .Where(static include => !include.Contains("/src/", StringComparison.Ordinal))
                .Select(include => Path.GetRelativePath(".", Path.Combine(Folder, include))),
        ];
    }

    internal string ProjectFile { get; }

    internal string Name => Path.GetFileNameWithoutExtension(ProjectFile);

    internal string Folder => Path.GetDirectoryName(ProjectFile)!; // It lies in a folder.

    /// <summary>What a build makes of it.</summary>
    /// <param name="output">"debug" or "release".</param>
    /// <param name="artifacts">Where the build lies.</param>
    internal string Program(string output, string artifacts = "artifacts") => $"{artifacts}/bin/{Name}/{output}/{Name}";

    /// <summary>Where it runs; null: in one of the lanes.</summary>
    internal string? Lane { get; }

    /// <summary>Continuous integration runs it in Release alone: what it tests is the same in Debug.</summary>
    internal bool IsOnce { get; }

    /// <summary>The same for the classes in folders of these names.</summary>
    internal string[] OnceFolders { get; }

    /// <summary>Folders whose classes run in a second process, beside the others: one process would last longer than all other projects.</summary>
    internal string[] SecondFolders { get; }

    /// <summary>The project files of programs that it starts, which its build builds.</summary>
    internal string[] Programs { get; }

    /// <summary>How much source text it has: what has most takes longest.</summary>
    internal long SourceLength => Sources().Sum(static file => new FileInfo(file).Length);

    private bool IsTest { get; }

    internal static IReadOnlyList<TestProject> All() =>
    [
        .. Directory.EnumerateFiles("tests", "*.csproj", SearchOption.AllDirectories)
            .Select(static file => new TestProject(file, XDocument.Load(file)))
            .Where(static project => project.IsTest)
            .OrderByDescending(static project => project.SourceLength),
    ];

    /// <summary>Whether this is the project of that name: <c>Ioxide.Pg.Tests</c>, <c>Ioxide.Pg</c> or <c>Pg</c>, in any case.</summary>
    internal bool Is(string name)
        => new[] { name, $"Ioxide.{name}", $"{name}.Tests", $"Ioxide.{name}.Tests" }.Contains(Name, StringComparer.OrdinalIgnoreCase);

    /// <summary>The test classes in its folders of that name.</summary>
    internal string[] ClassesIn(string folder) =>
    [
        .. Sources()
            .Where(file => Path.GetDirectoryName(file)!.Split('/').Skip(2).Contains(folder, StringComparer.OrdinalIgnoreCase)) // It lies in a folder.
            .SelectMany(static file => Class().Matches(File.ReadAllText(file)))
            .Select(static match => match.Groups[1].Value)
            .Distinct(),
    ];

    internal bool HasClass(string name) => Sources().Any(file => Class().Matches(File.ReadAllText(file)).Any(match => match.Groups[1].Value == name));

    /// <summary>Whether a test's full name may contain the text.</summary>
    internal bool MayContain(string text)
    {
        var names = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        foreach (string file in Sources())
        {
            string source = File.ReadAllText(file);
            names.UnionWith(Class().Matches(source).Concat(Method().Matches(source)).Select(static match => match.Groups[1].Value));
        }

        string[] parts = text.Split('.', StringSplitOptions.RemoveEmptyEntries);
        return parts.Length > 0
            && parts.All(part => Name.Contains(part, StringComparison.OrdinalIgnoreCase)
                || names.Any(name => name.Contains(part, StringComparison.OrdinalIgnoreCase)))
            && names.Any(name => name.Contains(parts[^1], StringComparison.OrdinalIgnoreCase));
    }

    private IEnumerable<string> Sources() => Directory.EnumerateFiles(Folder, "*.cs", SearchOption.AllDirectories);

    private static string? Property(XDocument document, string name) => document.Descendants(name).FirstOrDefault()?.Value;

    [GeneratedRegex(@"^public (?:\w+ )*class (\w+)", RegexOptions.Multiline)]
    private static partial Regex Class();

    // The word before the parameters of a public method.
    [GeneratedRegex(@"^    public [^=;(]*?(\w+)(?:<[^>(]*>)?\(", RegexOptions.Multiline)]
    private static partial Regex Method();
}
