using Ioxide.Compare.Loads;

namespace Ioxide.Compare;

/// <summary>Workloads whose application asks a PostgreSQL (<c>--database</c>, which <c>bench/pg.sh --endpoints</c> starts).</summary>
/// <remarks>The driver is a part of a side: Npgsql on stock Kestrel, Ioxide.Pg on io_uring.</remarks>
internal static class DatabaseWorkloads
{
    private const string ByPrice = "/async-db?min=10&max=50";

    private static readonly IReadOnlyList<Side> s_sides =
    [
        new("stock", SideProgram.LoadHost, "sockets", UsesRing: false, IsStock: true),
        new("stock-mux", SideProgram.LoadHost, "sockets", UsesRing: false, IsStock: true) { Arguments = ["--multiplexing"] },
        new("stock-inline", SideProgram.LoadHost, "sockets-inline", UsesRing: false, IsStock: true),
        new("ioxide", SideProgram.LoadHost, "ioxide", UsesRing: true, IsStock: false),
    ];

    internal static IReadOnlyList<Workload> All { get; } =
    [
        new("async-db", "50 rows by price range as JSON", 64)
        {
            Sides = s_sides, NeedsDatabase = true, Load = new CheckedLoad(new WrkLoad(ByPrice), ByPrice, rowCount: 50),
        },
        new("crud", "rows by key 70 %, lists 10 %, changes 15 %, upserts 5 %", 64)
        {
            Sides = s_sides, NeedsDatabase = true,
            Load = new CheckedLoad(
                new WrkLoad("/crud/items") { Script = "crud.lua" }, "/crud/items?category=Category%201&page=0", rowCount: 20),
        },
    ];
}
