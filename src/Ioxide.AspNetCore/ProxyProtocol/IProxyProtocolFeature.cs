namespace Ioxide.AspNetCore;

/// <summary>
/// What the PROXY protocol header of a connection says. A feature of the connection and of each of its requests. The client's address and
/// the address that it connected to are the connection's <c>RemoteEndPoint</c> and <c>LocalEndPoint</c>.
/// </summary>
/// <remarks>Source: proxy-protocol.txt of HAProxy, sections 2.1 and 2.2. Threads: any.</remarks>
public interface IProxyProtocolFeature
{
    /// <summary>
    /// Whether the connection is the balancer's own, such as a health check. Its endpoints are then unchanged. Always false in version 1.
    /// </summary>
    bool IsLocal { get; }

    /// <summary>The balancer's address: the remote end of the TCP or unix connection.</summary>
    EndPoint? BalancerEndPoint { get; }

    /// <summary>Whether the client spoke TLS with the balancer. False where the balancer does not say.</summary>
    bool IsClientTls { get; }

    /// <summary>
    /// Whether the client presented a certificate, on this connection or earlier in its TLS session, and the balancer accepted it.
    /// </summary>
    bool IsClientCertificateValid { get; }

    /// <summary>Gets the first value of a type. The memory may be kept.</summary>
    /// <param name="type">
    /// The number in the specification: 0x01 protocol (ALPN), 0x02 name that the client asked for (SNI), 0x05 the connection's id, 0x20 the
    /// client's TLS, and within it 0x21 version, 0x22 common name of the client's certificate, 0x23 cipher; 0xE0 to 0xEF are applications'.
    /// </param>
    /// <param name="value">The bytes; text is UTF-8.</param>
    /// <returns>False where the header has none, as in version 1.</returns>
    bool TryGetValue(byte type, out ReadOnlyMemory<byte> value);
}
