namespace Ioxide.Tls;

/// <summary>What one side's handshakes have in common.</summary>
internal sealed class HandshakeSettings
{
    internal required bool IsServer { get; init; }

    /// <summary>Application protocols as on the wire, in order of preference; empty for none.</summary>
    internal required byte[] Protocols { get; init; }

    /// <summary>The server's keys of tickets; null without resumption.</summary>
    internal TicketKeys? Tickets { get; init; }

    /// <summary>The server's certificate, whose status is stapled; null for a client.</summary>
    internal SslStreamCertificateContext? Certificate { get; init; }

    /// <summary>Checks the peer's certificate; null where none is asked for.</summary>
    internal TlsPeerPolicy? PeerPolicy { get; init; }

    /// <summary>The roots that are named to clients, so that they know which certificate to show; null for none.</summary>
    internal X509Certificate2Collection? NamedRoots { get; init; }

    /// <summary>Whether the application takes a client without a certificate; null where it is not asked.</summary>
    internal Func<bool>? AcceptsAbsence { get; init; }

    /// <summary>The server name that the client asks for, or that this client connects to; null for none.</summary>
    internal string? HostName { get; init; }

    internal TlsKernelOffload KernelOffload { get; init; }

    /// <summary>Called where the answer to a hello is made. For tests.</summary>
    internal Action? OnAnswer { get; init; }

    /// <summary>The answer to a hello takes so long that it is made on the thread pool.</summary>
    internal bool HasLongKey { get; init; }

    /// <summary>Steps run on the thread pool: checking a certificate may block.</summary>
    internal bool StepsOnPool => PeerPolicy is not null;
}
