namespace Ioxide.Tls;

/// <summary>The versions and suites of one side: what its options name, and where they name nothing, what OpenSSL's configuration says.</summary>
/// <remarks>
/// <para>The administrator of a machine sets its policy in <c>openssl.cnf</c>, which SslStream applies. A new context of OpenSSL's has it
/// already, so what is not named here is left as it is, and only what is below TLS 1.2 or has no AEAD with forward secrecy is taken away. A
/// client that SslStream refuses is never accepted for that reason alone.</para>
/// <para>Without a CipherString SslStream sets a list of its own for TLS 1.2, so that list is the default here too, without CBC.</para>
/// </remarks>
internal sealed class TlsRules
{
    // .NET's list where openssl.cnf has none, but for its suites with CBC; AES-128 first, which is the fastest where processors have AES.
    private static readonly TlsCipherSuite[] s_standard12 =
    [
        TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
        TlsCipherSuite.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
        TlsCipherSuite.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    ];

    private readonly OpenSslPolicy _policy;
    private readonly string _versionSource;
    private readonly string _suiteSource;
    private readonly int _leftOutCount;

    /// <param name="versions">TLS 1.2, TLS 1.3 or both; None where no option names one.</param>
    /// <param name="named">Suites, each of them supported, in order; null where no option names one.</param>
    /// <param name="offload">Where the kernel must encrypt, suites that no option names are those that it has.</param>
    /// <param name="ask">Asks the kernel for a suite.</param>
    /// <exception cref="TlsException">
    /// Nothing is left that is supported, or kernel TLS is required and the kernel does not support a suite.
    /// </exception>
    internal TlsRules(
        SslProtocols versions, IReadOnlyList<TlsCipherSuite>? named, TlsKernelOffload offload, Func<RecordSuite, KernelTlsAnswer> ask)
    {
        _policy = OpenSslPolicy.Current;
        bool isNamed = versions != SslProtocols.None;
        bool has12 = isNamed
            ? versions.HasFlag(SslProtocols.Tls12) && !_policy.IsOff(RecordHeader.Version12)
            : _policy.Allows(RecordHeader.Version12);
        bool has13 = isNamed
            ? versions.HasFlag(SslProtocols.Tls13) && !_policy.IsOff(RecordHeader.Version13)
            : _policy.Allows(RecordHeader.Version13);
        _versionSource = isNamed ? "the options" : _policy.HasVersions ? OpenSslPolicy.FileName : "the defaults";
        IReadOnlyList<TlsCipherSuite> suites = named ?? Standard(offload, ask);
        _suiteSource = named is not null ? "the options" : _policy.HasSuites ? OpenSslPolicy.FileName : "the defaults";
        IsOwnOrder = named is null && !_policy.HasSuites;
        _leftOutCount = named is not null || !_policy.NamesSuites12 ? 0 : _policy.LeftOutCount;
        Names13 = NamesOf(suites.Where(IsTls13));
        Names12 = NamesOf(suites.Where(static suite => !IsTls13(suite)));
        ThrowIfNothingIsLeft(named, has12, has13);
        has12 &= Names12.Length > 0;
        has13 &= Names13.Length > 0;
        Suites = [.. suites.Where(suite => IsTls13(suite) ? has13 : has12)];
        (Oldest, Newest) = (has12 ? RecordHeader.Version12 : RecordHeader.Version13, has13 ? RecordHeader.Version13 : RecordHeader.Version12);
        KernelTlsCheck.ThrowIfRequiredAndAbsent(offload, ask, Suites);
    }

    /// <summary>The oldest version, as libssl numbers them.</summary>
    internal int Oldest { get; }

    /// <summary>The newest version, as libssl numbers them.</summary>
    internal int Newest { get; }

    /// <summary>The suites of the versions that are served, in order.</summary>
    internal IReadOnlyList<TlsCipherSuite> Suites { get; }

    /// <summary>OpenSSL's names of the suites for TLS 1.3; empty where there is none.</summary>
    internal string Names13 { get; }

    /// <summary>OpenSSL's names of the suites for TLS 1.2; empty where there is none.</summary>
    internal string Names12 { get; }

    /// <summary>No option sets an order, so a client without AES instructions may get ChaCha20-Poly1305 first.</summary>
    internal bool IsOwnOrder { get; }

    /// <summary>What is in force and where it comes from, for the log.</summary>
    public override string ToString()
    {
        string versions = Oldest == Newest ? (Oldest == RecordHeader.Version13 ? "TLS 1.3" : "TLS 1.2") : "TLS 1.2 and 1.3";
        string leftOut = _leftOutCount == 0 ? "" : $" without {_leftOutCount} that are not AEAD suites with forward secrecy";
        return $"{versions} (from {_versionSource}), {string.Join(", ", Suites)} (from {_suiteSource}{leftOut}), {_policy}";
    }

    private List<TlsCipherSuite> Standard(TlsKernelOffload offload, Func<RecordSuite, KernelTlsAnswer> ask)
    {
        IEnumerable<TlsCipherSuite> suites13 = _policy.NamesSuites13
            ? _policy.Suites.Where(IsTls13)
            : RecordSuite.Supported.Where(suite => IsTls13(suite) && _policy.Suites.Contains(suite));
        IEnumerable<TlsCipherSuite> suites12 = _policy.NamesSuites12 ? _policy.Suites.Where(static suite => !IsTls13(suite)) : s_standard12;
        return [.. KernelTlsCheck.KeepSupported(offload, ask, suites13), .. KernelTlsCheck.KeepSupported(offload, ask, suites12)];
    }

    private static string NamesOf(IEnumerable<TlsCipherSuite> suites)
        => string.Join(':', suites.Select(static suite => RecordSuite.Of(suite).Name));

    private static bool IsTls13(TlsCipherSuite suite) => RecordSuite.Of(suite).IsTls13;

    private void ThrowIfNothingIsLeft(IReadOnlyList<TlsCipherSuite>? named, bool has12, bool has13)
    {
        if ((has12 && Names12.Length > 0) || (has13 && Names13.Length > 0))
        {
            // A client of TLS 1.3 would be served by TLS 1.2 instead, and SslStream refuses it.
            if (has13 && Names13.Length == 0 && named is null)
            {
                throw new TlsException(
                    TlsFailure.Unavailable,
                    $"TLS 1.3 is enabled, but {OpenSslPolicy.FileName} leaves none of its suites that are supported (AES-GCM, "
                        + "ChaCha20-Poly1305). Add one to "
                    + "Ciphersuites there, or set MaxProtocol = TLSv1.2 there, or serve the endpoint by UseHttps.");
            }

            return;
        }

        if (named is not null && (has12 || has13))
        {
            throw new TlsException(
                TlsFailure.Unavailable,
                $"CipherSuitesPolicy has no suite for a version that is enabled: {string.Join(", ", named)}. Add one, or enable the other version.");
        }

        throw new TlsException(
            TlsFailure.Unavailable,
            $"{OpenSslPolicy.FileName} leaves nothing that is supported: TLS 1.2 is {(has12 ? "enabled without a suite" : "off")}, TLS 1.3 is "
            + $"{(has13 ? "enabled without a suite" : "off")}. Supported are TLS 1.2 and 1.3 with AEAD suites and forward secrecy (such as "
            + "ECDHE-ECDSA-AES128-GCM-SHA256). Change MinProtocol, MaxProtocol, CipherString or Ciphersuites there, or serve "
                + "the endpoint by UseHttps.");
    }
}
