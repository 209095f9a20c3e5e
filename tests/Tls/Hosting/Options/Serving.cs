namespace Ioxide.Tls.Tests;

/// <summary>How the connections of an endpoint with <c>UseIoxideTls</c> come to be served.</summary>
public enum Serving
{
    /// <summary>On rings.</summary>
    Ring,

    /// <summary>By SslStream, because the sockets transport has the connections: what a host that refuses io_uring comes to.</summary>
    Sockets,

    /// <summary>By SslStream, because the endpoint has <c>TlsClientHelloBytesCallback</c>, which the ring has not.</summary>
    SslStreamOption,

    /// <summary>By SslStream, because middleware before TLS has put a transport of its own between.</summary>
    Wrapped,
}
