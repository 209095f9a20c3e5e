using System.Net;
using Ioxide.Compare.Loads;

namespace Ioxide.Compare;

/// <summary>Workloads of <c>compare.sh</c> alone: the shapes of HTTP/2 and gRPC that clients have.</summary>
internal static class Http2Workloads
{
    private const int MessagesPerCall = 100;

    private static readonly CheckedLoad s_plaintext = Streams(Question.Plaintext, 100);
    private static readonly CheckedLoad s_one = Streams(Question.Plaintext, 1);
    private static readonly CheckedLoad s_json = Streams(Question.Greeting, 100);
    private static readonly CheckedLoad s_sizes = new(
        new H2Load([.. ((int[])[1, 5, 10, 15, 25, 40, 50]).Select(static (count, index) => $"/json/{count}?m={index + 1}")], 100),
        Question.PricedItems with { Version = HttpVersion.Version20 });

    private static readonly CheckedLoad s_unary = Grpc("/ioxide.Load/Echo", answerCount: 1, streamCount: 100);
    private static readonly CheckedLoad s_repeat = Grpc("/ioxide.Load/Repeat", MessagesPerCall, streamCount: 10);

    /// <summary>One connection that spreads over cores: one reactor reads it, and the pool spins for work as the runtime's own limit says. The package's
    /// limit is the last side.</summary>
    private static readonly IReadOnlyList<Side> s_poolSides =
    [
        SideCatalog.Stock,
        OneReactor("http2", new Dictionary<string, string>()),
        OneReactor("http2-package", SideCatalog.Http2.Environment),
    ];

    internal static IReadOnlyList<Workload> All { get; } =
    [
        new("h2-many", "cleartext HTTP/2, 100 streams a connection", 32)
        {
            RunSides = WorkloadCatalog.WithEngine, Target = WorkloadCatalog.AtLeast(3.5), Load = s_plaintext, Endpoint = WorkloadEndpoint.Http2,
        },
        new("h2-many-tls", "HTTP/2 over TLS, 100 streams a connection", 32) { Load = s_plaintext, Endpoint = WorkloadEndpoint.Https },
        new("h2-one", "cleartext HTTP/2, one stream a connection", 64)
        {
            RunSides = WorkloadCatalog.WithEngine, Target = WorkloadCatalog.AtLeast(1.5), Load = s_one, Endpoint = WorkloadEndpoint.Http2,
        },
        new("h2-one-tls", "HTTP/2 over TLS, one stream a connection", 64) { Load = s_one, Endpoint = WorkloadEndpoint.Https },
        new("h2-json", "one JSON object over cleartext HTTP/2, 100 streams a connection", 32)
        {
            RunSides = WorkloadCatalog.WithEngine, Target = WorkloadCatalog.AtLeast(3.5), Load = s_json, Endpoint = WorkloadEndpoint.Http2,
        },
        new("h2-json-tls", "one JSON object over HTTP/2 and TLS, 100 streams a connection", 32) { Load = s_json, Endpoint = WorkloadEndpoint.Https },
        new("h2-sizes", "1 to 50 items with a computed field over cleartext HTTP/2, 100 streams a connection", 32)
        {
            RunSides = WorkloadCatalog.WithEngine, Target = WorkloadCatalog.AtLeast(1.6), Load = s_sizes, Endpoint = WorkloadEndpoint.Http2,
        },
        new("h2-cores", "50 items with a computed field, one connection of 100 streams, handlers on the thread pool", 1)
        {
            Sides = s_poolSides, Target = new TargetRecord(Metric.RequestsPerSecond.Key, 0.95),
            Load = Streams(Question.PricedItems, 100), Endpoint = WorkloadEndpoint.Http2, HostArguments = ["--pool"],
        },
        new("h2-latency", "cleartext HTTP/2, 32 streams a connection at half of stock's peak rate", 16)
        {
            RunSides = WorkloadCatalog.WithEngine, Target = new TargetRecord(Metric.P99Us.Key, 1), Endpoint = WorkloadEndpoint.Http2,
            Load = Streams(Question.Plaintext, 32), AtRate = static rate => new H2Load(Question.PlaintextPath, 32) { Rate = rate },
        },
        new("h2-idle", "memory of HTTP/2 connections that did one request", 5_000)
        {
            RunSides = [.. WorkloadCatalog.WithoutLoad, "http2"], Target = new TargetRecord(Metric.IdleBytesPerConnection.Key, 1),
            Kind = WorkloadKind.Idle, Endpoint = WorkloadEndpoint.Http2,
        },
        new("grpc", "gRPC, unary calls with 16 bytes, 100 at once a connection", 32)
        {
            RunSides = WorkloadCatalog.WithEngine, Target = WorkloadCatalog.AtLeast(1.5), Load = s_unary, Endpoint = WorkloadEndpoint.Http2,
        },
        new("grpc-tls", "the same over TLS", 32) { Load = s_unary, Endpoint = WorkloadEndpoint.Https },
        new("grpc-stream", "gRPC, calls that 100 messages of 16 bytes answer, ten at once a connection", 32)
        {
            RunSides = WorkloadCatalog.WithEngine, Target = WorkloadCatalog.AtLeast(1.5), Load = s_repeat, Endpoint = WorkloadEndpoint.Http2,
        },
    ];

    private static Side OneReactor(string name, IReadOnlyDictionary<string, string> environment)
        => SideCatalog.Http2 with { Name = name, Arguments = [.. SideCatalog.Http2.Arguments, "--reactors", "1"], Environment = environment };

    private static CheckedLoad Streams(Question question, int count)
        => new(new H2Load(question.Path, count), question with { Version = HttpVersion.Version20 });

    private static CheckedLoad Grpc(string path, int answerCount, int streamCount)
    {
        GrpcMessage message = new(path, answerCount);
        return new CheckedLoad(new H2Load(path, streamCount) { Message = message }, message);
    }
}
