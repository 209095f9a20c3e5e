using System.Diagnostics;
using System.Globalization;
using Ioxide.Do.Api;
using Ioxide.Do.Checks;

namespace Ioxide.Do;

/// <summary>
/// Continuous integration: the tests in Release, beside the last of them in Debug those that may differ there, and beside the last of those the checks.
/// Each check counts as one test. The last line is the sum; above it stands a table of what took how long, and above that each failed test and check
/// with what it said.
/// </summary>
internal sealed class Continuous : IDisposable
{
    private static readonly TimeSpan s_limit = TimeSpan.FromMinutes(80);
    private static readonly TimeSpan s_installLimit = TimeSpan.FromMinutes(15);
    private static readonly TimeSpan s_testsLimit = TimeSpan.FromMinutes(55);

    // What takes longest begins first.
    private static readonly Check[] s_beside = [Packages.Reproducible, Packages.Native, .. Suites.All, ApiReference.Check, Templates.Check];

    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly CompilerServer _compiler = new();
    private readonly DirectoryInfo _logs = Directory.CreateTempSubdirectory("ioxide-ci-");
    private readonly CancellationTokenSource _stop;
    private readonly Lock _lock = new();
    private readonly List<(string Name, TimeSpan Time, string Result)> _table = [];
    private readonly List<string> _failures = [];
    private int _passed;
    private int _failed;
    private int _skipped;

    private Continuous(CancellationToken stop)
    {
        _stop = CancellationTokenSource.CreateLinkedTokenSource(stop);
        _stop.CancelAfter(s_limit);
    }

    public void Dispose()
    {
        _compiler.Dispose();
        _stop.Dispose();
        _logs.Delete(recursive: true);
    }

    internal static async Task<int> RunAsync(CancellationToken stop)
    {
        using var run = new Continuous(stop);
        if (Directory.Exists("artifacts/test-results"))
        {
            Directory.Delete("artifacts/test-results", recursive: true);
        }

        // It waits for the network, and the build for the processor. What installs packages is not ended in the middle.
        Task<int> installing = new Job("install", "eng/install.sh", "--ci") { Limit = s_installLimit }.RunAsync(CancellationToken.None);
        await run.TestsAsync(installing);
        await run.CheckAsync(new Check("programs that tests need", async log =>
        {
            if (await installing is not 0 and var status)
            {
                log.Say($"eng/install.sh --ci ended with status {status}, and said why above. Run it alone.");
            }

            return await installing;
        }));

        foreach (Check check in Repository.All)
        {
            await run.CheckAsync(check);
        }

        return run.Report();
    }

    /// <summary>Runs one check on what the Release build and the packages left.</summary>
    /// <exception cref="UsageException">No check has that name.</exception>
    internal static async Task<int> CheckAsync(string name, CancellationToken stop)
    {
        Check[] all = [Packages.Pack, .. s_beside, .. Repository.All, Packages.Trimmed];
        using var run = new Continuous(stop);
        await run.CheckAsync(all.FirstOrDefault(check => check.Name == name) ?? throw new UsageException(
            $"eng/do: no check is named '{name}'. Checks:\n{string.Join('\n', all.Select(static check => check.Name))}"));
        return run._failed;
    }

    /// <summary>
    /// The tests in both configurations, and what is checked beside them. Debug is built and begins as soon as Release leaves a lane free, a check as soon as
    /// Debug does; tests that need the machine for themselves come last.
    /// </summary>
    private async Task TestsAsync(Task installing)
    {
        Console.WriteLine("\n=== tests");
        long start = Stopwatch.GetTimestamp();
        using var lanes = new TestLanes();
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
        limit.CancelAfter(s_testsLimit);
        TestCommand release = TestCommand.Continuous(isRelease: true, lanes, limit.Token);
        TestCommand debug = TestCommand.Continuous(isRelease: false, lanes, limit.Token);

        bool isBuilt = await release.BuildAsync();
        await installing;
        List<Task> beside = isBuilt ? [release.RunBesideAsync()] : [];
        if (await lanes.RunAsync(debug.BuildAsync))
        {
            beside.Add(debug.RunBesideAsync());
        }

        // The others read what this one restores anew.
        await lanes.RunAsync(() => CheckAsync(Packages.Pack));
        beside.AddRange(s_beside.Select(check => lanes.RunAsync(() => CheckAsync(check))));
        await Task.WhenAll(beside);
        if (isBuilt)
        {
            await release.RunAloneAsync();
            await debug.RunAloneAsync();
        }

        string result = $"{await CountAsync(release)}; {await CountAsync(debug)}";
        _table.Add(("tests, Release; Debug; checks beside them", Stopwatch.GetElapsedTime(start), result));
    }

    private async Task<TestCounts> CountAsync(TestCommand command)
    {
        Console.WriteLine($"\n=== tests, {command.Configuration}");
        TestCounts counts = command.Report();
        if (counts is { Passed: 0, Failed: 0 })
        {
            counts = counts with { Failed = 1 };
        }

        Console.WriteLine(counts);
        _passed += counts.Passed;
        _failed += counts.Failed;
        _skipped += counts.Skipped;
        if (counts.Failed > 0)
        {
            _failures.Add($"=== failed: tests, {command.Configuration}\n{await File.ReadAllTextAsync(command.FailedList)}");
        }

        return counts;
    }

    private async Task CheckAsync(Check check)
    {
        long start = Stopwatch.GetTimestamp();
        var log = new CheckLog(Path.Combine(_logs.FullName, $"{check.Name.Replace('/', ' ')}.log"), _stop.Token);
        int status;
        try
        {
            status = await check.Run(log);
        }
        catch (Exception exception) when (exception is not UsageException)
        {
            log.Say($"{exception}");
            status = 1;
        }

        TimeSpan time = Stopwatch.GetElapsedTime(start);
        string result = status switch
        {
            0 => "ok",
            ExitStatus.Skipped => "skipped",
            _ when ExitStatus.IsLimit(status) => "FAILED: ended at its limit",
            _ => $"FAILED: status {status}",
        };
        lock (_lock)
        {
            Console.WriteLine($"\n=== {check.Name}\n{log.Text()}{result}: {check.Name}, {time.TotalSeconds:0} s");
            _passed += status == 0 ? 1 : 0;
            _skipped += status == ExitStatus.Skipped ? 1 : 0;
            _table.Add((check.Name, time, result));
            if (status is not 0 and not ExitStatus.Skipped)
            {
                _failed++;
                _failures.Add($"=== failed: {check.Name}, status {status} after {time.TotalSeconds:0} s\n{log.Essence()}");
            }
        }
    }

    private int Report()
    {
        foreach (string failure in _failures)
        {
            Console.WriteLine($"\n{failure}");
        }

        Console.WriteLine();
        foreach ((string name, TimeSpan time, string result) in _table)
        {
            Console.WriteLine($"{name,-50}{time.TotalSeconds,7:0} s  {result}");
        }

        Console.WriteLine($"{"all of it",-50}{Stopwatch.GetElapsedTime(_start).TotalSeconds,7:0} s");
        bool isGood = _failed == 0 && _passed > 0 && !_stop.IsCancellationRequested;
        if (isGood)
        {
            File.WriteAllText(FiguresCommand.CountFile, _passed.ToString(CultureInfo.InvariantCulture));
        }

        Console.WriteLine(new TestCounts(_passed, _failed, _skipped));
        return isGood ? 0 : 1;
    }
}
