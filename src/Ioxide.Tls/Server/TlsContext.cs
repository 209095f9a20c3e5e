namespace Ioxide.Tls;

/// <summary>OpenSSL's context: a certificate and the rules of handshakes. One serves all reactors.</summary>
/// <remarks>
/// Other threads may just begin a handshake with it, so the finalizer frees it; OpenSSL keeps what running handshakes need. Threads: any, once made.
/// </remarks>
internal sealed unsafe class TlsContext
{
    private TlsContext(nint pointer) => Pointer = pointer;

    ~TlsContext() => LibSsl.FreeContext(Pointer);

    /// <summary>SSL_CTX. Keep this object alive across a call that takes it.</summary>
    internal nint Pointer { get; }

    /// <summary>One use of the private key takes longer than all handshakes of a reactor's turn may (<see cref="HandshakeTurns"/>).</summary>
    internal bool HasLongKey { get; private set; }

    /// <exception cref="TlsException">OpenSSL does not accept the certificate, its key or the suites.</exception>
    internal static TlsContext ForServer(TlsServerOptions options, SslStreamCertificateContext? certificate)
    {
        TlsContext context = Create(LibSsl.ServerMethod(), options);
        nint pointer = context.Pointer;
        bool hasTickets = options.ClientCertificateMode == TlsClientCertificateMode.None && options.SessionLifetime > TimeSpan.Zero;
        LibSsl.SetOptions(
            pointer, LibSsl.OptionServerPreference | LibSsl.OptionPrioritizeChaCha | (hasTickets ? 0 : LibSsl.OptionNoTicket));
        Check(LibSsl.SetTicketCount(pointer, hasTickets ? 1U : 0U) == 1, "the number of tickets");
        LibSsl.SetSessionTimeout(pointer, (long)options.SessionLifetime.TotalSeconds);
        Check(LibSsl.SetTicketCallback(pointer, &TlsCallbacks.Ticket) == 1, "the keys of tickets");
        ReadOnlySpan<byte> sessionContext = "Ioxide.Tls"u8;
        fixed (byte* id = sessionContext)
        {
            Check(LibSsl.SetSessionIdContext(pointer, id, (uint)sessionContext.Length) == 1, "the context of sessions");
        }

        delegate* unmanaged<nint, int*, nint, int> onName = &TlsCallbacks.ServerName;
        LibSsl.SetContextCallback(pointer, LibSsl.ControlServerNameCallback, onName);
        delegate* unmanaged<nint, nint, int> onStatus = &TlsCallbacks.Status;
        LibSsl.SetContextCallback(pointer, LibSsl.ControlStatusCallback, onStatus);
        if (options.ApplicationProtocols.Count > 0)
        {
            LibSsl.SetAlpnCallback(pointer, &TlsCallbacks.SelectProtocol, 0);
        }

        if (options.ClientCertificateMode != TlsClientCertificateMode.None)
        {
            bool isRequired = options.ClientCertificateMode == TlsClientCertificateMode.Require;
            LibSsl.SetVerify(pointer, LibSsl.VerifyPeer | (isRequired ? LibSsl.VerifyFailIfNone : 0), null);
            LibSsl.SetVerifyCallback(pointer, &TlsCallbacks.Verify, 0);
        }

        if (certificate is not null)
        {
            context.Use(certificate);
        }

        return context;
    }

    /// <inheritdoc cref="ForServer"/>
    internal static TlsContext ForClient(TlsClientOptions options)
    {
        TlsContext context = Create(LibSsl.ClientMethod(), options);
        LibSsl.SetOptions(context.Pointer, LibSsl.OptionNoTicket);
        LibSsl.SetVerify(context.Pointer, LibSsl.VerifyPeer, null);
        LibSsl.SetVerifyCallback(context.Pointer, &TlsCallbacks.Verify, 0);
        byte[] protocols = AlpnList.Encode(options.ApplicationProtocols);
        fixed (byte* list = protocols)
        {
            Check(protocols.Length == 0 || LibSsl.OfferAlpn(context.Pointer, list, (uint)protocols.Length) == 0, "the application protocols");
        }

        if (options.ClientCertificate is { } certificate)
        {
            context.Use(certificate);
        }

        return context;
    }

