using System.Text.Json;

namespace Ioxide.Do;

/// <summary>The tests that a name belongs to.</summary>
internal sealed class TestSelection
{
    private readonly Dictionary<TestProject, string[]> _filters;

    private TestSelection(Dictionary<TestProject, string[]> filters, bool isInner)
    {
        _filters = filters;
        IsInner = isInner;
    }

    /// <summary>The runner's arguments that leave out what a script runs: <c>OnRequestAttribute</c> of tests/Kit.</summary>
    internal static string[] WithoutOnRequest { get; } = ["-trait-", "OnRequest=true"];

    /// <summary>Those that leave out what continuous integration runs once, too: <c>OnceAttribute</c>.</summary>
    internal static string[] WithoutOnce { get; } = [.. WithoutOnRequest, "-trait-", "Once=true"];

    /// <summary>Only these projects are built, as far as running them needs it.</summary>
    internal bool IsInner { get; }

    internal IEnumerable<TestProject> Projects => _filters.Keys;

    /// <summary>Writes the part of the solution that they are, for one build of them all.</summary>
    /// <returns>The file.</returns>
    internal string WriteSolution(string folder)
    {
        string file = Path.Combine(folder, "tests.slnf");
        string path = Path.GetRelativePath(folder, "Ioxide.sln");
        Directory.CreateDirectory(folder);
        File.WriteAllText(file, JsonSerializer.Serialize(new { solution = new { path, projects = Projects.Select(static project => project.ProjectFile) } }));
        return file;
    }

    /// <summary>The runner's arguments that select the project's tests.</summary>
    internal string[] Filter(TestProject project) => _filters[project];

    /// <summary>What continuous integration runs: in Release all but what a script runs, in Debug what may differ there.</summary>
    internal static TestSelection Continuous(IReadOnlyList<TestProject> all, bool isRelease) => new(
        all.Where(project => isRelease || !project.IsOnce)
            .ToDictionary(static project => project, project => isRelease ? WithoutOnRequest : [.. WithoutOnce, .. WithoutFolders(project)]),
        isInner: !isRelease);

    private static IEnumerable<string> WithoutFolders(TestProject project) => project.OnceFolders.SelectMany(folder =>
        project.ClassesIn(folder) is { Length: > 0 } classes
            ? classes.SelectMany(static type => new[] { "-class-", $"*.{type}" })
            : throw new UsageException($"{project.ProjectFile}: no test class lies in a folder named {folder} (TestOnceFolders)."));

    /// <summary>
    /// Without a name, everything. Else the project of that name, or the classes in folders of that name, or the tests whose full name contains it;
    /// <c>/...</c> is a query of xunit's.
    /// </summary>
    /// <exception cref="UsageException">No test has that name.</exception>
    internal static TestSelection Of(IReadOnlyList<TestProject> all, string? name)
    {
        if (name is null or ['/', ..])
        {
            return new TestSelection(all.ToDictionary(static project => project, _ => name is null ? [] : new[] { "-filter", name }), isInner: false);
        }

        if (all.FirstOrDefault(project => project.Is(name)) is { } whole)
        {
            return new TestSelection(new Dictionary<TestProject, string[]> { [whole] = [] }, isInner: true);
        }

        Dictionary<TestProject, string[]> found = all
            .Select(project => (Project: project, Classes: project.ClassesIn(name)))
            .Where(static entry => entry.Classes.Length > 0)
            .ToDictionary(static entry => entry.Project, static entry => entry.Classes.SelectMany(static type => new[] { "-class", $"*.{type}" }).ToArray());
        if (found.Count == 0)
        {
            found = all.Where(project => project.MayContain(name)).ToDictionary(static project => project, _ => new[] { "-method", $"*{name}*" });
        }

        return found.Count > 0 ? new TestSelection(found, isInner: true) : throw new UsageException(
            $"./test.sh: no test, class, folder or project is named {name}. Projects: {string.Join(", ", all.Select(static project => project.Name))}");
    }
}
