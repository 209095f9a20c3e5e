namespace Ioxide.Tls;

/// <summary>What <c>UseHttps</c> was given, as the options of SslStream that Kestrel's own middleware makes of it for each handshake.</summary>
/// <remarks>Threads: any.</remarks>
internal sealed class KestrelAuthentication
{
    private const string DelayedReason = "delayed client certificates need a second handshake.";

    private readonly HttpsConnectionAdapterOptions? _https;
    private readonly TlsHandshakeCallbackOptions? _callback;
    private readonly SslStreamCertificateContext? _certificate;
    private readonly List<SslApplicationProtocol> _protocols = [];
    private readonly RemoteCertificateValidationCallback? _validate;
    private readonly SslServerAuthenticationOptions? _same;

    internal KestrelAuthentication(HttpsConnectionAdapterOptions https, HttpProtocols protocols)
        : this(protocols)
    {
        _https = https;
        HandshakeTimeout = https.HandshakeTimeout;
        if (https is { ServerCertificateSelector: null, ServerCertificate: { } certificate })
        {
            _certificate = SslStreamCertificateContext.Create(certificate, https.ServerCertificateChain);
        }

        if (AsksClient)
        {
            _validate = new ClientValidation(
                https.ClientCertificateMode == ClientCertificateMode.RequireCertificate, https.ClientCertificateValidation).Validate;
        }

        Known = Make();
        Known.RemoteCertificateValidationCallback = _validate;
        _same = https.OnAuthenticate is null ? Known : null;
    }

    internal KestrelAuthentication(TlsHandshakeCallbackOptions callback, HttpProtocols protocols)
        : this(protocols)
    {
        _callback = callback;
        HandshakeTimeout = callback.HandshakeTimeout;
    }

    private KestrelAuthentication(HttpProtocols protocols)
    {
        if (protocols.HasFlag(HttpProtocols.Http2))
        {
            _protocols.Add(SslApplicationProtocol.Http2);
        }

        if (protocols.HasFlag(HttpProtocols.Http1))
        {
            _protocols.Add(SslApplicationProtocol.Http11);
        }
    }

    internal TimeSpan HandshakeTimeout { get; }

    /// <summary>What is known before a handshake.</summary>
    internal SslServerAuthenticationOptions Known { get; } = new();

    /// <summary>All handshakes have the same options.</summary>
    internal bool IsFixed => _same is not null;

    /// <summary>Why SslStream has to serve the whole endpoint, as a sentence; null where a ring can.</summary>
    internal string? WhyNot => _https switch
    {
        { TlsClientHelloBytesCallback: not null } => "only SslStream supports TlsClientHelloBytesCallback.",
        { ClientCertificateMode: ClientCertificateMode.DelayCertificate } => DelayedReason,
        _ => ServerContexts.WhyNot(Known),
    };

    private bool AsksClient => _https!.ClientCertificateMode is ClientCertificateMode.AllowCertificate or ClientCertificateMode.RequireCertificate;

    /// <summary>The options of a handshake.</summary>
    [ApplicationSide]
    internal ValueTask<ServerChoice> ChooseAsync(RingConnection connection, SslClientHelloInfo hello, CancellationToken cancellationToken)
    {
        if (_same is not null)
        {
            return new ValueTask<ServerChoice>(new ServerChoice(_same));
        }

        var context = (ConnectionContext)connection.Tag!;
        if (_callback is not null)
        {
            return CallBackAsync(_callback, context, hello, cancellationToken);
        }

        SslServerAuthenticationOptions options = Make();
        _https!.OnAuthenticate!(context, options);
        if (_validate is not null)
        {
            // SslStream refuses two of them as well.
            options.RemoteCertificateValidationCallback = options.RemoteCertificateValidationCallback is null
                ? _validate
                : throw new InvalidOperationException(
                    "OnAuthenticate sets RemoteCertificateValidationCallback, and ClientCertificateMode has a validation of "
                        + "its own. Set one of them.");
        }

        return new ValueTask<ServerChoice>(new ServerChoice(options));
    }

    [ApplicationSide]
    private async ValueTask<ServerChoice> CallBackAsync(
        TlsHandshakeCallbackOptions callback, ConnectionContext connection, SslClientHelloInfo hello, CancellationToken cancellationToken)
    {
        TlsHandshakeCallbackContext context = KestrelInternals.MakeContext(connection, hello, callback.OnConnectionState, cancellationToken);
        SslServerAuthenticationOptions options = await callback.OnConnection(context).ConfigureAwait(true);
        options.ApplicationProtocols ??= [.. _protocols];
        return new ServerChoice(
            options, context.AllowDelayedClientCertificateNegotation ? DelayedReason : null);
    }

    /// <summary>As Kestrel's HTTPS middleware makes them before it calls <c>OnAuthenticate</c>.</summary>
    private SslServerAuthenticationOptions Make()
    {
        HttpsConnectionAdapterOptions https = _https!;
        Func<ConnectionContext?, string?, X509Certificate2?>? selector = https.ServerCertificateSelector;
        return new SslServerAuthenticationOptions
        {
            ServerCertificate = _certificate?.TargetCertificate,
            ServerCertificateContext = _certificate,
            ServerCertificateSelectionCallback = selector is null
                ? null
                : (sender, name) => MustServe(selector((ConnectionContext?)((RingConnection)sender).Tag, name))!, // Null refuses the name.
            ClientCertificateRequired = AsksClient,
            EnabledSslProtocols = https.SslProtocols,
            CertificateRevocationCheckMode = https.CheckCertificateRevocation ? X509RevocationMode.Online : X509RevocationMode.NoCheck,
            ApplicationProtocols = [.. _protocols],
        };
    }

    /// <summary>A selected certificate that says what it is for must be for servers, as Kestrel's middleware has it.</summary>
    private static X509Certificate2? MustServe(X509Certificate2? certificate)
    {
        X509EnhancedKeyUsageExtension[] usages = [.. (certificate?.Extensions ?? []).OfType<X509EnhancedKeyUsageExtension>()];
        return usages.Length == 0
            || usages.Any(static usage => usage.EnhancedKeyUsages.Cast<Oid>().Any(static oid => oid.Value == TlsPeerPolicy.ServerUsage.Value))
            ? certificate
            : throw new InvalidOperationException(
                $"ServerCertificateSelector returned {certificate!.Subject} ({certificate.Thumbprint}), which is not made for servers: its "
                + $"enhanced key usage lacks {TlsPeerPolicy.ServerUsage.Value}. Return a certificate for servers.");
    }
}
