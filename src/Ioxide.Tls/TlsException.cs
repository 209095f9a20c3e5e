namespace Ioxide.Tls;

/// <summary>The exception for a handshake or session that failed.</summary>
public sealed class TlsException : IOException
{
    internal TlsException(TlsFailure failure, string message, TlsAlert? alert = null, Exception? inner = null)
        : base(message, inner)
    {
        Failure = failure;
        Alert = alert;
    }

    /// <summary>The application threw inside a handshake.</summary>
    internal static TlsException OfApplication(Exception thrown)
        => new(TlsFailure.Application, $"The handshake failed, because the application threw {thrown.GetType()}: {thrown.Message}", inner: thrown);

    /// <summary>The kind of failure.</summary>
    public TlsFailure Failure { get; }

    /// <summary>The alert that the peer sent (<see cref="TlsFailure.PeerAlert"/>) or received; null where there was none.</summary>
    public TlsAlert? Alert { get; }
}
