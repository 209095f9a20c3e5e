namespace Ioxide.Mutation;

/// <summary>A copy of the repository with every fault of the catalogue in it, built once; a variable switches one on.</summary>
/// <param name="root">The repository.</param>
/// <param name="folder">Of the copy.</param>
/// <param name="beforeChange">Called before the first file of the copy is written or deleted: what is known of the last build does not count then.</param>
internal sealed class FaultyCopy(string root, string folder, Action beforeChange)
{
    private const string Filter = "mutation.slnf";

    private bool _isChanged;

    private static readonly TimeSpan s_buildLimit = TimeSpan.FromMinutes(20);

    /// <summary>Brings the copy up to date and builds it. Only files that changed are written, so a second build is short.</summary>
    /// <exception cref="InvalidOperationException">A fault does not fit its source, or the copy does not build.</exception>
    internal void Make(IReadOnlyList<Fault> faults)
    {
        Dictionary<string, string> planted = Plant(faults);
        var wanted = new HashSet<string>(planted.Keys, StringComparer.Ordinal);
        foreach (string file in ListFiles())
        {
            wanted.Add(file);
            if (!planted.ContainsKey(file))
            {
                WriteIfChanged(file, File.ReadAllBytes(Path.Combine(root, file)));
            }
        }

        foreach ((string file, string content) in planted)
        {
            WriteIfChanged(file, System.Text.Encoding.UTF8.GetBytes(content));
        }

        DeleteOthers(wanted);
        WriteFilter(faults);
        (int status, string text) = ChildProcess.Run(
            "dotnet",
            ["build", Filter, "-v", "quiet", "-p:TreatWarningsAsErrors=false", "-p:RunAnalyzers=false", "-p:EnforceCodeStyleInBuild=false", "-nowarn:CS0436"],
            s_buildLimit, folder);
        if (status != 0)
        {
            throw new InvalidOperationException($"the faulty copy does not build:\n{text}");
        }
    }

    /// <summary>Runs one test class.</summary>
    /// <param name="name">Its full name.</param>
    /// <param name="fault">The number of the fault that is switched on; 0 is none.</param>
    /// <param name="limit">When it counts as one that hangs.</param>
    /// <returns>What failed first, or null where everything passed.</returns>
    /// <exception cref="InvalidOperationException">The class has no test.</exception>
    internal string? RunTests(string name, int fault, TimeSpan limit)
    {
        string testProject = Fault.TestProjectOf(name);
        string program = Path.Combine(folder, "artifacts", "bin", testProject, "debug", testProject);
        (int status, string text) = ChildProcess.Run(
            program, ["-class", name, "-noLogo", "-noColor", "-stopOnFail"], limit, folder, (SourceTree.Variable, fault.ToString(System.Globalization.CultureInfo.InvariantCulture)));
        if (status == ChildProcess.TimedOut)
        {
            return text;
        }

        string[] lines = text.Split('\n');
        if (status == 0)
        {
            return Array.Exists(lines, static line => line.Contains("Total: 0", StringComparison.Ordinal))
                ? throw new InvalidOperationException($"{program} ran no test of {name}: the class has none, or another name.")
                : null;
        }

        string? failed = Array.Find(lines, static line => line.EndsWith("[FAIL]", StringComparison.Ordinal));
        return failed?.Trim().Replace(" [FAIL]", "", StringComparison.Ordinal) ?? $"ended with status {status}";
    }

    private Dictionary<string, string> Plant(IReadOnlyList<Fault> faults)
    {
        var trees = new Dictionary<string, SourceTree>(StringComparer.Ordinal);
        foreach (Fault fault in faults)
        {
            SourceTree.Plant(root, trees, fault);
        }

        var planted = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach ((string project, SourceTree tree) in trees)
        {
            planted.Add($"src/{project}/Mutants.cs", SourceTree.SwitchFile);
            foreach ((string path, string content) in tree.Changed)
            {
                planted.Add($"src/{project}/{path}", content);
            }
        }

        return planted;
    }

    private string[] ListFiles()
    {
        (int status, string text) = ChildProcess.Run("git", ["-C", root, "ls-files", "-co", "--exclude-standard"], TimeSpan.FromMinutes(1));
        return status == 0
            ? [.. text.Split('\n', StringSplitOptions.RemoveEmptyEntries).Where(file => File.Exists(Path.Combine(root, file)))]
            : throw new InvalidOperationException($"git does not list the files: {text}");
    }

    private void WriteIfChanged(string file, byte[] content)
    {
        string target = Path.Combine(folder, file);
        if (File.Exists(target) && File.ReadAllBytes(target).AsSpan().SequenceEqual(content))
        {
            return;
        }

        Change();
        Directory.CreateDirectory(Path.GetDirectoryName(target)!);
        File.WriteAllBytes(target, content);
        string source = Path.Combine(root, file);
        if (File.Exists(source))
        {
            File.SetUnixFileMode(target, File.GetUnixFileMode(source));
        }
    }

    private void DeleteOthers(HashSet<string> wanted)
    {
        foreach (string top in (string[])["src", "tests", "samples"])
        {
            foreach (string path in Directory.EnumerateFiles(Path.Combine(folder, top), "*", SearchOption.AllDirectories))
            {
                if (!wanted.Contains(Path.GetRelativePath(folder, path)))
                {
                    Change();
                    File.Delete(path);
                }
            }
        }
    }

    private void Change()
    {
        if (!_isChanged)
        {
            beforeChange();
            _isChanged = true;
        }
    }

    private void WriteFilter(IReadOnlyList<Fault> faults)
    {
        HashSet<string> names = [.. faults.SelectMany(static fault => fault.ClassNames.Select(Fault.TestProjectOf))];
        IEnumerable<string> projects = Directory.EnumerateFiles(Path.Combine(root, "tests"), "*.csproj", SearchOption.AllDirectories)
            .Where(path => names.Contains(Path.GetFileNameWithoutExtension(path)))
            .Order(StringComparer.Ordinal)
            .Select(path => $"\"{Path.GetRelativePath(root, path)}\"");
        string content = "{\"solution\": {\"path\": \"Ioxide.sln\", \"projects\": [" + string.Join(", ", projects) + "]}}";
        WriteIfChanged(Filter, System.Text.Encoding.UTF8.GetBytes(content));
    }
}
