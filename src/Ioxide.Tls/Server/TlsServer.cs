namespace Ioxide.Tls;

/// <summary>Performs the server side of TLS handshakes.</summary>
/// <remarks>One server serves all reactors. Threads: any.</remarks>
public sealed class TlsServer : IDisposable
{
    private readonly TlsServerOptions _options;
    private readonly TlsSessionKind _kind;
    private readonly TicketKeys _tickets;
    private readonly byte[] _protocols;
    private readonly TlsPeerPolicy? _peerPolicy;
    private readonly ConditionalWeakTable<Reactor, HandshakeRoom> _rooms = [];
    private CertificateTable _certificates;
    private int _ticketRotations;

    /// <summary>Creates a server.</summary>
    /// <exception cref="ArgumentException">There is no certificate, or a protocol or suite is not supported.</exception>
    /// <exception cref="TlsException">
    /// OpenSSL 3 is missing, or refuses a certificate or its key; or kernel TLS is required, and the kernel does not support a suite.
    /// </exception>
    public TlsServer(TlsServerOptions options)
        : this(options, TlsSessionKind.Strict)
    {
    }

    internal TlsServer(TlsServerOptions options, TlsSessionKind kind)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentOutOfRangeException.ThrowIfLessThan(options.MaxHandshakesPerReactor, 1);
        if (options is { Certificate: null, CertificateSelector: null, CertificatesByName.Count: 0 })
        {
            throw new ArgumentException("Set Certificate, CertificatesByName or CertificateSelector.", nameof(options));
        }

        TlsSupport.ThrowIfUnavailable();
        KernelTlsCheck.ThrowIfRequiredAndAbsent(options);
        _options = options;
        _kind = kind;
        _tickets = new TicketKeys(options.SessionLifetime, options.Time);
        _protocols = AlpnList.Encode(options.ApplicationProtocols);
        _peerPolicy = options.ClientCertificateMode == TlsClientCertificateMode.None
            ? null
            : new TlsPeerPolicy(
                TlsPeerPolicy.ClientUsage, options.ClientCertificateRevocation, options.ClientCertificateRoots,
                options.ClientCertificateValidation);
        _certificates = new CertificateTable(options, options.Certificate, options.CertificateChain);
    }

    /// <summary>Replaces the default certificate. Open sessions continue, later handshakes use the new certificate, and tickets stay valid.</summary>
    /// <exception cref="TlsException">OpenSSL refuses the certificate. The previous one stays.</exception>
    public void Reload(X509Certificate2 certificate, X509Certificate2Collection? chain = null)
    {
        ArgumentNullException.ThrowIfNull(certificate);
        Volatile.Write(ref _certificates, new CertificateTable(_options, certificate, chain));
    }

    /// <summary>Replaces the ticket keys now. The previous keys still open their tickets.</summary>
    public void RotateTicketKeys()
    {
        _tickets.Rotate();
        Interlocked.Increment(ref _ticketRotations);
    }

    /// <summary>The default certificate with its chain, for SslStream where it serves instead; null where there is none.</summary>
    internal SslStreamCertificateContext? Certificate => Volatile.Read(ref _certificates).Certificate;

    /// <summary>How often <see cref="RotateTicketKeys"/> was called.</summary>
    internal int TicketRotations => Volatile.Read(ref _ticketRotations);

    /// <summary>Performs the handshake. Nothing may have been read from or written to the connection before.</summary>
    /// <remarks>Threads: any. The caller owns the connection and disposes of it after the session, also where this method throws.</remarks>
    /// <exception cref="TlsException">The handshake failed. Where possible, an alert was sent to the client.</exception>
    public async ValueTask<TlsSession> AuthenticateAsync(RingConnection connection, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(connection);
        long started = Stopwatch.GetTimestamp();
        using var deadline = new HandshakeDeadline(connection, _options.HandshakeTimeout, cancellationToken);
        try
        {
            HandshakeRoom room = _rooms.GetValue(connection.Reactor, _ => new HandshakeRoom(_options.MaxHandshakesPerReactor));
            using HandshakePlace place = room.Enter(deadline);
            await HandshakeRun.WaitForHelloAsync(connection.Input, place, deadline.Token).ConfigureAwait(true);
            TlsSession session = await RunAsync(connection, place, deadline.Token).ConfigureAwait(true);
            TlsMetrics.Shared.Succeeded(session.Info, started);
            return session;
        }
        catch (OperationCanceledException) when (deadline.HasPassed)
        {
            TlsException exception = deadline.Abort();
            TlsMetrics.Shared.Failed(exception.Failure, started);
            throw exception;
        }
        catch (TlsException exception)
        {
            if (exception is { Failure: TlsFailure.Protocol, Alert: { } alert })
            {
                HandshakeRun.SendClearAlert(connection, alert);
            }

            TlsMetrics.Shared.Failed(exception.Failure, started);
            throw;
        }
        catch (IOException)
        {
            TlsMetrics.Shared.Failed(TlsFailure.Truncated, started);
            throw;
        }
    }

    /// <summary>Erases the ticket keys. Sessions continue.</summary>
    public void Dispose() => _tickets.Dispose();

    private ValueTask<TlsSession> RunAsync(RingConnection connection, HandshakePlace place, CancellationToken cancellationToken)
    {
        CertificateTable certificates = Volatile.Read(ref _certificates);
        var settings = new HandshakeSettings
        {
            IsServer = true,
            Protocols = _protocols,
            Tickets = _tickets,
            StatusResponse = _options.OcspResponse,
            PeerPolicy = _peerPolicy,
            KernelOffload = _options.KernelOffload,
            HasLongKey = certificates.HasLongKey,
            ContextOf = name => certificates.Find(connection, name),
        };
        return HandshakeRun.RunAsync(connection, new Handshake(settings, certificates.Default), settings, _kind, place, cancellationToken);
    }
}
