using System.Net;
using Ioxide.Compare.Loads;

namespace Ioxide.Compare;

/// <summary>The workloads that can be named on the command line.</summary>
internal static class WorkloadCatalog
{
    /// <summary>Where more than the transport is ours.</summary>
    internal static readonly IReadOnlyList<string> AllParts = ["stock", "stock-inline-ic", "transport", "ioxide"];

    /// <summary>Where the transport is all that is ours.</summary>
    internal static readonly IReadOnlyList<string> TransportAlone = ["stock", "stock-inline-ic", "ioxide"];

    /// <summary>Where no scheduling shows: memory, a start.</summary>
    internal static readonly IReadOnlyList<string> WithoutLoad = ["stock", "ioxide"];

    /// <summary>Stock, Kestrel's HTTP/2 on the ring, and the engine.</summary>
    internal static readonly IReadOnlyList<string> WithEngine = [.. TransportAlone, "http2"];

    /// <summary>Where nginx is the limit, with the same OpenSSL.</summary>
    private static readonly IReadOnlyList<Side> s_withNginx = [.. SideCatalog.Http, SideCatalog.Nginx];

    /// <summary>Where every request gets the same text: what is left to gain shows in the same run.</summary>
    private static readonly IReadOnlyList<Side> s_withLimits = [.. SideCatalog.Http, .. SideCatalog.Limits];

    private static readonly CheckedLoad s_streams = Streams(32);

    private static readonly IReadOnlyList<string> s_gzip = ["Accept-Encoding: gzip"];

