using System.Buffers.Binary;

namespace Ioxide.AspNetCore;

/// <summary>The TLS session that a balancer terminated, as its header describes it.</summary>
/// <remarks>Source: proxy-protocol.txt of HAProxy, section 2.2.6: a byte of flags, four bytes of the verification's result, values.</remarks>
public sealed class ProxyProtocolClientTls
{
    private const int FixedBytes = 5;
    private const int IsTlsFlag = 1;
    private const int CertificateFlags = 2 | 4;

    private readonly ReadOnlyMemory<byte> _bytes;

    private ProxyProtocolClientTls(ReadOnlyMemory<byte> bytes) => _bytes = bytes;

    /// <summary>Whether the client connected over TLS.</summary>
    public bool IsTls => (_bytes.Span[0] & IsTlsFlag) != 0;

    /// <summary>Whether the client presented a certificate, on this connection or earlier in its session.</summary>
    public bool HasCertificate => (_bytes.Span[0] & CertificateFlags) != 0;

    /// <summary>Whether the client presented a certificate that the balancer accepted.</summary>
    public bool IsCertificateValid => HasCertificate && BinaryPrimitives.ReadUInt32BigEndian(_bytes.Span[1..]) == 0;

    /// <summary>The TLS version, such as <c>TLSv1.3</c>, or null.</summary>
    public string? Version => TextOf(ProxyProtocolValueType.SslVersion);

    /// <summary>The common name of the client's certificate, or null.</summary>
    public string? CommonName => TextOf(ProxyProtocolValueType.SslCommonName);

    /// <summary>The cipher's name, or null.</summary>
    public string? Cipher => TextOf(ProxyProtocolValueType.SslCipher);

    /// <summary>All values, in their order.</summary>
    public IEnumerable<ProxyProtocolValue> Values => ProxyProtocolValue.Enumerate(_bytes[FixedBytes..]);

    internal static bool IsWhole(ReadOnlyMemory<byte> bytes)
        => bytes.Length >= FixedBytes && ProxyProtocolValue.AreWhole(bytes[FixedBytes..]);

    /// <param name="bytes">The value of <see cref="ProxyProtocolValueType.Ssl"/>, found to be whole.</param>
    internal static ProxyProtocolClientTls Of(ReadOnlyMemory<byte> bytes) => new(bytes);

    private string? TextOf(ProxyProtocolValueType type)
        => ProxyProtocolValue.TryFind(_bytes[FixedBytes..], type, out ReadOnlyMemory<byte> text) ? Encoding.UTF8.GetString(text.Span) : null;
}
