using System.Diagnostics;

namespace Ioxide.Do;

/// <summary>Builds and runs tests: all projects beside each other, or the one that a name belongs to.</summary>
internal sealed class TestCommand
{
    private const int Slowest = 10;
    private const double Slow = 0.5;

    private readonly Lock _lock = new();
    private readonly List<(string Project, TestResults Results)> _results = [];
    private readonly TestSelection _selection;
    private readonly TestLanes _lanes;
    private readonly CancellationToken _stop;
    private readonly TimeSpan _limit = TimeSpan.FromSeconds(TestLanes.Setting("IOXIDE_TEST_LIMIT_SECONDS", 1500));
    private readonly string _artifacts;
    private readonly string _folder;

    private TestCommand(bool isRelease, TestSelection selection, TestLanes lanes, CancellationToken stop)
    {
        (_selection, _lanes, _stop) = (selection, lanes, stop);
        Configuration = isRelease ? "Release" : "Debug";
        _artifacts = selection.IsInner ? "artifacts/inner" : "artifacts";
        _folder = $"artifacts/test-results/{Output}";
    }

    /// <summary>Release or Debug.</summary>
    internal string Configuration { get; }

    /// <summary>Where <see cref="Report"/> writes each failed test and what it said.</summary>
    internal string FailedList => $"{_folder}/failed.txt";

    private string Output => Configuration.ToLowerInvariant();

    internal static async Task<int> RunAsync(string[] args, CancellationToken stop)
    {
        string[] options = [.. args.Where(static arg => arg.StartsWith('-'))];
        string[] names = [.. args.Where(static arg => !arg.StartsWith('-'))];
        if (options.Except(["--release", "--ci"]).Any() || names.Length > (options.Contains("--ci") ? 0 : 1))
        {
            throw new UsageException("usage: ./test.sh [--release] [NAME | --ci]");
        }

        bool isRelease = options.Contains("--release");
        using var lanes = new TestLanes();
        TestCommand command = options.Contains("--ci") ? Continuous(isRelease, lanes, stop)
            : new TestCommand(isRelease, TestSelection.Of(TestProject.All(), names.FirstOrDefault()), lanes, stop);
        if (await command.BuildAsync())
        {
            await command.RunBesideAsync();
            await command.RunAloneAsync();
        }

        TestCounts counts = command.Report();
        Console.WriteLine(counts);
        return counts is { Failed: 0, Passed: > 0 } && !stop.IsCancellationRequested ? 0 : 1;
    }

    /// <summary>What continuous integration runs in that configuration.</summary>
    /// <param name="isRelease">The configuration.</param>
    /// <param name="lanes">Where its processes run beside each other and beside those of another configuration.</param>
    /// <param name="stop">Ends it.</param>
    internal static TestCommand Continuous(bool isRelease, TestLanes lanes, CancellationToken stop)
        => new(isRelease, TestSelection.Continuous(TestProject.All(), isRelease), lanes, stop);

    /// <summary>Builds what the tests need, and empties the folder of results.</summary>
    /// <returns>Whether it was built; if not, that counts as a failed test.</returns>
    internal async Task<bool> BuildAsync()
    {
        string[] words = ["dotnet", "build", "-c", Configuration, "-v", "quiet", "--nologo", "-tl:off", "-clp:ErrorsOnly;NoSummary"];

        // What only a whole build needs is left out, in a folder of its own, so that a whole build does not take this one for its own.
        string[] all = !_selection.IsInner ? [.. words, "Ioxide.sln"] :
        [
            .. words, $"-p:ArtifactsPath={Path.GetFullPath(_artifacts)}", "-p:RunAnalyzers=false", "-p:GenerateDocumentationFile=false",
            _selection.WriteSolution(_artifacts),
        ];
        int status = await new Job("build", all) { Limit = TimeSpan.FromMinutes(30) }.RunAsync(_stop);
        if (Directory.Exists(_folder))
        {
            Directory.Delete(_folder, recursive: true);
        }

        Directory.CreateDirectory(_folder);
        if (status != 0)
        {
            Add("build", TestResults.Dead($"The {Configuration} build ended with status {status}."), "");
        }

        return status == 0;
    }

