using Ioxide.Compare.Loads;

namespace Ioxide.Compare;

/// <summary>Workloads whose application asks a PostgreSQL (<c>--database</c>; <c>bench/pg.sh --endpoints</c> and
/// <c>bench/run.sh</c> start one).</summary>
internal static class DatabaseWorkloads
{
    private const string ByPrice = "/async-db?min=10&max=50";

    private static readonly IReadOnlyList<Side> s_sides =
    [
        SideCatalog.Stock,
        SideCatalog.Stock with { Name = "stock-mux", Arguments = ["--multiplexing"] },
        SideCatalog.Stock with { Name = "stock-inline", Transport = "sockets-inline" },
        SideCatalog.Inline,
        SideCatalog.Transport,
        SideCatalog.Ioxide,
        SideCatalog.Objects,
        SideCatalog.Epoll,
    ];

    private static readonly Question s_rows = Question.Items(ByPrice, rowCount: 50);

    /// <summary>The boards give its server 4 or 16 CPUs; here <c>--server-cpus</c> does.</summary>
    private static readonly Workload s_api = new("api-4", "3 sums, 3 lists of items, 2 of 50 rows; 5 requests a connection", 64)
    {
        Sides = s_sides,
        RunSides = WorkloadCatalog.AllParts,
        NeedsDatabase = true,
        Target = WorkloadCatalog.AtLeast(1.5),
        Load = new CheckedLoad(new WrkLoad("/") { Script = "api.lua" }, s_rows, Question.Sum, Question.PricedItems),
    };

    internal static IReadOnlyList<Workload> All { get; } =
    [
        new("async-db", "50 rows by price range as JSON", 64)
        {
            Sides = s_sides, RunSides = [.. WorkloadCatalog.AllParts, "objects"], NeedsDatabase = true, Target = WorkloadCatalog.AtLeast(2.5),
            Load = new CheckedLoad(new WrkLoad(ByPrice), s_rows),
        },
        new("fortunes", "12 rows and one more, sorted and escaped into a page", 128)
        {
            Sides = s_sides, RunSides = WorkloadCatalog.AllParts, NeedsDatabase = true, Target = WorkloadCatalog.AtLeast(1.7),
            Load = new CheckedLoad(new WrkLoad(Question.Fortunes.Path), Question.Fortunes),
        },
        new("crud", "rows by key 70 % through a cache of a second, lists 10 %, changes 15 %, upserts 5 %", 64)
        {
            Sides = s_sides, RunSides = WorkloadCatalog.AllParts, NeedsDatabase = true, Target = WorkloadCatalog.AtLeast(2),
            Load = new CheckedLoad(
                new WrkLoad("/crud/items") { Script = "crud.lua" },
                Question.Items("/crud/items?category=Category%201&page=0", rowCount: 20),
                Question.Items("/crud/items/7", rowCount: 1)),
        },
        s_api,
        s_api with { Name = "api-16", Summary = "the same with 256 connections", ConnectionCount = 256 },
    ];
}
