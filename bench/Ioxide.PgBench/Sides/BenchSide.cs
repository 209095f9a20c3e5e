using Ioxide.PgBench.Turns;

namespace Ioxide.PgBench.Sides;

/// <summary>A driver with its connections, and the callers of one workload.</summary>
internal abstract class BenchSide(string name, BenchWorkload workload) : IAsyncDisposable
{
    /// <summary>Ioxide.Pg where io_uring is refused.</summary>
    internal const string OnEpoll = "ioxide-epoll";

    internal string Name { get; } = name;

    internal BenchWorkload Workload { get; } = workload;

    /// <exception cref="NotSupportedException">No side is called so, or it cannot run the workload.</exception>
    internal static BenchSide Create(string name, BenchWorkload workload, BenchOptions options) => name switch
    {
        "ioxide" or OnEpoll => new IoxideSide(name, workload, options),
        "npgsql" or "npgsql-64" or "npgsql-mux" => new NpgsqlSide(name, workload, options),
        "floor" => new FloorSide(name, workload, options),
        "dapper-ioxide" or "dapper-pool-ioxide" or "dapper-npgsql" or "ado-ioxide" or "ado-npgsql" => new AdoSide(name, workload, options),
        _ => throw new NotSupportedException($"No side is called '{name}'."),
    };

    /// <summary>Opens what is kept open.</summary>
    internal abstract Task OpenAsync();

    /// <summary>Asks with all callers until the turn is over.</summary>
    /// <exception cref="WrongAnswerException">An answer was wrong.</exception>
    internal abstract Task RunAsync(Turn turn);

    public abstract ValueTask DisposeAsync();

    protected NotSupportedException Unsupported() => new($"{Name} does not run {Workload.Name}.");
}