    /// <summary>Runs the tests that may run beside others. All of them have asked for a lane when it returns its task.</summary>
    internal Task RunBesideAsync() => Task.WhenAll(_selection.Runs
        .Where(static run => run.Project.Lane != TestProject.Alone)
        .Select(run => run.Project.Lane == TestProject.Background ? RunAsync(run, niceness: 19) : _lanes.RunAsync(() => RunAsync(run, niceness: 0))));

    /// <summary>Runs the tests that need the machine for themselves.</summary>
    internal async Task RunAloneAsync()
    {
        foreach (TestRun run in _selection.Runs.Where(static run => run.Project.Lane == TestProject.Alone))
        {
            await RunAsync(run, niceness: 0);
        }
    }

    /// <summary>Prints what it came to but for the counts, and writes the lists of what failed and was skipped.</summary>
    internal TestCounts Report()
    {
        TestResults[] all = [.. _results.Select(static result => result.Results)];
        string[] skipped = [.. all.SelectMany(static result => result.Skipped).Select(static test => $"{test.Test}\t{test.Reason}").Distinct().Order()];
        string[] failures = [.. all.SelectMany(static result => result.Failures)];
        File.WriteAllLines($"{_folder}/skipped.txt", skipped);
        File.WriteAllLines(FailedList, failures);
        Print("slowest", all.SelectMany(static result => result.Times)
            .Where(static test => test.Seconds >= Slow)
            .OrderByDescending(static test => test.Seconds)
            .Take(Slowest)
            .Select(static test => $"{test.Seconds,6:0.0} s  {test.Test}"));
        Print("skipped", skipped.Select(static line => line.Replace("\t", ": ", StringComparison.Ordinal)));
        Print("failed", failures);
        return new TestCounts(
            all.Sum(static result => result.Passed), all.Sum(static result => result.Failed), all.Sum(static result => result.Skipped.Count));
    }

    private async Task RunAsync(TestRun run, int niceness)
    {
        if (_stop.IsCancellationRequested)
        {
            return;
        }

        (TestProject project, string name, string[] filter) = run;
        string program = project.Program(Output, _artifacts);
        string log = $"{_folder}/{name}.log", resultFile = $"{_folder}/{name}.xml";
        if (!File.Exists(program))
        {
            Add(name, TestResults.Dead($"{name} was not built: is its project in Ioxide.sln?"), $"== {name}: not built\n");
            return;
        }

        long start = Stopwatch.GetTimestamp();
        string[] words = [program, "-noLogo", "-noColor", "-longRunning", "60", .. filter, "-xml", resultFile];
        int status = await new Job(name, words) { Log = log, Limit = _limit, Niceness = niceness, Environment = [Job.WithoutProfiles] }.RunAsync(_stop);
        int seconds = (int)Stopwatch.GetElapsedTime(start).TotalSeconds;
        string ended = _stop.IsCancellationRequested ? $"was ended by a signal after {seconds} s"
            : ExitStatus.IsLimit(status) ? $"was ended at the limit of {_limit.TotalSeconds:0} s"
            : $"ended with status {status} without a failed test after {seconds} s";
        TestResults results = TestResults.Read(name, resultFile, log, status, ended);
        Add(name, results, $"== {name} ({Configuration}), {seconds} s\n{(File.Exists(log) ? await File.ReadAllTextAsync(log) : "")}");
    }

    private void Add(string project, TestResults results, string said)
    {
        lock (_lock)
        {
            _results.Add((project, results));
            Console.Write(said);
        }
    }

    private static void Print(string title, IEnumerable<string> lines)
    {
        string[] all = [.. lines];
        if (all.Length > 0)
        {
            Console.WriteLine($"== {title}\n{string.Join('\n', all)}");
        }
    }
}

/// <summary>The last line of a run.</summary>
internal sealed record TestCounts(int Passed, int Failed, int Skipped)
{
    public override string ToString() => $"{Passed} passed, {Failed} failed, {Skipped} skipped";
}
