namespace Ioxide.Tls;

/// <summary>Performs the server side of TLS handshakes.</summary>
/// <remarks>
/// <para>It takes SslStream's options and means the same by them. The sender of their callbacks is the <see cref="RingConnection"/>. Callbacks that
/// choose options or certificates run on the connection's reactor, those that check certificates on the thread pool.</para>
/// <para>One server serves all reactors. Threads: any.</para>
/// </remarks>
public sealed class TlsServer : IDisposable
{
    private static readonly TimeSpan s_sessionLifetime = TimeSpan.FromHours(2);

    private readonly TlsServerOptions _options;
    private readonly TlsSessionKind _kind;
    private readonly TicketKeys _tickets;
    private readonly ServerContexts _contexts;
    private readonly Func<RingConnection, SslClientHelloInfo, CancellationToken, ValueTask<ServerChoice>> _choose;
    private readonly ConditionalWeakTable<Reactor, HandshakeLimit> _rooms = [];

    /// <summary>Creates a server whose handshakes all have the same options.</summary>
    /// <exception cref="ArgumentException">There is no certificate, or an option is out of its range or not supported.</exception>
    /// <exception cref="TlsException">
    /// OpenSSL 3 is missing, or refuses a certificate or its key, or its configuration leaves no version or suite that is supported; or kernel TLS
    /// is required, and the kernel does not support a suite.
    /// </exception>
    public TlsServer(SslServerAuthenticationOptions authentication, TlsServerOptions? options = null)
        : this(authentication, options, TlsSessionKind.Strict)
    {
    }

    /// <summary>Creates a server that asks for the options of each handshake, by the client's hello.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <exception cref="TlsException">OpenSSL 3 is missing, or its configuration leaves no version or suite that is supported.</exception>
    public TlsServer(
        [ApplicationSide] Func<RingConnection, SslClientHelloInfo, CancellationToken, ValueTask<SslServerAuthenticationOptions>> choose,
        TlsServerOptions? options = null)
        : this(new Choice(choose).ChooseAsync, options ?? new TlsServerOptions(), TlsSessionKind.Strict)
    {
        ArgumentNullException.ThrowIfNull(choose);
        _ = Prepare(new SslServerAuthenticationOptions(), isFixed: false);
    }

    internal TlsServer(SslServerAuthenticationOptions authentication, TlsServerOptions? options, TlsSessionKind kind)
        : this((_, _, _) => new ValueTask<ServerChoice>(new ServerChoice(authentication)), options ?? new TlsServerOptions(), kind)
    {
        ArgumentNullException.ThrowIfNull(authentication);
        if (ServerContexts.WhyNot(authentication) is { } reason)
        {
            throw new ArgumentException($"A ring cannot serve with these options, because {reason}", nameof(authentication));
        }

        Prepare(authentication, isFixed: true);
    }