    internal static readonly IReadOnlyList<Workload> All =
    [
        new("baseline", "sums of two numbers, of three by POST", 64)
        {
            RunSides = TransportAlone, Target = AtLeast(1.7),
            Load = new CheckedLoad(new WrkLoad("/baseline") { Script = "baseline.lua" }, Question.Sum, Question.SumWithBody),
        },
        new("pipelined", "plaintext, 16 requests a batch", 64)
        {
            Sides = [.. s_withNginx, .. SideCatalog.Limits], RunSides = [.. TransportAlone, "nginx", "liburing"],
            Target = AtLeast(1.2), Load = new CheckedLoad(new WrkLoad(Question.PlaintextPath) { PipelineDepth = 16 }, Question.Plaintext),
        },
        new("limited-conn", "plaintext, ten requests a connection on average", 64)
        {
            RunSides = TransportAlone, Target = AtLeast(1.6),
            Load = new CheckedLoad(new WrkLoad(Question.PlaintextPath) { CloseEvery = 10 }, Question.Plaintext),
        },
        new("json", "50 items with a computed field", 64)
        {
            RunSides = TransportAlone, Target = AtLeast(1.6), Load = new CheckedLoad(new WrkLoad(Question.PricedItemsPath), Question.PricedItems),
        },
        new("json-sizes", "1 to 50 items with a computed field", 128)
        {
            RunSides = TransportAlone, Target = AtLeast(1.5),
            Load = new CheckedLoad(new WrkLoad("/json/50?m=7") { Script = "json.lua" }, Question.PricedItems),
        },
        new("json-comp", "the same by the framework's gzip", 64)
        {
            RunSides = TransportAlone, Target = AtLeast(1.1), HostArguments = ["--gzip"],
            Load = new CheckedLoad(new WrkLoad(Question.PricedItemsPath) { Headers = s_gzip }, Question.PricedItems with { IsCompressed = true }),
        },
        new("json-tls", "50 items with a computed field over TLS", 64)
        {
            RunSides = AllParts, Target = AtLeast(1.8), Endpoint = WorkloadEndpoint.Https,
            Load = new CheckedLoad(new WrkLoad(Question.PricedItemsPath), Question.PricedItems),
        },
        new("upload", "bodies of 20 MB, counted by the application", 4)
        {
            RunSides = TransportAlone, Target = new TargetRecord(Metric.MegabytesPerCpuSecond.Key, 1.9), Load = new UploadLoad(), CountsBytes = true,
        },
        .. DatabaseWorkloads.All,
        .. FileWorkloads.All,
        new("echo-websocket", "echo of 32 bytes, one in flight a connection", 64)
        {
            RunSides = TransportAlone, Target = AtLeast(1.3), Load = new WebSocketLoad("/ws"),
        },
        new("echo-ws-128", "the same with more connections", 128)
        {
            RunSides = TransportAlone, Target = AtLeast(1.9), Load = new WebSocketLoad("/ws"),
        },
        new("echo-ws-pipeline", "16 messages of 32 bytes in flight per connection", 64)
        {
            RunSides = TransportAlone, Target = AtLeast(1.3), Load = new WebSocketLoad("/ws") { InFlight = 16 },
        },
        new("echo-ws-limited", "ten messages of 32 bytes per connection, then another connection", 64)
        {
            RunSides = TransportAlone, Target = AtLeast(1.3), Load = new WebSocketLoad("/ws") { MessagesPerConnection = 10 },
        },
        new("sse", "each event goes to all; four on their way", 64) { RunSides = TransportAlone, Target = AtLeast(1.5), Load = new EventLoad() },
        new("h2", "cleartext HTTP/2, 32 streams a connection", 16)
        {
            RunSides = WithEngine, Target = AtLeast(2), Load = s_streams, Endpoint = WorkloadEndpoint.Http2,
        },
        new("h2-tls", "HTTP/2 over TLS, 32 streams a connection", 16)
        {
            RunSides = [.. AllParts, "http2"], Target = AtLeast(2), Load = s_streams, Endpoint = WorkloadEndpoint.Https,
        },
        new("latency", "sums at half of stock's peak rate", 64)
        {
            RunSides = TransportAlone, Target = new TargetRecord(Metric.P99Us.Key, 1), Load = new WrkLoad(Question.SumPath),
            AtRate = static rate => new FixedRateLoad(Question.Sum, rate),
        },
        .. BoardWorkloads.All,
        new("idle", "memory of connections that did one request", 10_000) { RunSides = WithoutLoad, Kind = WorkloadKind.Idle },
        new("startup", "process start to first reply", 1)
        {
            Sides = [.. SideCatalog.Http, .. SideCatalog.Published], RunSides = [.. WithoutLoad, .. SideCatalog.Published.Select(static side => side.Name)],
            Kind = WorkloadKind.Startup,
        },
        .. Http2Workloads.All,
        new("plaintext", "minimal API, chunked text", 64) { Sides = s_withLimits, Load = new WrkLoad(Question.PlaintextPath) },
        new("plain1", "the same with one connection", 1) { Sides = s_withLimits, Load = new WrkLoad(Question.PlaintextPath) },
        new("plain8", "the same with few connections", 8) { Sides = s_withLimits, Load = new WrkLoad(Question.PlaintextPath) },
        new("plaintext512", "the same with many connections", 512) { Sides = s_withLimits, Load = new WrkLoad(Question.PlaintextPath) },
        new("greeting", "minimal API, one source-generated JSON object", 64) { Load = new WrkLoad("/json") },
        new("fixed", "text with Content-Length, one flush", 64) { Sides = s_withLimits, Load = new WrkLoad("/fixed") },
        new("yield", "the handler goes on on the thread pool", 64) { Load = new WrkLoad("/yield") },
        new("delay", "the handler waits for a timer of 1 ms", 64) { Load = new WrkLoad("/delay") },
        new("async", "the handler waits for a timer of 10 ms", 16_000) { RunSides = TransportAlone, Load = new WrkLoad("/wait") },
        new("http", "the handler calls another server", 64) { Load = new WrkLoad("/http"), NeedsUpstream = true },
        new("http-ring", "the handler calls another server, by a client on the rings where there are some", 64)
        {
            RunSides = TransportAlone, Load = new WrkLoad("/http"), NeedsUpstream = true, HostArguments = ["--ring-client"],
        },
        new("yarp", "YARP forwards to another server", 64) { Load = new WrkLoad("/proxy"), NeedsUpstream = true },
        new("yarp-ring", "YARP forwards to another server, by a client on the rings where there are some", 64)
        {
            RunSides = TransportAlone, Load = new WrkLoad("/proxy"), NeedsUpstream = true, HostArguments = ["--ring-client"],
        },
        new("churn1", "one request a connection", 64) { Load = new WrkLoad(Question.PlaintextPath) { CloseEvery = 1 } },
        new("nonreaders", "plaintext alone, then beside 1,000 connections that never read", 64)
        {
            Load = new BesideLoad(new WrkLoad(Question.PlaintextPath), static port => new NonReaders(port)),
        },
        new("dripfeeders", "plaintext alone, then beside 200 connections that send byte by byte", 64)
        {
            Load = new BesideLoad(new WrkLoad(Question.PlaintextPath), static port => new DripFeeders(port)),
        },
        new("download", "bodies of 1 MiB", 16) { Load = new WrkLoad("/download?kb=1024"), CountsBytes = true },
        new("https", "the greeting over TLS", 64) { Load = new WrkLoad("/json"), Endpoint = WorkloadEndpoint.Https },
        new("httpsdownload", "bodies of 1 MiB over TLS", 16)
        {
            Load = new WrkLoad("/download?kb=1024"), Endpoint = WorkloadEndpoint.Https, CountsBytes = true,
        },
        new("httpsupload", "bodies of 20 MB over TLS, counted by the application", 4)
        {
            Load = new UploadLoad(), Endpoint = WorkloadEndpoint.Https, CountsBytes = true,
        },
        new("handshakes", "a full TLS 1.3 handshake and one request a connection", 4)
        {
            Sides = s_withNginx, Load = new HandshakeLoad(Question.PlaintextPath), Endpoint = WorkloadEndpoint.Https,
        },
        new("resumed", "a resumed TLS handshake and one request a connection", 64)
        {
            Sides = s_withNginx, Endpoint = WorkloadEndpoint.Https,
            Load = new CheckedLoad(new WrkLoad(Question.PlaintextPath) { CloseEvery = 1 }, new Resumption(Question.PlaintextPath)),
        },
        new("raw", "fixed reply, no framework", 64) { Load = new WrkLoad("/"), Sides = SideCatalog.Raw },
        new("raw512", "the same with many connections", 512) { Load = new WrkLoad("/"), Sides = SideCatalog.Raw },
        new("rawpipelined", "fixed reply, no framework, 16 requests a batch", 64)
        {
            Load = new WrkLoad("/") { PipelineDepth = 16 }, Sides = SideCatalog.Raw,
        },
        new("idletls", "memory of TLS connections that did one request", 5_000)
        {
            Kind = WorkloadKind.Idle, Endpoint = WorkloadEndpoint.Https,
        },
    ];

    /// <summary>A target of the main metric.</summary>
    internal static TargetRecord AtLeast(double ratio) => new(Metric.RequestsPerCpuSecond.Key, ratio);

    /// <exception cref="ArgumentException">No workload has that name.</exception>
    internal static Workload Find(string name)
        => All.FirstOrDefault(workload => workload.Name == name)
            ?? throw new ArgumentException(name.Length == 0
                ? "--workload is missing."
                : $"No workload is called '{name}'; --list shows them.");

    private static CheckedLoad Streams(int count)
        => new(new H2Load(Question.PlaintextPath, count), Question.Plaintext with { Version = HttpVersion.Version20 });
}
