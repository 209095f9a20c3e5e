using System.Globalization;
using Ioxide.Do.Checks;

namespace Ioxide.Do;

/// <summary>Tests must not depend on each other: each class runs in a process of its own, then the whole suites run in the orders of seeds.</summary>
/// <remarks>
/// A seed orders the classes of a suite, the tests of each class and the rows of each test (tests/Order). Logs are in artifacts/orders; what fails comes
/// and goes with the machine's load too, so a class that failed is run again by hand before an order is looked for.
/// </remarks>
internal sealed class OrdersCommand
{
    private const string Usage = "usage: eng/do orders [--seeds 1,2,3] [--classes | --suites] [PROJECT...]";
    private const string Folder = "artifacts/orders";
    private const int Lanes = 2;

    private static readonly TimeSpan s_limit = TimeSpan.FromMinutes(40);

    private readonly CancellationToken _stop;
    private readonly List<string> _failed = [];
    private int _runs;

    private OrdersCommand(CancellationToken stop) => _stop = stop;

    internal static async Task<int> RunAsync(string[] args, CancellationToken stop)
    {
        int[] seeds = [1, 2, 3];
        bool hasClasses = true, hasSuites = true;
        List<string> names = [];
        for (int i = 0; i < args.Length; i++)
        {
            switch (args[i])
            {
                case "--seeds" when i + 1 < args.Length && args[i + 1].Split(',') is var list && list.All(static seed => int.TryParse(seed, out _)):
                    seeds = [.. args[++i].Split(',').Select(static seed => int.Parse(seed, CultureInfo.InvariantCulture))];
                    break;
                case "--classes":
                    hasSuites = false;
                    break;
                case "--suites":
                    hasClasses = false;
                    break;
                case ['-', ..]:
                    throw new UsageException(Usage);
                default:
                    names.Add(args[i]);
                    break;
            }
        }

        IReadOnlyList<TestProject> all = TestProject.All();
        TestProject[] projects = names.Count == 0 ? [.. all] : [.. names.Select(
            name => all.FirstOrDefault(project => project.Is(name)) ?? throw new UsageException($"{Usage}\nno test project is named {name}"))];
        Directory.CreateDirectory(Folder);
        var command = new OrdersCommand(stop);
        foreach (TestProject project in projects)
        {
            if (await new Job("build", "dotnet", "build", project.Folder, "-v", "quiet").RunAsync(stop) != 0)
            {
                return 1;
            }

            if (hasClasses)
            {
                await command.ClassesAsync(project);
            }

            if (hasSuites)
            {
                await command.SuiteAsync(project, seeds);
            }
        }

        Console.WriteLine($"{command._runs} runs, {command._failed.Count} failed{(stop.IsCancellationRequested ? ", then ended by a signal" : "")}");
        return command._failed.Count == 0 && !stop.IsCancellationRequested ? 0 : 1;
    }

    private async Task ClassesAsync(TestProject project)
    {
        Console.WriteLine($"== {project.Name}: each class alone");
        string list = Path.Combine(Folder, $"{project.Name}.classes");
        File.Delete(list);
        int status = await new Job("classes", project.Program("debug"), "-list", "classes", "-noLogo", "-noColor") { Log = list }.RunAsync(_stop);
        string[] said = File.Exists(list) ? await File.ReadAllLinesAsync(list, CancellationToken.None) : [];
        string[] classes = [.. said.Where(static line => line.StartsWith("Ioxide", StringComparison.Ordinal))];
        if (status != 0 || classes.Length == 0)
        {
            Add(project.Name, status, $"-list classes named {classes.Length} classes:\n{string.Join('\n', said)}");
            return;
        }

        await Parallel.ForEachAsync(
            classes, new ParallelOptions { MaxDegreeOfParallelism = project.Lane == "alone" ? 1 : Lanes },
            (name, _) => new ValueTask(RunAsync(name, [project.Program("debug"), "-class", name])));
    }

    // One test at a time, so that the order is the seed's and not the threads'.
    private async Task SuiteAsync(TestProject project, int[] seeds)
    {
        foreach (int seed in seeds)
        {
            Console.WriteLine($"== {project.Name}: all of it in the order of seed {seed}");
            await RunAsync(
                $"{project.Name}.seed-{seed}", [project.Program("debug"), "-parallel", "none", "-preEnumerateTheories"], ("IOXIDE_TEST_ORDER", $"{seed}"));
        }
    }

    private async Task RunAsync(string name, string[] words, params (string, string)[] environment)
    {
        string file = Path.Combine(Folder, $"{name}.log");
        File.Delete(file);
        var log = new CheckLog(file, _stop);
        int status = await log.RunAsync(
            new Job(name, [.. words, "-noLogo", "-noColor"]) { Limit = s_limit, Niceness = 10, Environment = environment });
        Add(name, status, status == 0 ? null : $"{file}\n{log.Essence()}");
    }

    /// <summary>Counts a run; what a signal ended, or did not let begin, is none.</summary>
    private void Add(string name, int status, string? failure)
    {
        if (_stop.IsCancellationRequested)
        {
            return;
        }

        lock (_failed)
        {
            _runs++;
            if (failure is not null)
            {
                _failed.Add(name);
                Console.WriteLine($"FAILED: {name}, status {status}, {failure}");
            }
        }
    }
}
