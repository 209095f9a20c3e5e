namespace Ioxide.Tls;

/// <summary>What one side's handshakes have in common.</summary>
internal sealed class HandshakeSettings
{
    internal required bool IsServer { get; init; }

    /// <summary>Application protocols as on the wire, in order of preference; empty for none.</summary>
    internal required byte[] Protocols { get; init; }

    /// <summary>The server's keys of tickets; null without resumption.</summary>
    internal TicketKeys? Tickets { get; init; }

    /// <summary>The server's OCSP response, or null.</summary>
    internal byte[]? StatusResponse { get; init; }

    /// <summary>Checks the peer's certificate; null where none is asked for.</summary>
    internal TlsPeerPolicy? PeerPolicy { get; init; }

    /// <summary>The server's choice for a name; null refuses it.</summary>
    internal Func<string?, TlsContext?>? ContextOf { get; init; }

    /// <summary>The name that the client connects to.</summary>
    internal string? HostName { get; init; }

    internal TlsKernelOffload KernelOffload { get; init; }

    /// <summary>The answer to a hello takes so long that it is made on the thread pool.</summary>
    internal bool HasLongKey { get; init; }

    /// <summary>Steps run on the thread pool: checking a certificate may block.</summary>
    internal bool StepsOnPool => PeerPolicy is not null;
}
