namespace Ioxide.PgBench;

/// <summary>What is asked.</summary>
/// <param name="Name">Its name on the command line.</param>
/// <param name="Title">Its name in the table.</param>
/// <param name="Kind">The question.</param>
/// <param name="Sides">The sides that ask it; the first is measured against the others.</param>
internal sealed record BenchWorkload(string Name, string Title, WorkloadKind Kind, params string[] Sides)
{
    internal int CallerCount { get; init; } = 1;

    /// <summary>Statements of one call.</summary>
    internal int QueriesACall { get; init; } = 1;

    /// <summary>Rows of one call, where that is part of the question.</summary>
    internal int RowCount { get; init; }

    /// <summary>Connections on both sides; 0 stands for our defaults, and for the side's own pool.</summary>
    internal int ConnectionCount { get; init; } = 1;

    internal static IReadOnlyList<BenchWorkload> All { get; } =
    [
        new("pk1", "primary key, 1 connection, awaited", WorkloadKind.PrimaryKey, "ioxide", "ioxide-epoll", "npgsql", "floor"),
        new("pk64", "primary key, 64 callers, 64 connections", WorkloadKind.PrimaryKey, "ioxide", "ioxide-epoll", "npgsql")
        {
            CallerCount = 64, ConnectionCount = 64,
        },
        new(
            "pk64-default", "primary key, 64 callers, default pool; Npgsql's pool 16, 64, 16 multiplexed", WorkloadKind.PrimaryKey,
            "ioxide", "npgsql", "npgsql-64", "npgsql-mux")
        {
            CallerCount = 64, ConnectionCount = 0,
        },
        new("batch20", "20 queries, one Sync (per query)", WorkloadKind.Batch, "ioxide", "npgsql", "floor") { QueriesACall = 20 },
        new("update20", "20 updates, one Sync (per update)", WorkloadKind.UpdateBatch, "ioxide", "npgsql", "floor") { QueriesACall = 20 },
        new("list12", "12 rows", WorkloadKind.Fortunes, "ioxide", "npgsql", "floor") { RowCount = 12 },
        new("list12-objects", "12 rows into a list of objects", WorkloadKind.FortuneObjects, "ioxide", "npgsql") { RowCount = 12 },
        new("rows50", "50 rows of 9 columns, typed", WorkloadKind.Items, "ioxide", "npgsql", "floor") { RowCount = 50 },
        new("rows50-objects", "50 rows of 9 columns into a list of objects", WorkloadKind.ItemObjects, "ioxide", "npgsql")
        {
            RowCount = 50,
        },
        new("rows50json", "50 rows of 9 columns as JSON", WorkloadKind.ItemsJson, "ioxide", "npgsql") { RowCount = 50 },
        new("rows1000", "1,000 rows of 9 columns", WorkloadKind.Items, "ioxide", "npgsql", "pgbench", "floor") { RowCount = 1_000 },
        new("rows100000", "100,000 rows of 9 columns, streamed", WorkloadKind.ItemsStreamed, "ioxide", "npgsql", "floor")
        {
            RowCount = Tables.ItemCount,
        },
        new("dapper", "Dapper, primary key", WorkloadKind.PrimaryKey, "dapper-ioxide", "dapper-npgsql"),
        new(
            "dapper-pool", "Dapper, primary key, caller on the thread pool", WorkloadKind.PrimaryKey, "dapper-pool-ioxide", "dapper-npgsql"),
        new("dapper64", "Dapper, primary key, 64 callers; Npgsql's pool 16", WorkloadKind.PrimaryKey, "dapper-ioxide", "dapper-npgsql")
        {
            CallerCount = 64, ConnectionCount = 0,
        },
        new("texts1", "texts that do not repeat, 1 caller", WorkloadKind.Texts, "ado-ioxide", "ado-npgsql"),
        new("texts16", "texts that do not repeat, 16 callers", WorkloadKind.Texts, "ado-ioxide", "ado-npgsql")
        {
            CallerCount = 16, ConnectionCount = 16,
        },
    ];

    /// <exception cref="ArgumentException">There is none of that name.</exception>
    internal static BenchWorkload Find(string name)
        => All.FirstOrDefault(workload => workload.Name == name)
            ?? throw new ArgumentException(
                $"No workload is called '{name}', only {string.Join(' ', All.Select(static workload => workload.Name))}.");
}
