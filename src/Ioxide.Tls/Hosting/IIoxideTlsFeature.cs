namespace Ioxide.Tls;

/// <summary>The session of a connection; a feature of the connection and of each of its requests.</summary>
public interface IIoxideTlsFeature
{
    /// <summary>The session. Kestrel owns its pipes.</summary>
    TlsSession Session { get; }
}
