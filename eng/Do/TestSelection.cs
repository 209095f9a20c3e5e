using System.Text.Json;

namespace Ioxide.Do;

/// <summary>The tests that a name belongs to.</summary>
internal sealed class TestSelection
{
    private TestSelection(IEnumerable<TestRun> runs, bool isInner)
    {
        Runs = [.. runs];
        IsInner = isInner;
    }

    /// <summary>The runner's arguments that leave out what a script runs: <c>OnRequestAttribute</c> of tests/Kit.</summary>
    internal static string[] WithoutOnRequest { get; } = ["-trait-", "OnRequest=true"];

    /// <summary>Those that leave out what continuous integration runs once, too: <c>OnceAttribute</c>.</summary>
    internal static string[] WithoutOnce { get; } = [.. WithoutOnRequest, "-trait-", "Once=true"];

    /// <summary>Only these projects are built, as far as running them needs it.</summary>
    internal bool IsInner { get; }

    /// <summary>In the order in which they start.</summary>
    internal IReadOnlyList<TestRun> Runs { get; }

    /// <summary>Writes the part of the solution that they are, for one build of them all.</summary>
    /// <returns>The file.</returns>
    internal string WriteSolution(string folder)
    {
        string file = Path.Combine(folder, "tests.slnf");
        string path = Path.GetRelativePath(folder, "Ioxide.sln");
        Directory.CreateDirectory(folder);
        IEnumerable<string> projects = Runs.Select(static run => run.Project.ProjectFile).Distinct();
        File.WriteAllText(file, JsonSerializer.Serialize(new { solution = new { path, projects } }));
        return file;
    }

    /// <summary>What continuous integration runs: in Release all but what a script runs, in Debug what may differ there.</summary>
    internal static TestSelection Continuous(IReadOnlyList<TestProject> all, bool isRelease) => new(
        all.Where(project => isRelease || !project.IsOnce)
            .SelectMany(project => isRelease ? Whole(project, WithoutOnRequest) : Whole(project, WithoutOnce, project.OnceFolders)),
        isInner: !isRelease);

    /// <summary>
    /// Without a name, everything. Else the project of that name, or the classes in folders of that name, or the tests whose full name contains it;
    /// <c>/...</c> is a query of xunit's.
    /// </summary>
    /// <exception cref="UsageException">No test has that name.</exception>
    internal static TestSelection Of(IReadOnlyList<TestProject> all, string? name)
    {
        if (name is null or ['/', ..])
        {
            return new TestSelection(
                name is null ? all.SelectMany(static project => Whole(project, [])) : all.Select(project => Part(project, "-filter", name)),
                isInner: false);
        }

        if (all.FirstOrDefault(project => project.Is(name)) is { } whole)
        {
            return new TestSelection(Whole(whole, []), isInner: true);
        }

        TestRun[] found =
        [
            .. all.Select(project => (Project: project, Classes: project.ClassesIn(name)))
                .Where(static entry => entry.Classes.Length > 0)
                .Select(static entry => Part(entry.Project, Each("-class", entry.Classes))),
        ];
        if (found.Length == 0)
        {
            found = [.. all.Where(project => project.MayContain(name)).Select(project => Part(project, "-method", $"*{name}*"))];
        }

        return found.Length > 0 ? new TestSelection(found, isInner: true) : throw new UsageException(
            $"./test.sh: no test, class, folder or project is named {name}. Projects: {string.Join(", ", all.Select(static project => project.Name))}");
    }

    /// <summary>All tests of a project, in one process or two, but for those in the folders.</summary>
    private static IEnumerable<TestRun> Whole(TestProject project, string[] filter, params string[] withoutFolders)
    {
        string[] without = ClassesIn(project, withoutFolders), second = ClassesIn(project, project.SecondFolders);
        yield return Part(project, [.. filter, .. Each("-class-", without.Union(second))]);
        if (second.Except(without).ToArray() is { Length: > 0 } beside)
        {
            yield return new TestRun(project, $"{project.Name}.Second", [.. filter, .. Each("-class", beside)]);
        }
    }

    private static TestRun Part(TestProject project, params string[] filter) => new(project, project.Name, filter);

    private static string[] Each(string option, IEnumerable<string> classes) => [.. classes.SelectMany(type => new[] { option, $"*.{type}" })];

    private static string[] ClassesIn(TestProject project, string[] folders) => [.. folders.SelectMany(folder =>
        project.ClassesIn(folder) is { Length: > 0 } classes
            ? classes
            : throw new UsageException($"{project.ProjectFile}: no test class lies in a folder named {folder}."))];
}
