namespace Ioxide.AspNetCore;

/// <summary>The registered types of values in a version 2 header. A header may contain other types; 0xE0 to 0xEF are for applications.</summary>
/// <remarks>Source: proxy-protocol.txt of HAProxy, sections 2.2.1 to 2.2.8.</remarks>
public enum ProxyProtocolValueType : byte
{
    /// <summary>The application protocol that client and balancer negotiated (ALPN).</summary>
    Alpn = 0x01,

    /// <summary>The server name that the client asked for (SNI), UTF-8.</summary>
    Authority = 0x02,

    /// <summary>CRC-32C of the header. It is verified before the header is used.</summary>
    Crc32c = 0x03,

    /// <summary>Padding.</summary>
    Noop = 0x04,

    /// <summary>The balancer's id of the connection.</summary>
    UniqueId = 0x05,

    /// <summary>The client's TLS: see <see cref="ProxyProtocolClientTls"/>.</summary>
    Ssl = 0x20,

    /// <summary>Within <see cref="Ssl"/>: the version of TLS, ASCII.</summary>
    SslVersion = 0x21,

    /// <summary>Within <see cref="Ssl"/>: the common name of the client's certificate, UTF-8.</summary>
    SslCommonName = 0x22,

    /// <summary>Within <see cref="Ssl"/>: the cipher's name, ASCII.</summary>
    SslCipher = 0x23,

    /// <summary>Within <see cref="Ssl"/>: the algorithm that signed the balancer's certificate, ASCII.</summary>
    SslSignatureAlgorithm = 0x24,

    /// <summary>Within <see cref="Ssl"/>: the algorithm of the key of the balancer's certificate, ASCII.</summary>
    SslKeyAlgorithm = 0x25,

    /// <summary>The name of the network namespace, ASCII.</summary>
    NetworkNamespace = 0x30,
}
