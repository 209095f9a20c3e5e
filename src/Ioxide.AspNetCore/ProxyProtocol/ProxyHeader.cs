namespace Ioxide.AspNetCore;

/// <summary>A header that was read: the end points of the client's connection, and the further values.</summary>
internal sealed class ProxyHeader : IProxyProtocolFeature
{
    /// <summary>The header's own bytes; what follows is the client's.</summary>
    internal required int LengthBytes { get; init; }

    public required int Version { get; init; }

    public bool IsLocal { get; init; }

    /// <summary>The header names both ends of the client's connection. Otherwise those of the connection itself stay.</summary>
    internal bool HasEndPoints { get; init; }

    /// <summary>The client's address; null where it is a unix socket without a name.</summary>
    internal EndPoint? Source { get; init; }

    /// <inheritdoc cref="Source"/>
    internal EndPoint? Destination { get; init; }

    /// <summary>The values, whole from the first to the last.</summary>
    internal ReadOnlyMemory<byte> ValueBytes { get; init; }

    public EndPoint? BalancerEndPoint { get; private set; }

    public EndPoint? BoundEndPoint { get; private set; }

    public IEnumerable<ProxyProtocolValue> Values => ProxyProtocolValue.Enumerate(ValueBytes);

    public string? Authority
        => TryGetValue(ProxyProtocolValueType.Authority, out ReadOnlyMemory<byte> name) ? Encoding.UTF8.GetString(name.Span) : null;

    public ReadOnlyMemory<byte> UniqueId => TryGetValue(ProxyProtocolValueType.UniqueId, out ReadOnlyMemory<byte> id) ? id : default;

    public ProxyProtocolClientTls? ClientTls
        => TryGetValue(ProxyProtocolValueType.Ssl, out ReadOnlyMemory<byte> tls) ? ProxyProtocolClientTls.Of(tls) : null;

    public bool TryGetValue(ProxyProtocolValueType type, out ReadOnlyMemory<byte> value)
        => ProxyProtocolValue.TryFind(ValueBytes, type, out value);

    /// <summary>Makes the connection the client's.</summary>
    internal void ApplyTo(ConnectionContext connection)
    {
        BalancerEndPoint = connection.RemoteEndPoint;
        BoundEndPoint = connection.LocalEndPoint;
        if (HasEndPoints)
        {
            connection.RemoteEndPoint = Source;
            connection.LocalEndPoint = Destination;
        }

        connection.Features.Set<IProxyProtocolFeature>(this);
    }
}
