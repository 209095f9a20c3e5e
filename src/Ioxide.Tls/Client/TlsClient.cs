namespace Ioxide.Tls;

/// <summary>Begins TLS on connections to servers.</summary>
/// <remarks>Threads: any. Sessions are not resumed: such connections are pooled.</remarks>
public sealed class TlsClient
{
    private readonly HandshakeSettings _settings;
    private readonly TlsContext _context;
    private readonly TimeSpan _timeout;

    /// <summary>Makes a client for one server name.</summary>
    /// <exception cref="ArgumentException">The options have no host name, or a protocol or suite that is not supported.</exception>
    /// <exception cref="TlsException">
    /// OpenSSL 3 is not there, or does not take the client's certificate; or the kernel's TLS is required, and it has none for a suite.
    /// </exception>
    public TlsClient(TlsClientOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentException.ThrowIfNullOrEmpty(options.HostName);
        TlsSupport.ThrowIfUnavailable();
        KernelTlsCheck.ThrowIfRequiredAndAbsent(options);
        _timeout = options.HandshakeTimeout;
        _context = TlsContext.ForClient(options);
        _settings = new HandshakeSettings
        {
            IsServer = false,
            Protocols = AlpnList.Encode(options.ApplicationProtocols),
            HostName = options.HostName,
            KernelOffload = options.KernelOffload,
            PeerPolicy = new TlsPeerPolicy(TlsPeerPolicy.ServerUsage, options.Revocation, options.TrustedRoots, options.Validation),
        };
    }

    /// <summary>Runs the handshake. The connection must not have been read beyond what came before TLS.</summary>
    /// <remarks>Threads: any. The connection stays the caller's, to dispose after the session, also where this throws.</remarks>
    /// <exception cref="TlsException">It failed: the certificate was not accepted, nothing in common, or the time was over.</exception>
    public async ValueTask<TlsSession> AuthenticateAsync(RingConnection connection, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(connection);
        using var deadline = new HandshakeDeadline(connection, _timeout, cancellationToken);
        try
        {
            return await HandshakeRun.RunAsync(
                connection, new Handshake(_settings, _context), _settings, TlsSessionKind.Strict, null, deadline.Token).ConfigureAwait(true);
        }
        catch (OperationCanceledException) when (deadline.HasPassed)
        {
            throw deadline.Abort();
        }
    }
}
