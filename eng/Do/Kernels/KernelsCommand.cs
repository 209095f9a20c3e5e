using System.Diagnostics;
using System.Globalization;

namespace Ioxide.Do.Kernels;

/// <summary>Runs suites on other kernels, each in a virtual machine (eng/vm), and writes docs/kernel-versions.md from what they came to.</summary>
/// <remarks>
/// Everything in the machine is emulated, so that a kernel takes hours. What has passed on that release is not run again, and an interrupted run continues
/// where it stopped: results and what the host's check said are in <c>docs/kernels/KERNEL</c>, logs in <c>artifacts/kernels/KERNEL</c>.
/// </remarks>
internal sealed class KernelsCommand : IDisposable
{
    internal const string Folder = "docs/kernels";
    internal const string ResultFile = "results.tsv";
    internal const string CheckFile = "check.txt";

    /// <summary>The line of <see cref="CheckFile"/> with which the check begins.</summary>
    internal const string Release = "release ";

    private const string LogFolder = "artifacts/kernels";
    private const string Check = "samples/Hello/Hello.csproj";
    private const string Arm = "arm64:";
    private const string ArmFolder = "artifacts/arm64/app";

    private const string Usage =
        "usage: eng/do kernels [--again] [--unit NAME]... [--limit MINUTES] KERNEL...   kernels as eng/vm/run names them; arm64:KERNEL\n"
        + "       eng/do kernels --table";

    // Emulated code takes some twenty times longer; limits of time are raised to a minute without it.
    private const int TimeFactor = 5;
    private const int MemoryMiB = 4096;

    // eng/vm/run says so of itself, and of a machine that did not start.
    private const int NoMachine = 125;
    private const int LastLines = 20;

    // What tests start; one that this host has not is left out, and its tests skip themselves there as they do here.
    private static readonly string[] s_programs =
        ["setpriv", "prlimit", "setsid", "unshare", "ip", "nft", "taskset", "ss", "openssl", "curl", "h2load", "nghttp"];

    private readonly string _name;
    private readonly string _kernel;
    private readonly bool _isArm;
    private readonly TimeSpan _limit;
    private readonly CancellationToken _stop;
    private readonly string _folder;
    private readonly string _logs;
    private readonly IReadOnlyList<TestProject> _projects = TestProject.All();
    private readonly FileStream _lock;

    private KernelsCommand(string kernel, TimeSpan limit, CancellationToken stop)
    {
        (_name, _limit, _stop) = (kernel, limit, stop);
        _isArm = kernel.StartsWith(Arm, StringComparison.Ordinal);
        _kernel = _isArm ? kernel[Arm.Length..] : kernel;
        _folder = Path.Combine(Folder, kernel.Replace(':', '_'));
        _logs = Path.Combine(LogFolder, kernel.Replace(':', '_'));
        Directory.CreateDirectory(_folder);
        Directory.CreateDirectory(_logs);
        try
        {
            _lock = new FileStream(Path.Combine(_logs, "lock"), FileMode.Create, FileAccess.ReadWrite, FileShare.None);
        }
        catch (IOException)
        {
            throw new UsageException($"eng/do kernels: another run is on {kernel}: wait for its end, or stop it.");
        }
    }

    public void Dispose() => _lock.Dispose();

    internal static async Task<int> RunAsync(string[] args, CancellationToken stop)
    {
        if (args is ["--table"])
        {
            KernelsTable.Write();
            return 0;
        }

        bool isAgain = false;
        var limit = TimeSpan.FromHours(2);
        List<string> units = [], kernels = [];
        for (int i = 0; i < args.Length; i++)
        {
            switch (args[i])
            {
                case "--again":
                    isAgain = true;
                    break;
                case "--unit" when i + 1 < args.Length:
                    units.Add(args[++i]);
                    break;
                case "--limit" when i + 1 < args.Length && int.TryParse(args[i + 1], NumberStyles.None, CultureInfo.InvariantCulture, out int minutes):
                    limit = TimeSpan.FromMinutes(minutes);
                    i++;
                    break;
                case ['-', ..]:
                    throw new UsageException(Usage);
                default:
                    kernels.Add(args[i]);
                    break;
            }
        }

        KernelUnit[] wanted = [.. KernelUnit.All.Where(unit => units.Count == 0 || units.Any(name => unit.Name.StartsWith(name, StringComparison.Ordinal)))];
        if (kernels.Count == 0 || wanted.Length == 0)
        {
            throw new UsageException($"{Usage}\nunits: {string.Join(", ", KernelUnit.All.Select(static unit => unit.Name))}");
        }

        int failed = 0;
        foreach (string kernel in kernels)
        {
            using var command = new KernelsCommand(kernel, limit, stop);
            bool isBuilt = await command.BuildAsync(Check) == 0;
            foreach (string project in command.Of(wanted).Select(static unit => unit.Project).Distinct())
            {
                isBuilt = isBuilt && await command.BuildAsync(command._projects.Single(known => known.Name == project));
            }

            if (!isBuilt)
            {
                return 1;
            }

            failed += await command.RunAsync(command.Of(wanted), isAgain);
        }

        return failed == 0 && !stop.IsCancellationRequested ? 0 : 1;
    }

