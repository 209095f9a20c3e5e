using System.Diagnostics;

namespace Ioxide.Do;

/// <summary>Builds and runs tests: all projects beside each other, or the one that a name belongs to.</summary>
internal sealed class TestCommand
{
    private const int Slowest = 10;
    private const double Slow = 0.5;

    private readonly Lock _lock = new();
    private readonly List<(string Project, TestResults Results)> _results = [];
    private readonly CancellationToken _stop;
    private readonly TimeSpan _limit = TimeSpan.FromSeconds(Setting("IOXIDE_TEST_LIMIT_SECONDS", 1500));
    private readonly string _configuration;
    private readonly string _artifacts;
    private readonly string _folder;

    private TestCommand(bool isRelease, bool isInner, CancellationToken stop)
    {
        _stop = stop;
        _configuration = isRelease ? "Release" : "Debug";
        _artifacts = isInner ? "artifacts/inner" : "artifacts";
        _folder = $"artifacts/test-results/{Output}";
    }

    private string Output => _configuration.ToLowerInvariant();

    internal static async Task<int> RunAsync(string[] args, CancellationToken stop)
    {
        string[] options = [.. args.Where(static arg => arg.StartsWith('-'))];
        string[] names = [.. args.Where(static arg => !arg.StartsWith('-'))];
        if (options.Except(["--release", "--ci"]).Any() || names.Length > (options.Contains("--ci") ? 0 : 1))
        {
            throw new UsageException("usage: ./test.sh [--release] [NAME | --ci]");
        }

        bool isRelease = options.Contains("--release");
        TestCounts counts = options.Contains("--ci") ? await ContinuousAsync(isRelease, ready: Task.CompletedTask, stop)
            : await RunAsync(isRelease, TestSelection.Of(TestProject.All(), names.FirstOrDefault()), ready: Task.CompletedTask, stop);
        Console.WriteLine(counts);
        return counts is { Failed: 0, Passed: > 0 } && !stop.IsCancellationRequested ? 0 : 1;
    }

    /// <summary>Runs what continuous integration runs in that configuration, and prints what it came to but for the counts.</summary>
    /// <param name="isRelease">The configuration.</param>
    /// <param name="ready">What the tests need beside the build, which need not wait for it.</param>
    /// <param name="stop">Ends it.</param>
    internal static Task<TestCounts> ContinuousAsync(bool isRelease, Task ready, CancellationToken stop)
        => RunAsync(isRelease, TestSelection.Continuous(TestProject.All(), isRelease), ready, stop);

    private static async Task<TestCounts> RunAsync(bool isRelease, TestSelection selection, Task ready, CancellationToken stop)
    {
        var command = new TestCommand(isRelease, selection.IsInner, stop);
        bool isBuilt = await command.BuildAsync(selection);
        await ready;
        if (!isBuilt)
        {
            return new TestCounts(0, 1, 0);
        }

        if (Directory.Exists(command._folder))
        {
            Directory.Delete(command._folder, recursive: true);
        }

        Directory.CreateDirectory(command._folder);
        await command.RunAllAsync(selection);
        return command.Report();
    }

    private static int Setting(string name, int normally)
        => int.TryParse(Environment.GetEnvironmentVariable(name), out int value) && value > 0 ? value : normally;

    private async Task<bool> BuildAsync(TestSelection selection)
    {
        string[] words = ["dotnet", "build", "-c", _configuration, "-v", "quiet", "--nologo", "-tl:off", "-clp:ErrorsOnly;NoSummary"];
        if (!selection.IsInner)
        {
            return await new Job("build", [.. words, "Ioxide.sln"]) { Limit = TimeSpan.FromMinutes(30) }.RunAsync(_stop) == 0;
        }

        // What only a whole build needs is left out, in a folder of its own, so that a whole build does not take this one for its own.
        string solution = selection.WriteSolution(_artifacts);
        string[] inner = [.. words, $"-p:ArtifactsPath={Path.GetFullPath(_artifacts)}", "-p:RunAnalyzers=false", "-p:GenerateDocumentationFile=false"];
        return await new Job("build", [.. inner, solution]) { Limit = TimeSpan.FromMinutes(30) }.RunAsync(_stop) == 0;
    }

    // Most tests wait more than they compute, so three projects run at once even on two processors, which are busy then.
    private async Task RunAllAsync(TestSelection selection)
    {
        int lanes = Setting("IOXIDE_TEST_LANES", Math.Max(3, Environment.ProcessorCount / 2));
        IEnumerable<TestProject> Of(string? lane)
            => selection.Projects.Where(project => project.Lane == lane).TakeWhile(_ => !_stop.IsCancellationRequested);

        Task background = Task.WhenAll(Of("background").Select(project => RunAsync(project, selection, niceness: 19)));
        await Parallel.ForEachAsync(
            Of(lane: null),
            new ParallelOptions { MaxDegreeOfParallelism = lanes },
            (project, _) => new ValueTask(RunAsync(project, selection, niceness: 0)));
        await background;
        foreach (TestProject project in Of("alone"))
        {
            await RunAsync(project, selection, niceness: 0);
        }
    }

    private async Task RunAsync(TestProject project, TestSelection selection, int niceness)
    {
        string name = project.Name, program = project.Program(Output, _artifacts);
        string log = $"{_folder}/{name}.log", resultFile = $"{_folder}/{name}.xml";
        if (!File.Exists(program))
        {
            Add(name, TestResults.Dead($"{name} was not built: is its project in Ioxide.sln?"), $"== {name}: not built\n");
            return;
        }

        long start = Stopwatch.GetTimestamp();
        string[] words = [program, "-noLogo", "-noColor", "-longRunning", "60", .. selection.Filter(project), "-xml", resultFile];
        int status = await new Job(name, words) { Log = log, Limit = _limit, Niceness = niceness }.RunAsync(_stop);
        int seconds = (int)Stopwatch.GetElapsedTime(start).TotalSeconds;
        string ended = _stop.IsCancellationRequested ? $"was ended by a signal after {seconds} s"
            : ExitStatus.IsLimit(status) ? $"was ended at the limit of {_limit.TotalSeconds:0} s"
            : $"ended with status {status} without a failed test after {seconds} s";
        TestResults results = TestResults.Read(name, resultFile, log, status, ended);
        Add(name, results, $"== {name} ({_configuration}), {seconds} s\n{(File.Exists(log) ? await File.ReadAllTextAsync(log) : "")}");
    }

    private void Add(string project, TestResults results, string said)
    {
        lock (_lock)
        {
            _results.Add((project, results));
            Console.Write(said);
        }
    }

    private TestCounts Report()
    {
        TestResults[] all = [.. _results.Select(static result => result.Results)];
        string[] skipped = [.. all.SelectMany(static result => result.Skipped).Select(static test => $"{test.Test}\t{test.Reason}").Distinct().Order()];
        string[] failures = [.. all.SelectMany(static result => result.Failures)];
        File.WriteAllLines($"{_folder}/skipped.txt", skipped);
        File.WriteAllLines($"{_folder}/failed.txt", failures);
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
