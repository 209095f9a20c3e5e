using System.Globalization;

namespace Ioxide.PgBench;

/// <summary>What the command line asks.</summary>
internal sealed class BenchOptions
{
    internal const string Usage =
        """
        Ioxide.PgBench --side SIDE --workload NAME --host H --port N [options]      one side, one line of JSON
        Ioxide.PgBench compare --workload NAME[,NAME...] --host H --port N [options]  all sides by turns, a table
          --sides A,B,...    compare: only these
          --rounds N         compare: turns a side, 5 unless told
          --client-cpus L    compare: CPUs of the clients (taskset), any unless told
          --output FILE      compare: appends a line of JSON a turn
          --pgbench PATH     compare: pgbench, for the workload that it is a side of
          --turns            one turn for each line of input, until its end
          --seconds S        seconds a turn, 3 unless told
          --warmup S         least seconds of warm-up, 5 unless told
          --user U --database D   postgres and bench unless told
          --server-pid N     the server's process, for its CPU time
          --list             show the workloads and the sides
        """;

    internal bool Compare { get; private set; }

    internal bool List { get; private set; }

    internal IReadOnlyList<string> Workloads { get; private set; } = [];

    internal IReadOnlyList<string> Sides { get; private set; } = [];

    internal string Host { get; private set; } = "127.0.0.1";

    internal int Port { get; private set; } = 5432;

    internal string User { get; private set; } = "postgres";

    internal string Database { get; private set; } = "bench";

    internal int ServerId { get; private set; }

    internal int RoundCount { get; private set; } = 5;

    internal double Seconds { get; private set; } = 3;

    internal double WarmupSeconds { get; private set; } = 5;

    internal bool Turns { get; private set; }

    internal string? ClientCpus { get; private set; }

    internal string? Output { get; private set; }

    internal string? PgBench { get; private set; }

    /// <exception cref="ArgumentException">An argument is unknown, lacks its value or has a bad one.</exception>
    internal static BenchOptions Parse(string[] args)
    {
        var options = new BenchOptions();
        for (int i = 0; i < args.Length; i++)
        {
            switch (args[i])
            {
                case "compare": options.Compare = true; break;
                case "--list": options.List = true; break;
                case "--turns": options.Turns = true; break;
                case "--workload": options.Workloads = Value(args, ref i).Split(','); break;
                case "--side" or "--sides": options.Sides = Value(args, ref i).Split(','); break;
                case "--host": options.Host = Value(args, ref i); break;
                case "--port": options.Port = (int)Number(args, ref i); break;
                case "--user": options.User = Value(args, ref i); break;
                case "--database": options.Database = Value(args, ref i); break;
                case "--server-pid": options.ServerId = (int)Number(args, ref i); break;
                case "--rounds": options.RoundCount = (int)Number(args, ref i); break;
                case "--seconds": options.Seconds = Number(args, ref i); break;
                case "--warmup": options.WarmupSeconds = Number(args, ref i); break;
                case "--client-cpus": options.ClientCpus = Value(args, ref i); break;
                case "--output": options.Output = Value(args, ref i); break;
                case "--pgbench": options.PgBench = Value(args, ref i); break;
                default: throw new ArgumentException($"Unknown argument '{args[i]}'.");
            }
        }

        return options.List || (options.Workloads.Count > 0 && (options.Compare || (options.Sides.Count == 1 && options.Workloads.Count == 1)))
            ? options
            : throw new ArgumentException("A workload is missing, or the side.");
    }

    /// <summary>The arguments of a child that runs one side.</summary>
    internal IEnumerable<string> ChildArguments(string side, BenchWorkload workload) =>
    [
        "--side", side, "--workload", workload.Name, "--turns", "--host", Host, "--port", Text(Port), "--user", User,
        "--database", Database, "--server-pid", Text(ServerId), "--seconds", Text(Seconds), "--warmup", Text(WarmupSeconds),
    ];

    private static string Text(double number) => number.ToString(CultureInfo.InvariantCulture);

    private static string Value(string[] args, ref int index)
        => ++index < args.Length ? args[index] : throw new ArgumentException($"{args[index - 1]} lacks its value.");

    private static double Number(string[] args, ref int index)
        => double.TryParse(Value(args, ref index), NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double number)
            ? number
            : throw new ArgumentException($"{args[index - 1]} takes a number, not '{args[index]}'.");
}
