namespace Ioxide.Mutation;

/// <summary>A copy of the repository with every fault of the catalogue in it, built once; a variable switches one on.</summary>
internal sealed class FaultyCopy(string root, string folder)
{
    private const string Filter = "mutation.slnf";

    private int _writtenCount;

    private static readonly TimeSpan s_buildLimit = TimeSpan.FromMinutes(20);

    /// <summary>Brings the copy up to date and builds it. Only files that changed are written, so a second build is short.</summary>
    /// <returns>Whether anything changed since the last build.</returns>
    /// <exception cref="InvalidOperationException">A fault does not fit its source, or the copy does not build.</exception>
    internal bool Make(IReadOnlyList<Fault> faults)
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

        return _writtenCount > 0;
    }

    /// <summary>Runs test classes of one project.</summary>
    /// <returns>What failed first, or null where everything passed.</returns>
    internal string? RunTests(string testProject, IEnumerable<string> classes, int fault, TimeSpan limit)
    {
        string program = Path.Combine(folder, "artifacts", "bin", testProject, "debug", testProject);
        IEnumerable<string> arguments = [.. classes.SelectMany(static name => new[] { "-class", name }), "-noLogo", "-noColor", "-stopOnFail"];
        (int status, string text) = ChildProcess.Run(
            program, arguments, limit, folder, (SourceTree.Variable, fault.ToString(System.Globalization.CultureInfo.InvariantCulture)));
        if (status == ChildProcess.TimedOut)
        {
            return text;
        }

        string[] lines = text.Split('\n');
        if (status == 0)
        {
            // A class that is not there would pass without a test.
            return Array.Exists(lines, static line => line.Contains("Total: 0,", StringComparison.Ordinal)) ? "no test ran" : null;
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

        _writtenCount++;
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
                    File.Delete(path);
                }
            }
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
