namespace Ioxide.BadNetwork;

/// <summary>What meets the bad network.</summary>
public enum Subject
{
    /// <summary>A server of HTTP/1.1: the transport.</summary>
    Http1,

    /// <summary>The same over TLS.</summary>
    Tls,

    /// <summary>A server of HTTP/2 in clear text.</summary>
    Http2,

    /// <summary>The driver of PostgreSQL.</summary>
    Pg,

    /// <summary>A client of HTTP/1.1.</summary>
    Outbound,
}
