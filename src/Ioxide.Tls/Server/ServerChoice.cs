namespace Ioxide.Tls;

/// <summary>The options of one handshake.</summary>
/// <param name="Options">As SslStream takes them.</param>
/// <param name="Reason">Why SslStream has to serve, as a sentence; null where the options decide that.</param>
internal readonly record struct ServerChoice(SslServerAuthenticationOptions Options, string? Reason = null);
