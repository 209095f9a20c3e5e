namespace Ioxide.Report;

/// <summary>What a reader calls a workload, in at most 26 letters; its own name where there is no better one.</summary>
internal static class WorkloadTitles
{
    private static readonly Dictionary<string, string> s_titles = new()
    {
        ["baseline"] = "Small requests",
        ["pipelined"] = "Pipelined plaintext",
        ["limited-conn"] = "10 requests per connection",
        ["json"] = "JSON, 50 items",
        ["json-sizes"] = "JSON, 1 to 50 items",
        ["json-comp"] = "JSON, compressed",
        ["json-tls"] = "JSON over TLS",
        ["static"] = "Static files",
        ["upload"] = "Uploads of 20 MB",
        ["crud"] = "Database, mixed with cache",
        ["async-db"] = "Database, 50 rows",
        ["api-4"] = "API mix, 64 connections",
        ["api-16"] = "API mix, 256 connections",
        ["echo-websocket"] = "WebSocket echo",
        ["echo-ws-128"] = "WebSocket echo, 128",
        ["echo-ws-limited"] = "WebSocket, 10 each",
        ["echo-ws-pipeline"] = "WebSocket, 16 in flight",
        ["fortunes"] = "Database, a page",
        ["async"] = "16,000 waiting handlers",
        ["sse"] = "Server-sent events",
        ["h2"] = "HTTP/2",
        ["h2-tls"] = "HTTP/2 over TLS",
        ["h2-many"] = "HTTP/2, 32 x 100 streams",
        ["h2-json"] = "HTTP/2, one JSON object",
        ["h2-sizes"] = "HTTP/2, 1 to 50 items",
        ["h2-one"] = "HTTP/2, a single stream",
        ["h2-latency"] = "HTTP/2 at half load, p99",
        ["h2-idle"] = "HTTP/2, idle memory",
        ["h2-cores"] = "HTTP/2, one on two CPUs",
        ["files30k-h2"] = "HTTP/2, a file of 30 KB",
        ["grpc"] = "gRPC, unary calls",
        ["grpc-stream"] = "gRPC, server streaming",
        ["latency"] = "Latency at half load, p99",
        ["latency-1m"] = "CPU per request, busy",
        ["latency-10k"] = "CPU per request, idle",
        ["latency-500k"] = "CPU per request, overload",
        ["8gbit"] = "10 KB echo over TLS, CPU",
        ["static-tls"] = "Static files over TLS",
        ["http-ring"] = "Handler calls a server",
        ["yarp-ring"] = "YARP proxy",
        ["idle"] = "Memory per idle connection",
        ["startup"] = "Start to first reply",
    };

    /// <summary>Workloads that the boards had and have no more. They are still measured.</summary>
    private static readonly HashSet<string> s_former = ["json", "static", "upload", "crud", "api-4", "api-16"];

    internal static string Of(string workload) => s_titles.GetValueOrDefault(workload, workload);

    /// <summary>What stands behind the title where there is room: a mark of the former boards, or nothing.</summary>
    internal static string MarkOf(string workload) => s_former.Contains(workload) ? " (former board)" : "";
}