    internal TlsServer(
        Func<RingConnection, SslClientHelloInfo, CancellationToken, ValueTask<ServerChoice>> choose, TlsServerOptions options, TlsSessionKind kind)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(options.MaxHandshakesPerReactor, 1);
        _ = HandshakeDeadline.Check(options.HandshakeTimeout);
        TlsSupport.ThrowIfUnavailable();
        _choose = choose;
        _options = options;
        _kind = kind;
        _contexts = new ServerContexts(options);
        TlsMetrics.Shared.Observe(_contexts);
        _tickets = new TicketKeys(s_sessionLifetime, options.Time);
    }

    /// <summary>
    /// Makes what is known before the first handshake, so that what is wrong with it ends the start. Returns the versions and suites.
    /// </summary>
    /// <param name="authentication">The options of all handshakes, or those that a callback begins with.</param>
    /// <param name="isFixed">They do not change.</param>
    internal TlsRules Prepare(SslServerAuthenticationOptions authentication, bool isFixed)
    {
        TlsRules rules = _contexts.RulesOf(authentication);
        if (isFixed && authentication.ServerCertificateSelectionCallback is null)
        {
            if (authentication is { ServerCertificate: null, ServerCertificateContext: null })
            {
                throw new ArgumentException(
                    "There is no certificate. Set ServerCertificateContext, ServerCertificate or ServerCertificateSelectionCallback.",
                    nameof(authentication));
            }

            _ = _contexts.Find(authentication, this, "");
        }

        return rules;
    }

    /// <summary>Replaces the ticket keys now. The previous keys still open their tickets.</summary>
    internal void RotateTicketKeys() => _tickets.Rotate();

    /// <summary>Performs the handshake. Nothing may have been read from or written to the connection before.</summary>
    /// <remarks>Threads: any. The caller owns the connection and disposes of it after the session, also where this method throws.</remarks>
    /// <exception cref="TlsException">The handshake failed. Where possible, an alert was sent to the client.</exception>
    [ApplicationSide]
    public async ValueTask<TlsSession> AuthenticateAsync(RingConnection connection, CancellationToken cancellationToken = default)
    {
        (TlsSession? session, string? reason) = await TryAuthenticateAsync(connection, null, cancellationToken).ConfigureAwait(true);
        return session ?? throw TlsException.OfApplication(
            new NotSupportedException($"A ring cannot serve with the options that were chosen, because {reason}"));
    }

    /// <summary>
    /// As <see cref="AuthenticateAsync"/>; without a session where SslStream has to serve, with the reason. Then the client's hello is still in the
    /// connection's reader, and nothing was sent. <paramref name="onChosen"/> is called once a ring serves.
    /// </summary>
    /// <exception cref="TlsException">The handshake failed. Where possible, an alert was sent to the client.</exception>
    [ApplicationSide]
    internal async ValueTask<(TlsSession? Session, string? Reason)> TryAuthenticateAsync(
        RingConnection connection, Action? onChosen, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(connection);
        long started = Stopwatch.GetTimestamp();
        using var deadline = new HandshakeDeadline(connection, _options.HandshakeTimeout, cancellationToken);
        try
        {
            HandshakeLimit room = _rooms.GetValue(connection.Reactor, _ => new HandshakeLimit(_options.MaxHandshakesPerReactor));
            using HandshakeThread place = room.Enter(deadline);
            HelloInfo hello = await HandshakeDriver.WaitForHelloAsync(connection.Input, place, deadline.Token).ConfigureAwait(true);
            place.BeginWaitForTurn();
            (TlsContext? context, HandshakeSettings? settings, string? reason) =
                await ChooseAsync(connection, hello, deadline.Token).ConfigureAwait(true);
            if (context is null || settings is null)
            {
                return (null, reason);
            }

            onChosen?.Invoke();
            TlsSession session = await HandshakeDriver.RunAsync(
                connection, context, settings, _kind, place, deadline.Token).ConfigureAwait(true);
            TlsMetrics.Shared.Succeeded(session.Info, started);
            return (session, null);
        }
        catch (OperationCanceledException) when (deadline.HasPassed)
        {
            TlsException exception = deadline.End();
            TlsMetrics.Shared.Failed(exception.Failure, started);
            throw exception;
        }
        catch (TlsException exception)
        {
            if (exception is { Failure: TlsFailure.Protocol or TlsFailure.Handshake, Alert: { } alert })
            {
                HandshakeDriver.SendClearAlert(connection, alert);
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
    public void Dispose()
    {
        _tickets.Dispose();
        _contexts.Clear();
    }

    /// <summary>Asks the application for the options, and the certificate, of a hello.</summary>
    /// <exception cref="TlsException">The application has none for the name, or threw.</exception>
    [ApplicationSide]
    private async ValueTask<(TlsContext? Context, HandshakeSettings? Settings, string? Reason)> ChooseAsync(
        RingConnection connection, HelloInfo hello, CancellationToken cancellationToken)
    {
        try
        {
            string name = hello.Name;
            ServerChoice choice = await _choose(
                connection, new SslClientHelloInfo(name, hello.Versions), cancellationToken).ConfigureAwait(true);
            if (!connection.Reactor.IsCurrent)
            {
                // The application may have continued on the thread pool.
                await connection.EnterAsync();
            }

            if ((choice.Reason ?? ServerContexts.WhyNot(choice.Options)) is { } reason)
            {
                return (null, null, reason);
            }

            TlsContext context = await _contexts.FindAsync(choice.Options, connection, name, cancellationToken).ConfigureAwait(true);
            return (context, Translate(choice.Options, context, connection, hello), null);
        }
        catch (TlsException exception) when (exception.Alert is null)
        {
            HandshakeDriver.SendClearAlert(connection, TlsAlert.InternalError);
            throw;
        }
        catch (Exception exception) when (exception is not TlsException && !cancellationToken.IsCancellationRequested)
        {
            HandshakeDriver.SendClearAlert(connection, TlsAlert.InternalError);
            throw TlsException.OfApplication(exception);
        }
    }

    private HandshakeSettings Translate(
        SslServerAuthenticationOptions ssl, TlsContext context, RingConnection connection, in HelloInfo hello)
    {
        X509Certificate2Collection? roots = ssl.ClientCertificateRequired ? FrameworkTls.TrustedRoots(context.Certificate!) : null;
        return new()
        {
            IsServer = true,
            Protocols = AlpnList.Encode(ssl.ApplicationProtocols ?? []),
            HostName = hello.ServerName.Length == 0 ? null : hello.ServerName,
            Tickets = _tickets,
            Certificate = context.Certificate,
            PeerPolicy = !ssl.ClientCertificateRequired
                ? null
                : new TlsPeerPolicy(
                    TlsPeerPolicy.ClientUsage,
                    ssl.CertificateRevocationCheckMode,
                    ssl.CertificateChainPolicy,
                    roots,
                    ssl.RemoteCertificateValidationCallback is { } validate
                        ? (certificate, chain, errors) => validate(connection, certificate, chain, errors)
                        : null),
            NamedRoots = roots is not null && FrameworkTls.NamesRoots(context.Certificate!) ? roots : null,
            AcceptsAbsence = ssl.RemoteCertificateValidationCallback is { } validation
                ? () => validation(connection, null, null, SslPolicyErrors.RemoteCertificateNotAvailable)
                : null,
            KernelOffload = _options.KernelOffload,
            HasLongKey = context.HasLongKey,
            OnAnswer = _options.OnAnswer is { } onAnswer ? () => onAnswer(connection) : null,
        };
    }

    /// <summary>The application's choice for each hello.</summary>
    private sealed class Choice(
        [ApplicationSide] Func<RingConnection, SslClientHelloInfo, CancellationToken, ValueTask<SslServerAuthenticationOptions>> choose)
    {
        [ApplicationSide]
        internal async ValueTask<ServerChoice> ChooseAsync(
            RingConnection connection, SslClientHelloInfo hello, CancellationToken cancellationToken)
            => new(await choose(connection, hello, cancellationToken).ConfigureAwait(true));
    }
}
