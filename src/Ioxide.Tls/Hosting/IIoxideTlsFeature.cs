namespace Ioxide.Tls;

/// <summary>The TLS session of a connection. A feature of the connection and of each of its requests.</summary>
public interface IIoxideTlsFeature
{
    /// <summary>The session. Kestrel owns its pipes.</summary>
    TlsSession Session { get; }
}
