using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Tls.Tests;

/// <summary>Options of an echo server: SslStream's and Ioxide's own, in the words of the tests.</summary>
internal sealed class EchoOptions
{
    /// <summary>As the server gets them.</summary>
    internal SslServerAuthenticationOptions Ssl { get; } = new();

    /// <inheritdoc cref="Ssl"/>
    internal TlsServerOptions Tls { get; } = new();

    internal X509Certificate2? Certificate { get; set; } = TestCertificates.Ecdsa;

    /// <summary>Where it returns null, <see cref="Certificate"/> is shown.</summary>
    internal Func<RingConnection, string, X509Certificate2?>? CertificateSelector { get; set; }

    /// <summary>Roots of client certificates, one of which is asked for.</summary>
    internal X509Certificate2Collection? ClientCertificateRoots { get; set; }

    /// <summary>Suites by name; empty for none.</summary>
    internal List<TlsCipherSuite> CipherSuites { get; } = [];

    internal SslProtocols Protocols
    {
        set => Ssl.EnabledSslProtocols = value;
    }

    internal List<SslApplicationProtocol> ApplicationProtocols
    {
        init => Ssl.ApplicationProtocols = value;
    }

    internal TlsKernelOffload KernelOffload
    {
        get => Tls.KernelOffload;
        set => Tls.KernelOffload = value;
    }

    internal TimeSpan HandshakeTimeout
    {
        set => Tls.HandshakeTimeout = value;
    }

    internal int MaxHandshakesPerReactor
    {
        set => Tls.MaxHandshakesPerReactor = value;
    }

    internal TimeProvider Time
    {
        set => Tls.Time = value;
    }

    internal Func<RecordSuite, KernelTlsAnswer> AskKernel
    {
        set => Tls.AskKernel = value;
    }

    internal Action<RingConnection> OnAnswer
    {
        set => Tls.OnAnswer = value;
    }

    internal TlsServer CreateServer(TlsSessionKind? kind = null)
    {
        Ssl.CipherSuitesPolicy = CipherSuites.Count > 0 ? new CipherSuitesPolicy(CipherSuites) : null;
        Ssl.ServerCertificate = CertificateSelector is null ? Certificate : null;
        Ssl.ServerCertificateSelectionCallback = CertificateSelector is { } select
            ? (sender, name) => select((RingConnection)sender, name!) ?? Certificate!
            : null;
        if (ClientCertificateRoots is { } roots)
        {
            Ssl.ClientCertificateRequired = true;
            Ssl.CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                RevocationMode = X509RevocationMode.NoCheck,
            };
            Ssl.CertificateChainPolicy.CustomTrustStore.AddRange(roots);
        }

        return new TlsServer(Ssl, Tls, kind ?? TlsSessionKind.Strict);
    }
}
