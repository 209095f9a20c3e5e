using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Ioxide.Tls.Tests;

/// <summary>One endpoint's options, drawn by a seed, and given to <c>UseIoxideTls</c> or to <c>UseHttps</c>.</summary>
internal sealed class OracleSetup
{
    private static readonly TlsCipherSuite[][] s_suites =
    [
        [],
        [TlsCipherSuite.TLS_AES_256_GCM_SHA384, TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, TlsCipherSuite.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384],
        [TlsCipherSuite.TLS_CHACHA20_POLY1305_SHA256, TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256],
        [TlsCipherSuite.TLS_AES_128_GCM_SHA256],
        [TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, TlsCipherSuite.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256],
    ];

    private static readonly (string Name, X509Certificate2Collection? Roots)[] s_roots =
    [
        ("the system's", null),
        ("the test's", TestCertificates.Roots),
        ("the other", [OracleCertificates.OtherRoot]),
        ("both", [TestCertificates.Root, OracleCertificates.OtherRoot]),
        ("none", []),
    ];

    private static readonly (string Name, Func<X509Certificate2, X509Chain?, SslPolicyErrors, bool>? Function)[] s_validations =
    [
        ("none", null),
        ("all", static (_, _, _) => true),
        ("nobody", static (_, _, _) => false),
        ("errors", static (_, chain, errors) => chain is not null && errors != SslPolicyErrors.None),
    ];

    private readonly TlsCipherSuite[] _suites;
    private readonly (string Name, X509Certificate2Collection? Roots) _roots;
    private readonly (string Name, Func<X509Certificate2, X509Chain?, SslPolicyErrors, bool>? Function) _validation;
    private readonly X509Certificate2 _certificate;
    private readonly X509Certificate2Collection? _chain;
    private readonly SslProtocols _protocols;
    private readonly HttpProtocols _http;
    private readonly ClientCertificateMode _mode;
    private readonly bool _hasSelector;
    private readonly bool _hasCallback;
    private readonly bool _resumes;

    internal OracleSetup(Random random)
    {
        _suites = Draw(random, s_suites);
        _roots = Draw(random, s_roots);
        _validation = Draw(random, s_validations);

        // SslStream refuses a version that it is given by name and has no suite for.
        _protocols = Draw(random, [SslProtocols.None, SslProtocols.Tls12, SslProtocols.Tls13, SslProtocols.Tls12 | SslProtocols.Tls13]) & WithSuites;
        _http = Draw(random, [HttpProtocols.Http1, HttpProtocols.Http1AndHttp2, HttpProtocols.Http2]);
        _mode = Draw(random, [ClientCertificateMode.NoCertificate, ClientCertificateMode.AllowCertificate, ClientCertificateMode.RequireCertificate]);
        _hasSelector = random.Next(2) == 0;
        _hasCallback = random.Next(3) == 0;
        _resumes = random.Next(2) == 0;
        int certificate = random.Next(3);
        _certificate = certificate switch
        {
            2 => OracleCertificates.ServerByIntermediate,
            1 => TestCertificates.Rsa,
            _ => TestCertificates.Ecdsa,
        };
        _chain = certificate == 2 ? [OracleCertificates.Intermediate] : null;
    }

    /// <summary>Whether the ring and SslStream may agree on different suites: each has an order and a list of its own.</summary>
    internal bool HasOwnSuites => _suites.Length > 0;

    private SslProtocols WithSuites => _suites.Length == 0
        ? SslProtocols.Tls12 | SslProtocols.Tls13
        : _suites.Aggregate(
            SslProtocols.None,
            static (versions, suite) => versions | (RecordSuite.Of(suite).IsTls13 ? SslProtocols.Tls13 : SslProtocols.Tls12));

    public override string ToString()
        => $"suites [{string.Join(' ', _suites)}], roots {_roots.Name}, validation {_validation.Name}, {_protocols}, {_http}, {_mode}, "
            + $"selector {_hasSelector}, callback {_hasCallback}, resumes {_resumes}, {_certificate.Subject}";

    /// <summary>The same options, given to one or the other.</summary>
    internal void Use(ListenOptions listen, bool isIoxide)
    {
        listen.Protocols = _http;
        if (_hasCallback)
        {
            TlsHandshakeCallbackOptions callback = new() { OnConnection = CallBack, HandshakeTimeout = Patience.Limit };
            _ = isIoxide ? listen.UseIoxideTls(callback) : listen.UseHttps(callback);
        }
        else
        {
            _ = isIoxide ? listen.UseIoxideTls(Configure) : listen.UseHttps(Configure);
        }
    }

    internal static T Draw<T>(Random random, IReadOnlyList<T> values) => values[random.Next(values.Count)];

    private static X509Certificate2? Select(string? name) => name switch
    {
        "named.test" or "NAMED.test" => TestCertificates.Named,
        "a.wild.test" => TestCertificates.Wildcard,
        "bücher.test" => TestCertificates.Rsa,
        null or "" => TestCertificates.Ecdsa,
        _ => null,
    };

    private void Configure(HttpsConnectionAdapterOptions https)
    {
        https.ServerCertificate = _certificate;
        https.ServerCertificateChain = _chain;
        https.SslProtocols = _protocols;
        https.ClientCertificateMode = _mode;
        https.ClientCertificateValidation = _validation.Function;
        https.HandshakeTimeout = Patience.Limit;
        https.ServerCertificateSelector = _hasSelector ? static (_, name) => Select(name) : null;
        https.OnAuthenticate = (_, ssl) => Complete(ssl);
    }

    private async ValueTask<SslServerAuthenticationOptions> CallBack(TlsHandshakeCallbackContext context)
    {
        await Task.Yield();
        SslServerAuthenticationOptions ssl = new()
        {
            EnabledSslProtocols = _protocols,
            ClientCertificateRequired = _mode != ClientCertificateMode.NoCertificate,
            RemoteCertificateValidationCallback = (_, certificate, chain, errors) => certificate is null
                ? _mode != ClientCertificateMode.RequireCertificate
                : _validation.Function?.Invoke((X509Certificate2)certificate, chain, errors) ?? errors == SslPolicyErrors.None,
        };
        X509Certificate2? selected = _hasSelector ? Select(context.ClientHelloInfo.ServerName) : null;
        ssl.ServerCertificateContext = selected is not null
            ? SslStreamCertificateContext.Create(selected, null, offline: true)
            : SslStreamCertificateContext.Create(_certificate, _chain, offline: true);
        Complete(ssl);
        return ssl;
    }

    private void Complete(SslServerAuthenticationOptions ssl)
    {
        ssl.AllowTlsResume = _resumes;
        ssl.CipherSuitesPolicy = _suites.Length > 0 ? new CipherSuitesPolicy(_suites) : null;
        if (_roots.Roots is { } roots)
        {
            ssl.CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                RevocationMode = X509RevocationMode.NoCheck,
            };
            ssl.CertificateChainPolicy.CustomTrustStore.AddRange(roots);
        }
    }
}