    private string[] Machine => ["eng/vm/run", "--kernel", _kernel, "--arch", _isArm ? "arm64" : "x86_64"];

    /// <summary>For another processor there is no .NET here: each program brings its own.</summary>
    private IEnumerable<KernelUnit> Of(KernelUnit[] units) => units.Where(unit => !_isArm || unit.IsPortable);

    /// <summary>Builds tests and what they start.</summary>
    private async Task<bool> BuildAsync(TestProject tests)
    {
        // A build of tests builds what they start; a publication does not publish it.
        foreach (string project in _isArm ? tests.Programs.Prepend(tests.ProjectFile) : [tests.ProjectFile])
        {
            if (await BuildAsync(project) != 0)
            {
                return false;
            }
        }

        return true;
    }

    private Task<int> BuildAsync(string project)
    {
        string[] words = ["-c", "Release", "-v", "quiet", "--nologo"];
        return (_isArm
            ? new Job("build", [
                "dotnet", "publish", project, "-r", "linux-arm64", "--self-contained", "-o", BuiltOf(project), "-p:RunAnalyzers=false",
                $"-p:ArtifactsPath={Path.GetFullPath("artifacts/arm64")}", .. words,
            ])
            : new Job("build", ["dotnet", "build", project, .. words])).RunAsync(_stop);
    }

    /// <summary>Where the build of a project lies.</summary>
    private string BuiltOf(string project) => Path.Combine(_isArm ? ArmFolder : "artifacts/bin", Path.GetFileNameWithoutExtension(project), "release");

    private async Task<int> RunAsync(IEnumerable<KernelUnit> units, bool isAgain)
    {
        if (await CheckAsync() is not { } release)
        {
            return 1;
        }

        Console.WriteLine($"== {_name}: Linux {release}");
        if (await CommitAsync() is not { } commit)
        {
            return 1;
        }

        string file = Path.Combine(_folder, ResultFile);
        Dictionary<string, KernelResult> known = KernelResult.ReadAll(file);
        int failed = 0;
        foreach (KernelUnit unit in units.Where(unit => isAgain || known.GetValueOrDefault(unit.Name) is not { } last || !last.HasPassedOn(release)))
        {
            long start = Stopwatch.GetTimestamp();
            TestResults? results = await RunAsync(unit);
            if (_stop.IsCancellationRequested)
            {
                break;
            }

            if (results is null)
            {
                // No result of the kernel's.
                failed++;
                continue;
            }

            var result = new KernelResult(
                unit.Name, release, commit, results.Passed, results.Failed, results.Skipped.Count, (int)Stopwatch.GetElapsedTime(start).TotalSeconds,
                DateOnly.FromDateTime(DateTime.UtcNow));
            known[unit.Name] = result;
            File.WriteAllLines($"{file}.new", KernelUnit.All.Select(unit => known.GetValueOrDefault(unit.Name)?.Line()).OfType<string>());
            File.Move($"{file}.new", file, overwrite: true);
            Console.WriteLine($"{unit.Name}: {results.Passed} passed, {results.Failed} failed, {results.Skipped.Count} skipped, {result.Seconds} s");
            foreach (string failure in results.Failures)
            {
                Console.WriteLine($"  {failure.Split('\n')[0]}");
            }

            failed += results.Failed;
        }

        return failed;
    }

