namespace Ioxide.Tls;

/// <summary>What a handshake negotiated.</summary>
public sealed class TlsSessionInfo
{
    internal TlsSessionInfo()
    {
    }

    /// <summary>TLS 1.2 or TLS 1.3.</summary>
    public SslProtocols Protocol { get; internal init; }

    /// <summary>The cipher suite.</summary>
    public TlsCipherSuite CipherSuite { get; internal init; }

    /// <summary>The application protocol (ALPN); its bytes are empty where none was negotiated.</summary>
    public SslApplicationProtocol ApplicationProtocol { get; internal init; }

    /// <summary>The server name that the client asked for (SNI), or null.</summary>
    public string? HostName { get; internal init; }

    /// <summary>Whether an earlier session was resumed, without a certificate exchange.</summary>
    public bool IsResumed { get; internal init; }

    /// <summary>The peer's certificate, or null where it presented none. It stays valid after the session.</summary>
    public X509Certificate2? PeerCertificate { get; internal init; }
}
