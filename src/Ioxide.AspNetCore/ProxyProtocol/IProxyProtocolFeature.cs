namespace Ioxide.AspNetCore;

/// <summary>
/// What a balancer said about a connection in its PROXY protocol header; a feature of the connection and of each of its requests. The
/// client's address and the one it connected to are the connection's <c>RemoteEndPoint</c> and <c>LocalEndPoint</c>.
/// </summary>
/// <remarks>Source: proxy-protocol.txt of HAProxy, sections 2.1 and 2.2. Threads: any.</remarks>
public interface IProxyProtocolFeature
{
    /// <summary>The header's version: 1 (a line of text) or 2 (binary).</summary>
    int Version { get; }

    /// <summary>
    /// The connection is the balancer's own, such as a health check: its addresses are the real ones. Always false in version 1.
    /// </summary>
    bool IsLocal { get; }

    /// <summary>The balancer's address: the other side of the connection itself.</summary>
    EndPoint? BalancerEndPoint { get; }

    /// <summary>The address that the balancer connected to: this side of the connection itself.</summary>
    EndPoint? BoundEndPoint { get; }

    /// <summary>What else the header held, in its order; empty in version 1. The memory may be kept.</summary>
    IEnumerable<ProxyProtocolValue> Values { get; }

    /// <summary>The name that the client asked for (SNI), or null where the balancer does not say.</summary>
    string? Authority { get; }

    /// <summary>The balancer's id of the connection, any bytes; empty where it does not say.</summary>
    ReadOnlyMemory<byte> UniqueId { get; }

    /// <summary>What the client and the balancer agreed on where TLS ends at the balancer, or null where it does not say.</summary>
    ProxyProtocolClientTls? ClientTls { get; }

    /// <summary>The first value of a type.</summary>
    /// <returns>False where the header has none.</returns>
    bool TryGetValue(ProxyProtocolValueType type, out ReadOnlyMemory<byte> value);
}
