using Ioxide.Compare.Loads;

namespace Ioxide.Compare;

/// <summary>The workloads that can be named on the command line.</summary>
internal static class WorkloadCatalog
{
    internal static readonly IReadOnlyList<Workload> All =
    [
        new("plaintext", "minimal API, chunked text", 64) { Load = new WrkLoad("/plaintext") },
        new("plaintext512", "the same with many connections", 512) { Load = new WrkLoad("/plaintext") },
        new("json", "minimal API, source-generated JSON", 64) { Load = new WrkLoad("/json") },
        new("fixed", "text with Content-Length, one flush", 64) { Load = new WrkLoad("/fixed") },
        new("pipelined", "plaintext, 16 requests a batch", 64)
        {
            Load = new WrkLoad("/plaintext") { PipelineDepth = 16 },
        },
        new("yield", "the handler goes on on the thread pool", 64) { Load = new WrkLoad("/yield") },
        new("delay", "the handler waits for a timer of 1 ms", 64) { Load = new WrkLoad("/delay") },
        new("http", "the handler calls another server", 64) { Load = new WrkLoad("/http"), NeedsUpstream = true },
        new("churn1", "one request a connection", 64) { Load = new WrkLoad("/plaintext") { CloseEvery = 1 } },
        new("churn10", "ten requests a connection on average", 64)
        {
            Load = new WrkLoad("/plaintext") { CloseEvery = 10 },
        },
        new("nonreaders", "plaintext alone, then beside 1,000 connections that never read", 64)
        {
            Load = new BesideLoad(new WrkLoad("/plaintext"), static port => new NonReaders(port)),
        },
        new("dripfeeders", "plaintext alone, then beside 200 connections that send byte by byte", 64)
        {
            Load = new BesideLoad(new WrkLoad("/plaintext"), static port => new DripFeeders(port)),
        },
        new("upload", "bodies of 20 MB, counted by the application", 4) { Load = new UploadLoad(), CountsBytes = true },
        new("download", "bodies of 1 MiB", 16) { Load = new WrkLoad("/download?kb=1024"), CountsBytes = true },
        new("h2", "cleartext HTTP/2, 32 streams a connection", 16)
        {
            Load = new H2Load("/plaintext", streamCount: 32), Endpoint = WorkloadEndpoint.Http2,
        },
        new("https", "JSON over TLS", 64) { Load = new WrkLoad("/json"), Endpoint = WorkloadEndpoint.Https },
        new("httpsdownload", "bodies of 1 MiB over TLS", 16)
        {
            Load = new WrkLoad("/download?kb=1024"), Endpoint = WorkloadEndpoint.Https, CountsBytes = true,
        },
        new("handshakes", "a full TLS 1.3 handshake and one request a connection", 4)
        {
            Load = new HandshakeLoad("/plaintext"), Endpoint = WorkloadEndpoint.Https,
        },
        new("resumed", "a resumed TLS handshake and one request a connection", 64)
        {
            Load = new ResumedLoad(new WrkLoad("/plaintext") { CloseEvery = 1 }, "/plaintext"), Endpoint = WorkloadEndpoint.Https,
        },
        new("h2tls", "HTTP/2 over TLS, 32 streams a connection", 16)
        {
            Load = new H2Load("/plaintext", streamCount: 32), Endpoint = WorkloadEndpoint.Https,
        },
        new("websocket", "echo of 32 bytes, one in flight a connection", 64) { Load = new WebSocketLoad("/ws") },
        new("raw", "fixed reply, no framework", 64) { Load = new WrkLoad("/"), Sides = SideCatalog.Raw },
        new("raw512", "the same with many connections", 512) { Load = new WrkLoad("/"), Sides = SideCatalog.Raw },
        new("rawpipelined", "fixed reply, no framework, 16 requests a batch", 64)
        {
            Load = new WrkLoad("/") { PipelineDepth = 16 }, Sides = SideCatalog.Raw,
        },
        .. DatabaseWorkloads.All,
        .. FileWorkloads.All,
        new("idle", "memory of connections that did one request", 10_000) { Kind = WorkloadKind.Idle },
        new("idletls", "memory of TLS connections that did one request", 5_000)
        {
            Kind = WorkloadKind.Idle, Endpoint = WorkloadEndpoint.Https,
        },
        new("startup", "process start to first reply", 1) { Kind = WorkloadKind.Startup },
    ];

    /// <exception cref="ArgumentException">No workload has that name.</exception>
    internal static Workload Find(string name)
        => All.FirstOrDefault(workload => workload.Name == name)
            ?? throw new ArgumentException(name.Length == 0
                ? "--workload is missing."
                : $"No workload is called '{name}'; --list shows them.");
}
