namespace Ioxide.Tls.Tests;

/// <summary>How a connection of <see cref="TlsEcho"/> went.</summary>
/// <param name="Session">The session, or null where the handshake failed.</param>
/// <param name="Echoed">Bytes that were sent back.</param>
/// <param name="Error">What ended it, or null for close_notify.</param>
internal sealed record TlsEnd(TlsSession? Session, long Echoed, Exception? Error)
{
    internal TlsFailure? Failure => (Error as TlsException)?.Failure;
}
