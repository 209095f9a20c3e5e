using Ioxide.Compare.Servers;

namespace Ioxide.Compare.Loads;

/// <summary>Whom a load speaks to, and how many connections it opens.</summary>
internal sealed record LoadTarget(ServerPorts Ports, WorkloadEndpoint Endpoint, int ConnectionCount, Layout Layout)
{
    /// <summary>How much longer than asked a load generator may take before it counts as hung.</summary>
    internal static readonly TimeSpan Grace = TimeSpan.FromSeconds(30);

    /// <summary>To be called by a load that opens all of its connections before the first request that counts: what the server did until then
    /// is none of the load's.</summary>
    internal Action OnConnected { get; init; } = static () => { };

    internal string Url(string path) => Endpoint switch
    {
        WorkloadEndpoint.Https => $"https://127.0.0.1:{Ports.Https}{path}",
        WorkloadEndpoint.Http2 => $"http://127.0.0.1:{Ports.Http2}{path}",
        _ => $"http://127.0.0.1:{Ports.Http}{path}",
    };
}
