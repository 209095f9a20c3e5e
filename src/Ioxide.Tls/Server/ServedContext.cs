namespace Ioxide.Tls;

/// <summary>A context of a server, and what is told of its certificate, which the application may dispose of. Threads: any.</summary>
/// <param name="context">The context.</param>
/// <param name="certificate">Its certificate.</param>
internal sealed class ServedContext(TlsContext context, X509Certificate2 certificate)
{
    internal TlsContext Context => context;

    /// <summary>The subject; where that is empty, the first DNS name.</summary>
    internal string Name { get; } = certificate.Subject is { Length: > 0 } subject ? subject : certificate.GetNameInfo(X509NameType.DnsName, false);

    internal DateTimeOffset Ends { get; } = certificate.NotAfter;

    internal long MadeAt { get; } = Stopwatch.GetTimestamp();

    /// <summary>When a handshake last asked for it, by <see cref="Environment.TickCount64"/>.</summary>
    internal long UsedAt { get; set; } = Environment.TickCount64;
}