    /// <summary>What the check of samples/Hello says there, which tells the features that the reactors use.</summary>
    /// <returns>The kernel's release; null where the machine did not start.</returns>
    private async Task<string?> CheckAsync()
    {
        string file = Path.Combine(_logs, CheckFile);
        File.Delete(file);
        string[] words =
        [
            .. Machine, "--timeout", "300", "--", BuiltOf(Check),
            "sh", "-c", $"echo {Release}$(uname -r); {(_isArm ? "./Hello" : "dotnet Hello.dll")} --ioxide-check",
        ];
        int status = await new Job("check", words) { Log = file }.RunAsync(_stop);

        // The first start of a machine tells what is installed, too.
        string[] lines = [.. File.ReadLines(file).SkipWhile(static line => !line.StartsWith(Release, StringComparison.Ordinal))];
        if (status != 0 || lines.Length == 0)
        {
            Console.WriteLine(await File.ReadAllTextAsync(file, CancellationToken.None));
            return null;
        }

        await File.WriteAllLinesAsync(Path.Combine(_folder, CheckFile), lines, CancellationToken.None);
        return lines[0][Release.Length..];
    }

    /// <returns>Null where the machine did not start.</returns>
    private async Task<TestResults?> RunAsync(KernelUnit unit)
    {
        string name = unit.Name.Replace('/', '-').Replace(' ', '-'), log = Path.Combine(_logs, $"{name}.log");
        string output = Path.Combine(_logs, name), result = Path.Combine(output, "result.xml");
        File.Delete(log);
        Directory.CreateDirectory(output);
        File.Delete(result);
        TestProject project = _projects.Single(known => known.Name == unit.Project);
        string app = await AppAsync(project);
        string[] words =
        [
            .. Machine, "--mem", $"{MemoryMiB}", "--timeout", $"{(int)_limit.TotalSeconds}", "--out", output,
            .. _isArm ? [] : unit.Needs.Where(Path.Exists).Concat(s_programs.Where(IsHere)).SelectMany(static word => new[] { "--with", word }),
            "--", app, "env", $"IOXIDE_TIME_FACTOR={TimeFactor}", $"IOXIDE_TEST_KERNEL={(unit.IsOnEpoll ? "epoll" : "")}",
            .. _isArm ? [$"{unit.Project}/release/{unit.Project}"] : new[] { "dotnet", $"{unit.Project}/release/{unit.Project}.dll" }, "-noLogo", "-noColor", "-longRunning", "60",
            .. unit.Folders.SelectMany(folder => ClassesOf(project, folder)).Concat(unit.Classes).SelectMany(static type => new[] { "-class", $"*.{type}" }),
            "-xml", "/out/result.xml",
        ];
        int status = await new Job(unit.Name, words) { Log = log, Limit = _limit + TimeSpan.FromMinutes(10) }.RunAsync(_stop);
        if (status == NoMachine)
        {
            Console.WriteLine($"{unit.Name}: no machine\n{string.Join('\n', File.ReadLines(log).TakeLast(LastLines))}");
            return null;
        }

        return TestResults.Read(unit.Name, result, log, status, $"ended with status {status}");
    }

    private static string[] ClassesOf(TestProject project, string folder)
        => project.ClassesIn(folder) is { Length: > 0 } classes ? classes
            : throw new UsageException($"eng/do kernels: {project.Folder}/{folder}, which KernelUnit names, has no test class.");

    /// <summary>A folder with the build of the tests and of the programs that they start, side by side as they are here.</summary>
    private async Task<string> AppAsync(TestProject tests)
    {
        string app = Path.Combine(_logs, "app");
        if (Directory.Exists(app))
        {
            Directory.Delete(app, recursive: true);
        }

        foreach (string project in tests.Programs.Prepend(tests.ProjectFile))
        {
            string build = BuiltOf(project), name = Path.GetFileNameWithoutExtension(project);
            Directory.CreateDirectory(Path.Combine(app, name));
            if (await new Job("copy", "cp", "-al", build, Path.Combine(app, name)).RunAsync(_stop) != 0)
            {
                throw new UsageException($"eng/do kernels: {build} cannot be linked into {app}: both must be on one file system.");
            }
        }

        return app;
    }

    /// <summary>What is tested, with a plus where files beside the documents differ from it; null where git does not say.</summary>
    private async Task<string?> CommitAsync()
    {
        const string Ask = "git rev-parse --short=8 HEAD && { git diff --quiet HEAD -- . ':!docs' || echo +; }";
        string file = Path.Combine(_logs, "commit.txt");
        File.Delete(file);
        int status = await new Job("commit", "bash", "-c", Ask) { Log = file }.RunAsync(_stop);
        string said = string.Concat(await File.ReadAllLinesAsync(file, CancellationToken.None));
        if (status == 0)
        {
            return said;
        }

        Console.WriteLine(said);
        return null;
    }

    private static bool IsHere(string program)
        => Environment.GetEnvironmentVariable("PATH")!.Split(':').Append("/usr/sbin").Any(folder => File.Exists(Path.Combine(folder, program)));
}
