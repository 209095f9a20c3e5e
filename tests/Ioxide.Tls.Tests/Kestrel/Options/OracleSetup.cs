using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Ioxide.Tls.Tests;

/// <summary>One end point's options, drawn by a seed, and put into <c>UseIoxideTls</c> or, by other words, into <c>UseHttps</c>.</summary>
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
    private readonly bool _hasNames;
    private readonly bool _requiresName;
    private readonly bool _hasSelector;
    private readonly bool _resumes;

    internal OracleSetup(Random random)
    {
        _suites = Draw(random, s_suites);
        _roots = Draw(random, s_roots);
        _validation = Draw(random, s_validations);
        _protocols = Draw(random, [SslProtocols.None, SslProtocols.Tls12, SslProtocols.Tls13, SslProtocols.Tls12 | SslProtocols.Tls13]);
        if (_protocols != SslProtocols.None)
        {
            // The ring does not start with versions that no suite is for.
            _protocols |= WithSuites switch
            {
                SslProtocols.Tls12 or SslProtocols.Tls13 => WithSuites,
                _ => SslProtocols.None,
            };
        }

        _http = Draw(random, [HttpProtocols.Http1, HttpProtocols.Http1AndHttp2, HttpProtocols.Http2]);
        _mode = Draw(random, [ClientCertificateMode.NoCertificate, ClientCertificateMode.AllowCertificate, ClientCertificateMode.RequireCertificate]);
        _hasNames = random.Next(2) == 0;
        _requiresName = _hasNames && random.Next(2) == 0;
        _hasSelector = random.Next(4) == 0;
        _resumes = random.Next(2) == 0;
        int certificate = random.Next(3);

        // SslStream does not send a chain with a certificate that is chosen by name; the host does not start then.
        bool isByIntermediate = certificate == 2 && !_hasNames;
        _certificate = isByIntermediate ? OracleCertificates.ServerByIntermediate
            : certificate == 1 ? TestCertificates.Rsa
            : TestCertificates.Ecdsa;
        _chain = isByIntermediate ? [OracleCertificates.Intermediate] : null;
    }

    /// <summary>Whether the ring and SslStream may agree on different suites: each has an order and a list of its own.</summary>
    internal bool HasOwnSuites => _suites.Length > 0;

    public override string ToString()
        => $"suites [{string.Join(' ', _suites)}], roots {_roots.Name}, validation {_validation.Name}, {_protocols}, {_http}, {_mode}, "
            + $"names {_hasNames}, required {_requiresName}, selector {_hasSelector}, resumes {_resumes}, {_certificate.Subject}";

    internal void UseIoxide(ListenOptions listen)
    {
        listen.Protocols = _http;
        listen.UseIoxideTls(
            Configure,
            tls =>
            {
                tls.ClientCertificateRoots = _roots.Roots;
                tls.RequireKnownName = _requiresName;
                tls.SessionLifetime = _resumes ? tls.SessionLifetime : TimeSpan.Zero;
                if (_suites.Length > 0)
                {
                    tls.CipherSuites.Clear();
                    Array.ForEach(_suites, tls.CipherSuites.Add);
                }

                if (_hasNames)
                {
                    tls.CertificatesByName["named.test"] = TestCertificates.Named;
                    tls.CertificatesByName["*.wild.test"] = TestCertificates.Wildcard;
                    tls.CertificatesByName["xn--bcher-kva.test"] = TestCertificates.Rsa;
                }
            });
    }

    /// <summary>What somebody would write who has <c>UseHttps</c> alone.</summary>
    internal void UseStock(ListenOptions listen)
    {
        listen.Protocols = _http;
        listen.UseHttps(https =>
        {
            Configure(https);

            // By name it would refuse every handshake where a version has no suite.
            https.SslProtocols &= WithSuites;
            Func<Microsoft.AspNetCore.Connections.ConnectionContext?, string?, X509Certificate2?>? own = https.ServerCertificateSelector;
            if (_hasNames)
            {
                https.ServerCertificateSelector = (connection, name) => own?.Invoke(connection, name) ?? name?.ToUpperInvariant() switch
                {
                    "NAMED.TEST" => TestCertificates.Named,
                    "A.WILD.TEST" => TestCertificates.Wildcard,
                    "BÜCHER.TEST" => TestCertificates.Rsa,
                    _ when own is not null => null,
                    null or "" => _certificate,
                    _ => _requiresName ? null : _certificate,
                };
            }

            https.OnAuthenticate = (_, options) =>
            {
                options.AllowTlsResume = _resumes;
                options.CipherSuitesPolicy = _suites.Length > 0 ? new CipherSuitesPolicy(_suites) : null;
                if (_roots.Roots is { } roots)
                {
                    options.CertificateChainPolicy = new X509ChainPolicy
                    {
                        TrustMode = X509ChainTrustMode.CustomRootTrust,
                        RevocationMode = X509RevocationMode.NoCheck,
                    };
                    options.CertificateChainPolicy.CustomTrustStore.AddRange(roots);
                }
            };
        });
    }

    private SslProtocols WithSuites => _suites.Length == 0
        ? SslProtocols.Tls12 | SslProtocols.Tls13
        : _suites.Aggregate(
            SslProtocols.None,
            static (versions, suite) => versions | (RecordSuite.Of(suite).IsTls13 ? SslProtocols.Tls13 : SslProtocols.Tls12));

    internal static T Draw<T>(Random random, IReadOnlyList<T> values) => values[random.Next(values.Count)];

    private void Configure(HttpsConnectionAdapterOptions https)
    {
        https.ServerCertificate = _certificate;
        https.ServerCertificateChain = _chain;
        https.SslProtocols = _protocols;
        https.ClientCertificateMode = _mode;
        https.ClientCertificateValidation = _validation.Function;
        https.HandshakeTimeout = Patience.Limit;
        if (_hasSelector)
        {
            https.ServerCertificateSelector = static (_, name) => name switch
            {
                "a.wild.test" => TestCertificates.Rsa,
                "bücher.test" => TestCertificates.Ecdsa,
                null or "" => TestCertificates.Ecdsa,
                _ => null,
            };
        }
    }
}
