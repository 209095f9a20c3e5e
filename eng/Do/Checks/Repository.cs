namespace Ioxide.Do.Checks;

/// <summary>The repository itself: its scripts, its solution, its tables, its commits.</summary>
internal static class Repository
{
    private const int MaxTitle = 72;

    // Commits up to this one are not checked: it brought the check.
    private const string FirstChecked = "a265091fbd13b05b2d9813e604adee962c2cc131";

    internal static IEnumerable<Check> All =>
    [
        new("no unexpected skip", SkipsAsync),
        new("scripts", ScriptsAsync),
        new("every project is in Ioxide.sln", SolutionAsync),
        new("kernel table agrees with the headers", AbiAsync),
        new("commits", CommitsAsync),
    ];

    /// <summary>Every skipped test is a line of expected-skips.txt: the test's name, then its reason.</summary>
    private static Task<int> SkipsAsync(CheckLog log)
    {
        IEnumerable<string> expected = File.ReadLines(".ci/expected-skips.txt").Where(static line => line is not (['#', ..] or "")).Select(static line => line.Split(' ', '\t')[0]);
        string[] unexpected =
        [
            .. Directory.EnumerateFiles("artifacts/test-results", "skipped.txt", SearchOption.AllDirectories)
                .SelectMany(File.ReadLines)
                .Select(static line => line.Split('\t')[0])
                .Except(expected),
        ];
        if (unexpected.Length > 0)
        {
            log.Say($"skipped, but not in .ci/expected-skips.txt:\n{string.Join('\n', unexpected)}");
        }

        return Task.FromResult(unexpected.Length > 0 ? 1 : 0);
    }

    private static async Task<int> ScriptsAsync(CheckLog log)
    {
        string[] scripts = (await log.AskAsync("git", "ls-files", "-co", "--exclude-standard", ".ci/run", "test.sh", "eng/do", "eng/vm/run", "eng/*.sh", "bench/*.sh", "bench/report"))
            .Split('\n', StringSplitOptions.RemoveEmptyEntries);
        int status = 0;
        foreach (string script in scripts)
        {
            status |= await log.RunAsync(60, "bash", "-n", script);
        }

        // A host that is not root's may lack it: eng/install.sh has said so.
        if (status == 0 && await log.RunAsync(60, "bash", "-c", "command -v shellcheck > /dev/null") != 0)
        {
            log.Say("no shellcheck here: scripts are parsed, and not checked");
            return ExitStatus.Skipped;
        }

        return status != 0 ? status : await log.RunAsync(300, ["shellcheck", "-x", .. scripts]);
    }

    private static async Task<int> SolutionAsync(CheckLog log)
    {
        string[] listed = (await log.AskAsync("dotnet", "sln", "Ioxide.sln", "list")).Split('\n');
        string[] missing = (await log.AskAsync("git", "ls-files", "-co", "--exclude-standard", "*.csproj", ":!templates/ioxide*", ":!eng/Ahead"))
            .Split('\n', StringSplitOptions.RemoveEmptyEntries).Except(listed).ToArray();
        foreach (string project in missing)
        {
            log.Say($"{project} is not in Ioxide.sln");
        }

        return missing.Length > 0 ? 1 : 0;
    }

    private static async Task<int> AbiAsync(CheckLog log)
    {
        if (await log.RunAsync(60, "bash", "-c", "command -v gcc > /dev/null") != 0 || !File.Exists("/usr/include/linux/io_uring.h"))
        {
            log.Say("no compiler or no headers here: the committed table is not compared");
            return ExitStatus.Skipped;
        }

        return await log.RunAsync(60, "eng/abi.sh", "--check");
    }

    /// <summary>A title fits a line, a change of code says why, and history is a line.</summary>
    private static async Task<int> CommitsAsync(CheckLog log)
    {
        if (await log.RunAsync(60, "git", "merge-base", "--is-ancestor", FirstChecked, "HEAD") != 0)
        {
            log.Say($"{FirstChecked} is no ancestor here: a shallow clone, or another history");
            return ExitStatus.Skipped;
        }

        List<string> faults = [];
        string history = await log.AskAsync("git", "log", "--name-only", "--format=%x01%h%x02%P%x02%B%x02", $"{FirstChecked}..HEAD");
        foreach (string commit in history.Split('\x01').Skip(1))
        {
            // Its id, its parents, its message, its files.
            string[] parts = commit.Split('\x02');
            string[] message = parts[2].TrimEnd().Split('\n');
            bool hasCode = parts[3].Split('\n').Any(static file => Path.GetExtension(file) is ".cs" or ".csproj" or ".sh" or ".props" or ".targets");
            string name = $"{parts[0]} \"{message[0]}\"";
            faults.AddRange(message[0].Length > MaxTitle ? [$"{name}: its title has more than {MaxTitle} characters"] : []);
            faults.AddRange(hasCode && message.Length < 3 ? [$"{name} changes code and does not say why"] : []);
            faults.AddRange(parts[1].Contains(' ', StringComparison.Ordinal) ? [$"{name} is a merge"] : []);
        }

        faults.ForEach(log.Say);
        return faults.Count > 0 ? 1 : 0;
    }
}
