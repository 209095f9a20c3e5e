namespace Ioxide.Tls;

/// <summary>OpenSSL's context: a certificate and the rules of handshakes. One serves all reactors.</summary>
/// <remarks>
/// Other threads may just begin a handshake with it, so the finalizer frees it; OpenSSL keeps what running handshakes need. Threads: any, once made.
/// </remarks>
internal sealed unsafe class TlsContext
{
    private const int SessionSeconds = 2 * 60 * 60;

    private TlsContext(nint pointer) => Pointer = pointer;

    ~TlsContext() => LibSsl.FreeContext(Pointer);

    /// <summary>SSL_CTX; 0 once it is freed, which SSL_CTX_free(3) ignores. Keep this object alive across a call that takes it.</summary>
    internal nint Pointer { get; private set; }

    /// <summary>One use of the private key takes longer than all handshakes of a reactor's turn may (<see cref="HandshakeScheduler"/>).</summary>
    internal bool HasLongKey { get; private set; }

    /// <summary>A server's certificate; null where there is none.</summary>
    internal SslStreamCertificateContext? Certificate { get; private set; }

    /// <param name="rules">Versions and suites.</param>
    /// <param name="certificate">With its chain.</param>
    /// <param name="asksClient">Clients are asked for a certificate.</param>
    /// <param name="requiresClient">Clients without one are refused in the handshake.</param>
    /// <param name="resumes">Clients get tickets.</param>
    /// <exception cref="TlsException">OpenSSL does not accept the certificate, its key or the suites.</exception>
    internal static TlsContext ForServer(
        TlsRules rules, SslStreamCertificateContext certificate, bool asksClient, bool requiresClient, bool resumes)
    {
        TlsContext context = Create(LibSsl.ServerMethod(), rules);
        nint pointer = context.Pointer;
        bool hasTickets = resumes && !asksClient && LibSsl.GetTicketCount(pointer) > 0 && !IsResumptionOff();
        LibSsl.SetOptions(
            pointer,
            LibSsl.OptionServerPreference | (rules.IsOwnOrder ? LibSsl.OptionPrioritizeChaCha : 0) | (hasTickets ? 0 : LibSsl.OptionNoTicket));
        Check(LibSsl.SetTicketCount(pointer, hasTickets ? 1U : 0U) == 1, () => "the number of tickets");
        LibSsl.SetSessionTimeout(pointer, SessionSeconds);
        Check(LibSsl.SetTicketCallback(pointer, &TlsCallbacks.Ticket) == 1, () => "the keys of tickets");

        // A session belongs to the certificate that it was made with: a renewed one, or another tenant's, is shown in a full handshake.
        ReadOnlySpan<byte> sessionContext = SHA256.HashData(certificate.TargetCertificate.RawDataMemory.Span);
        fixed (byte* id = sessionContext)
        {
            Check(LibSsl.SetSessionIdContext(pointer, id, (uint)sessionContext.Length) == 1, () => "the context of sessions");
        }

        delegate* unmanaged<nint, nint, int> onStatus = &TlsCallbacks.Status;
        LibSsl.SetContextCallback(pointer, LibSsl.ControlStatusCallback, onStatus);
        LibSsl.SetAlpnCallback(pointer, &TlsCallbacks.SelectProtocol, 0);
        if (asksClient)
        {
            LibSsl.SetVerify(pointer, LibSsl.VerifyPeer | (requiresClient ? LibSsl.VerifyFailIfNone : 0), null);
            LibSsl.SetVerifyCallback(pointer, &TlsCallbacks.Verify, 0);
        }

        context.Use(certificate);
        return context;
    }

    /// <inheritdoc cref="ForServer"/>
    internal static TlsContext ForClient(TlsClientOptions options)
    {
        TlsContext context = Create(LibSsl.ClientMethod(), new TlsRules(
            options.Protocols & (SslProtocols.Tls12 | SslProtocols.Tls13), null, options.KernelOffload, KernelTlsCheck.Ask));
        LibSsl.SetOptions(context.Pointer, LibSsl.OptionNoTicket);
        LibSsl.SetVerify(context.Pointer, LibSsl.VerifyPeer, null);
        LibSsl.SetVerifyCallback(context.Pointer, &TlsCallbacks.Verify, 0);
        byte[] protocols = AlpnList.Encode(options.ApplicationProtocols);
        fixed (byte* list = protocols)
        {
            Check(protocols.Length == 0 || LibSsl.OfferAlpn(context.Pointer, list, (uint)protocols.Length) == 0, () => "the application protocols");
        }

        if (options.ClientCertificate is { } certificate)
        {
            context.Use(certificate);
        }

        return context;
    }

