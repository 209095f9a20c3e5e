namespace Ioxide.AspNetCore;

/// <summary>
/// What the PROXY protocol header of a connection says. A feature of the connection and of each of its requests. The client's address and
/// the address that it connected to are the connection's <c>RemoteEndPoint</c> and <c>LocalEndPoint</c>.
/// </summary>
/// <remarks>Source: proxy-protocol.txt of HAProxy, sections 2.1 and 2.2. Threads: any.</remarks>
public interface IProxyProtocolFeature
{
    /// <summary>The header's version: 1 (a line of text) or 2 (binary).</summary>
    int Version { get; }

    /// <summary>
    /// Whether the connection is the balancer's own, such as a health check. Its end points are then unchanged. Always false in version 1.
    /// </summary>
    bool IsLocal { get; }

    /// <summary>The balancer's address: the remote end of the TCP or unix connection.</summary>
    EndPoint? BalancerEndPoint { get; }

    /// <summary>The address that the balancer connected to: the local end of the TCP or unix connection.</summary>
    EndPoint? BoundEndPoint { get; }

    /// <summary>The further values of the header, in its order; empty in version 1. The memory may be kept.</summary>
    IEnumerable<ProxyProtocolValue> Values { get; }

    /// <summary>The name that the client asked for (SNI), or null where the balancer does not send it.</summary>
    string? Authority { get; }

    /// <summary>The balancer's id of the connection, any bytes; empty where the balancer does not send one.</summary>
    ReadOnlyMemory<byte> UniqueId { get; }

    /// <summary>The TLS session between the client and the balancer, or null where the balancer does not describe one.</summary>
    ProxyProtocolClientTls? ClientTls { get; }

    /// <summary>Gets the first value of a type.</summary>
    /// <returns>False where the header has none.</returns>
    bool TryGetValue(ProxyProtocolValueType type, out ReadOnlyMemory<byte> value);
}
