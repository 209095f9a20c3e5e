using System.Globalization;

namespace Ioxide.Compare;

/// <summary>What the command line asks of a comparison.</summary>
internal sealed class CompareOptions
{
    internal const string Usage =
        """
        compare.sh --workload NAME [options]
          --sides A,B,...    sides to alternate; every side of the workload's group unless told
                             NAME[-quiet][@DIRECTORY][+VARIABLE=VALUE]...: -quiet turns the host's own log of requests off,
                             DIRECTORY holds another build of the side's program, the variables are added to its environment
          --run              the sides that bench/run.sh compares, as far as their programs are here
          --rounds N         rounds a side, 5 unless told
          --seconds S        seconds of load a round, 5 unless told
          --warmup S         least seconds of load before the first round, 10 unless told
          --first S          starts each server anew and measures each of its first S seconds, at most 30, in place of rounds of load
          --jit S            starts each side once and lists what its JIT compiles until S seconds after its first reply, under the
                             workload's load; no round is run and no file of results written
          --connections C    connections of the load, the workload's own count unless told
          --rate N           requests a second, for workloads that keep to a rate; their own rate unless told
          --reactors N       reactors of the ring sides, 0 (one a CPU they may use) unless told
          --database TEXT    connection string for async-db and crud; bench/pg.sh --endpoints starts a server and gives it
          --syscalls         count system calls in a short pass of its own after the rounds
          --server-cpus L    CPUs of the servers, 0 unless told
          --load-cpus L      CPUs of the load, 1 unless told
          --json FILE        where the result goes, artifacts/bench/DATE-WORKLOAD.json unless told
          --markdown         print the run also as a table for RESULTS.md
          --no-build         take the programs as they were built last
          --list             show the workloads and the sides
          --list-run         show the names of the workloads of bench/run.sh, and "database" behind those that need one
        """;

    internal string Workload { get; private set; } = "";

    internal IReadOnlyList<string> Sides { get; private set; } = [];

    internal bool Run { get; private set; }

    internal string? Json { get; private set; }

    internal bool ListRun { get; private set; }

    /// <summary>The arguments as they were given, without those that say where files and servers are.</summary>
    internal string Flags { get; private set; } = "";

    internal int RoundCount { get; private set; } = 5;

    internal int Seconds { get; private set; } = 5;

    internal int WarmupSeconds { get; private set; } = 10;

    /// <summary>Seconds of a process that has just started; zero for rounds of load on warm servers.</summary>
    internal int FirstSeconds { get; private set; }

    /// <summary>How long a JIT is watched; zero for a comparison.</summary>
    internal int JitSeconds { get; private set; }

    /// <summary>Zero stands for the workload's own count.</summary>
    internal int ConnectionCount { get; private set; }

    /// <summary>Zero stands for the workload's own rate.</summary>
    internal int Rate { get; private set; }

    internal int ReactorCount { get; private set; }

    internal string? Database { get; private set; }

    internal bool CountSystemCalls { get; private set; }

    internal CpuList ServerCpus { get; private set; } = CpuList.Parse("0");

    internal CpuList LoadCpus { get; private set; } = CpuList.Parse("1");

    /// <summary>Server and load use a CPU together: what the load and others use of it is then not known.</summary>
    internal bool AreCpusShared => ServerCpus.Cpus.Intersect(LoadCpus.Cpus).Any();

    internal bool Markdown { get; private set; }

    internal bool List { get; private set; }

    /// <summary>The repository's root folder.</summary>
    internal string Root { get; private set; } = "";

    /// <summary>Where the builds lie and the results go.</summary>
    internal string Artifacts { get; private set; } = "";

    /// <exception cref="ArgumentException">An argument is unknown, lacks its value or has a bad one.</exception>
    internal static CompareOptions Parse(string[] args)
    {
        var options = new CompareOptions { Flags = FlagsOf(args) };
        for (int i = 0; i < args.Length; i++)
        {
            switch (args[i])
            {
                case "--workload": options.Workload = Value(args, ref i); break;
                case "--sides": options.Sides = Value(args, ref i).Split(','); break;
                case "--run": options.Run = true; break;
                case "--json": options.Json = Value(args, ref i); break;
                case "--list-run": options.ListRun = true; break;
                case "--rounds": options.RoundCount = Positive(args, ref i); break;
                case "--seconds": options.Seconds = Positive(args, ref i); break;
                case "--warmup": options.WarmupSeconds = Positive(args, ref i); break;
                case "--first": options.FirstSeconds = Math.Min(Positive(args, ref i), Metric.FirstSeconds.Count); break;
                case "--jit": options.JitSeconds = Positive(args, ref i); break;
                case "--connections": options.ConnectionCount = Positive(args, ref i); break;
                case "--rate": options.Rate = Positive(args, ref i); break;
                case "--reactors": options.ReactorCount = Positive(args, ref i); break;
                case "--database": options.Database = Value(args, ref i); break;
                case "--syscalls": options.CountSystemCalls = true; break;
                case "--server-cpus": options.ServerCpus = CpuList.Parse(Value(args, ref i)); break;
                case "--load-cpus": options.LoadCpus = CpuList.Parse(Value(args, ref i)); break;
                case "--markdown": options.Markdown = true; break;
                case "--list": options.List = true; break;
                case "--root": options.Root = Value(args, ref i); break;
                case "--artifacts": options.Artifacts = Value(args, ref i); break;
                default: throw new ArgumentException($"Unknown argument '{args[i]}'.");
            }
        }

        return options;
    }

    private static string FlagsOf(string[] args)
    {
        string[] places = ["--root", "--artifacts", "--json", "--database"];
        return string.Join(' ', args.Where((argument, index) => !places.Contains(argument) && (index == 0 || !places.Contains(args[index - 1]))));
    }

    private static string Value(string[] args, ref int index)
        => ++index < args.Length ? args[index] : throw new ArgumentException($"{args[index - 1]} lacks its value.");

    private static int Positive(string[] args, ref int index)
        => int.TryParse(Value(args, ref index), NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            && number > 0
                ? number
                : throw new ArgumentException($"{args[index - 1]} takes a number above 0, not '{args[index]}'.");
}
