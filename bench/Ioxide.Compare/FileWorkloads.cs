using Ioxide.Compare.Loads;

namespace Ioxide.Compare;

/// <summary>Workloads that ask for static files, as a browser does: <c>Accept-Encoding: br, gzip</c>.</summary>
internal static class FileWorkloads
{
    /// <summary>Those that speak TLS and HTTP/2 in the load host.</summary>
    private static readonly IReadOnlyList<Side> s_hosts =
    [
        .. SideCatalog.Http,
        SideCatalog.Stock with { Name = "stock-static", Arguments = ["--files-by", "static"] },
        SideCatalog.Ioxide with { Name = "pipeline" },
        Pipeline("shortcircuit", "shortcircuit"),
        Pipeline("pipeline-middleware", "pipeline", "--middleware"),
        Pipeline("shortcircuit-middleware", "shortcircuit", "--middleware"),

        // For front@FOLDER, with a build of version 0.2 or before, which answered files before the server.
        Pipeline("front", "front"),
    ];

    private static readonly IReadOnlyList<Side> s_sides = [.. s_hosts, SideCatalog.Nginx];

    internal static IReadOnlyList<Workload> All { get; } =
    [
        new("files2k", "a static file of 2 KB", 64) { Sides = s_sides, NeedsFiles = true, Load = new FileLoad(2_000) },
        new("files30k", "a static file of 30 KB", 64) { Sides = s_sides, NeedsFiles = true, Load = new FileLoad(30_000) },
        new("files300k", "a static file of 300 KB", 64) { Sides = s_sides, NeedsFiles = true, Load = new FileLoad(300_000) },
        new("static", "20 static files of 500 bytes to 120 KB in turn, br and gzip accepted", 64)
        {
            Sides = s_sides, RunSides = [.. WorkloadCatalog.AllParts, "stock-static", "nginx"], NeedsFiles = true,
            Target = WorkloadCatalog.AtLeast(3), Load = new FileLoad(2_000) { IsMixture = true },
        },
        new("static-tls", "20 static files of 500 bytes to 120 KB in turn over TLS, br and gzip accepted", 64)
        {
            Sides = s_sides, RunSides = [.. WorkloadCatalog.AllParts, "stock-static", "nginx"], NeedsFiles = true,
            Endpoint = WorkloadEndpoint.Https, Load = new FileLoad(2_000) { IsMixture = true },
        },
        new("files-304", "a static file of 30 KB that the client has", 64)
        {
            Sides = s_sides, NeedsFiles = true, Load = new FileLoad(30_000) { IsKnown = true },
        },
        new("files-range", "1 KB out of 300 KB", 64)
        {
            Sides = s_sides, NeedsFiles = true, Load = new FileLoad(300_000) { RangeLength = 1000 },
        },
        new("files-https", "a static file of 30 KB over TLS", 64)
        {
            Sides = s_hosts, NeedsFiles = true, Load = new FileLoad(30_000), Endpoint = WorkloadEndpoint.Https,
        },
        new("files-h2", "a static file of 2 KB over cleartext HTTP/2, 32 streams a connection, no coding", 16)
        {
            Sides = s_hosts, NeedsFiles = true, Endpoint = WorkloadEndpoint.Http2,
            Load = new H2Load(FileSet.PathOf(2_000, isCoded: false), streamCount: 32),
        },
        new("files30k-h2", "the same with 30 KB", 16)
        {
            Sides = s_hosts, RunSides = WorkloadCatalog.WithEngine, Target = WorkloadCatalog.AtLeast(2), NeedsFiles = true,
            Endpoint = WorkloadEndpoint.Http2, Load = new H2Load(FileSet.PathOf(30_000, isCoded: false), streamCount: 32),
        },
        new("files30k-h2-tls", "the same over TLS", 16)
        {
            Sides = s_hosts, NeedsFiles = true, Endpoint = WorkloadEndpoint.Https,
            Load = new H2Load(FileSet.PathOf(30_000, isCoded: false), streamCount: 32),
        },
    ];

    private static Side Pipeline(string name, string filesBy, params string[] more)
        => SideCatalog.Ioxide with { Name = name, Arguments = ["--ioxide-tls", "--files-by", filesBy, .. more] };
}