    private static TlsContext Create(nint method, TlsOptions options)
    {
        nint pointer = LibSsl.NewContext(method);
        Check(pointer != 0, "the method");
        var context = new TlsContext(pointer);
        (int oldest, int newest) = options.Versions();
        LibSsl.ControlContext(pointer, LibSsl.ControlMinVersion, oldest, null);
        LibSsl.ControlContext(pointer, LibSsl.ControlMaxVersion, newest, null);
        LibSsl.ControlContext(pointer, LibSsl.ControlSessionCacheMode, 0, null);
        LibSsl.ControlContext(pointer, LibSsl.ControlMode, LibSsl.ModeReleaseBuffers, null);
        LibSsl.SetOptions(pointer, LibSsl.OptionNoCompression | LibSsl.OptionNoRenegotiation);
        LibSsl.SetKeyLogCallback(pointer, &TlsCallbacks.KeyLog);
        context.SetSuites(options);
        return context;
    }

    private void SetSuites(TlsOptions options)
    {
        (string suites13, string suites12) = CipherNames.Of(options.CipherSuites);
        fixed (byte* names = Encoding.ASCII.GetBytes($"{suites13}\0"))
        {
            Check(LibSsl.SetCiphers13(Pointer, names) == 1, $"the suites {suites13}");
        }

        if (suites12.Length > 0)
        {
            fixed (byte* names = Encoding.ASCII.GetBytes($"{suites12}\0"))
            {
                Check(LibSsl.SetCiphers12(Pointer, names) == 1, $"the suites {suites12}");
            }
        }
    }

    private void Use(SslStreamCertificateContext certificate)
    {
        X509Certificate2 leaf = certificate.TargetCertificate;
        HasLongKey = IsLong(leaf);
        using SafeEvpPKeyHandle key = CopyKey(leaf);

        // .NET holds the very objects of OpenSSL's that these take; each adds a reference of its own.
        Check(LibSsl.UseCertificate(Pointer, leaf.Handle) == 1, $"the certificate {leaf.Subject}");
        Check(LibSsl.UsePrivateKey(Pointer, key.DangerousGetHandle()) == 1, $"the private key of {leaf.Subject}");
        Check(LibSsl.CheckPrivateKey(Pointer) == 1, $"the private key of {leaf.Subject}");
        foreach (X509Certificate2 intermediate in certificate.IntermediateCertificates)
        {
            Check(
                LibSsl.ControlContext(Pointer, LibSsl.ControlChainCertificate, 1, (void*)intermediate.Handle) == 1,
                $"the certificate {intermediate.Subject}");
        }

        GC.KeepAlive(certificate);
    }

    /// <summary>
    /// Measured (bench/Ioxide.Handshakes, steps): RSA of 2,048 bits and P-384 take about 1 ms, RSA of 3,072 bits 2, of 4,096 bits 4.
    /// </summary>
    private static bool IsLong(X509Certificate2 certificate)
    {
        const int LongestRsaBits = 2048;
        const int LongestCurveBits = 384;
        using RSA? rsa = certificate.GetRSAPublicKey();
        using ECDsa? ecdsa = certificate.GetECDsaPublicKey();
        return rsa?.KeySize > LongestRsaBits || ecdsa?.KeySize > LongestCurveBits;
    }

    private static SafeEvpPKeyHandle CopyKey(X509Certificate2 certificate)
    {
        using AsymmetricAlgorithm? key = (AsymmetricAlgorithm?)certificate.GetECDsaPrivateKey() ?? certificate.GetRSAPrivateKey();
        return key switch
        {
            ECDsaOpenSsl ecdsa => ecdsa.DuplicateKeyHandle(),
            RSAOpenSsl rsa => rsa.DuplicateKeyHandle(),
            null => throw new TlsException(TlsFailure.Certificate, $"The certificate {certificate.Subject} has no ECDSA or RSA private key."),
            _ => throw new TlsException(TlsFailure.Certificate, $"The private key of {certificate.Subject} is not OpenSSL's ({key.GetType()})."),
        };
    }

    private static void Check(bool isDone, string what)
    {
        if (!isDone)
        {
            throw new TlsException(TlsFailure.Unavailable, $"OpenSSL does not accept {what}: {LibCrypto.TakeErrors()}.");
        }
    }
}
