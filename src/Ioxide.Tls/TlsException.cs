namespace Ioxide.Tls;

/// <summary>A handshake or a session failed.</summary>
public sealed class TlsException : IOException
{
    internal TlsException(TlsFailure failure, string message, TlsAlert? alert = null, Exception? inner = null)
        : base(message, inner)
    {
        Failure = failure;
        Alert = alert;
    }

    /// <summary>Why.</summary>
    public TlsFailure Failure { get; }

    /// <summary>The alert that the peer sent (<see cref="TlsFailure.PeerAlert"/>), or the one that it was sent; null where there was none.</summary>
    public TlsAlert? Alert { get; }
}
