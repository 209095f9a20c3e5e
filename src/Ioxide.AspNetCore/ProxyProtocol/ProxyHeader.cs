namespace Ioxide.AspNetCore;

/// <summary>A header that was read: the endpoints of the client's connection, and the further values.</summary>
internal sealed class ProxyHeader : IProxyProtocolFeature
{
    private const int HasTlsFlag = 1;
    private const int HasCertificateFlags = 2 | 4;

    /// <summary>The header's own bytes; what follows is the client's.</summary>
    internal required int LengthBytes { get; init; }

    public bool IsLocal { get; init; }

    /// <summary>The header names both ends of the client's connection. Otherwise those of the connection itself stay.</summary>
    internal bool HasEndPoints { get; init; }

    /// <summary>The client's address; null where it is a unix socket without a name.</summary>
    internal EndPoint? Source { get; init; }

    /// <inheritdoc cref="Source"/>
    internal EndPoint? Destination { get; init; }

    /// <summary>The values, whole from the first to the last.</summary>
    internal ReadOnlyMemory<byte> Values { get; init; }

    public EndPoint? BalancerEndPoint { get; private set; }

    public bool IsClientTls => Tls is [var flags, ..] && (flags & HasTlsFlag) != 0;

    // The result of the verification is zero also where there was nothing to verify.
    public bool IsClientCertificateValid => Tls is [var flags, 0, 0, 0, 0, ..] && (flags & HasCertificateFlags) != 0;

    private ReadOnlySpan<byte> Tls => ProxyHeaderV2.TryFind(Values, ProxyHeaderV2.TlsType, out ReadOnlyMemory<byte> tls) ? tls.Span : [];

    public bool TryGetValue(byte type, out ReadOnlyMemory<byte> value)
        => type is > ProxyHeaderV2.TlsType and <= ProxyHeaderV2.LastTypeWithinTls
            ? ProxyHeaderV2.TryFind(Values, ProxyHeaderV2.TlsType, out value)
                && ProxyHeaderV2.TryFind(value[ProxyHeaderV2.TlsFixedBytes..], type, out value)
            : ProxyHeaderV2.TryFind(Values, type, out value);

    /// <summary>Makes the connection the client's.</summary>
    internal void ApplyTo(ConnectionContext connection)
    {
        BalancerEndPoint = connection.RemoteEndPoint;
        if (HasEndPoints)
        {
            connection.RemoteEndPoint = Source;
            connection.LocalEndPoint = Destination;
        }

        connection.Features.Set<IProxyProtocolFeature>(this);
    }
}