    /// <summary>Frees it at once. The caller is the only one that has it, and does not use it again.</summary>
    internal void Free()
    {
        LibSsl.FreeContext(Pointer);
        Pointer = 0;
    }

    /// <summary>OpenSSL applies its configuration to each new context; <see cref="TlsRules"/> only narrows it.</summary>
    private static TlsContext Create(nint method, TlsRules rules)
    {
        nint pointer = LibSsl.NewContext(method);
        Check(pointer != 0, () => "the method");
        var context = new TlsContext(pointer);
        LibSsl.ControlContext(pointer, LibSsl.ControlMinVersion, rules.Oldest, null);
        LibSsl.ControlContext(pointer, LibSsl.ControlMaxVersion, rules.Newest, null);
        LibSsl.ControlContext(pointer, LibSsl.ControlSessionCacheMode, 0, null);
        LibSsl.ControlContext(pointer, LibSsl.ControlMode, LibSsl.ModeReleaseBuffers, null);
        LibSsl.SetOptions(pointer, LibSsl.OptionNoCompression | LibSsl.OptionNoRenegotiation);
        LibSsl.SetKeyLogCallback(pointer, &TlsCallbacks.KeyLog);
        context.SetSuites(rules);
        return context;
    }

    private void SetSuites(TlsRules rules)
    {
        fixed (byte* names = Encoding.ASCII.GetBytes($"{rules.Names13}\0"))
        {
            Check(LibSsl.SetCiphers13(Pointer, names) == 1, () => $"the suites {rules.Names13}");
        }

        if (rules.Names12.Length > 0)
        {
            fixed (byte* names = Encoding.ASCII.GetBytes($"{rules.Names12}\0"))
            {
                Check(LibSsl.SetCiphers12(Pointer, names) == 1, () => $"the suites {rules.Names12}");
            }
        }
    }

    /// <summary>.NET's own switch, in either of its forms, which SslStream follows.</summary>
    private static bool IsResumptionOff()
        => AppContext.TryGetSwitch("System.Net.Security.DisableTlsResume", out bool isOff) ? isOff
            : Environment.GetEnvironmentVariable("DOTNET_SYSTEM_NET_SECURITY_DISABLETLSRESUME") is { } text
                && (text == "1" || text.Equals("true", StringComparison.OrdinalIgnoreCase));

    private void Use(SslStreamCertificateContext certificate)
    {
        X509Certificate2 leaf = certificate.TargetCertificate;
        Certificate = certificate;
        HasLongKey = IsLong(leaf);
        using SafeEvpPKeyHandle key = CopyKey(leaf);

        // .NET holds the very objects of OpenSSL's that these take; each adds a reference of its own.
        Check(
            LibSsl.UseCertificate(Pointer, leaf.Handle) == 1,
            () => $"the certificate {leaf.Subject} (where its key is too weak: the level is @SECLEVEL of CipherString in {OpenSslPolicy.FileName})");
        Check(LibSsl.UsePrivateKey(Pointer, key.DangerousGetHandle()) == 1, () => $"the private key of {leaf.Subject}");
        Check(LibSsl.CheckPrivateKey(Pointer) == 1, () => $"the private key of {leaf.Subject}");
        foreach (X509Certificate2 intermediate in certificate.IntermediateCertificates)
        {
            Check(
                LibSsl.ControlContext(Pointer, LibSsl.ControlChainCertificate, 1, (void*)intermediate.Handle) == 1,
                () => $"the certificate {intermediate.Subject}");
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

    private static void Check(bool isDone, Func<string> what)
    {
        if (!isDone)
        {
            // First: what describes the object may call OpenSSL, which empties the queue.
            string errors = OpenSslErrors.Take().Text;
            throw new TlsException(TlsFailure.Unavailable, $"OpenSSL does not accept {what()}: {errors}.");
        }
    }
}
