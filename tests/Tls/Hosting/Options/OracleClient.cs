using System.Net;
using System.Net.Security;
using System.Security.Authentication;
using System.Text;

namespace Ioxide.Tls.Tests;

/// <summary>A client, drawn by a seed; it may be sent to any server.</summary>
internal sealed class OracleClient
{
    /// <summary>What it sees where it is refused.</summary>
    internal const string Refused = "refused";

    private static readonly string?[] s_names =
        [TestCertificates.ServerName, "named.test", "NAMED.test", "a.wild.test", "a.b.wild.test", "wild.test", "unknown.test", "xn--bcher-kva.test", null];

    private static readonly TlsCipherSuite[][] s_suites =
    [
        [],
        [TlsCipherSuite.TLS_AES_128_GCM_SHA256],
        [TlsCipherSuite.TLS_AES_256_GCM_SHA384],
        [TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, TlsCipherSuite.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256],
        [TlsCipherSuite.TLS_CHACHA20_POLY1305_SHA256, TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256],
    ];

    private static readonly SslApplicationProtocol[][] s_protocols =
    [
        [],
        [SslApplicationProtocol.Http11],
        [SslApplicationProtocol.Http2],
        [SslApplicationProtocol.Http11, SslApplicationProtocol.Http2],
        [new SslApplicationProtocol("other")],
    ];

    private readonly TlsCipherSuite[] _suites;
    private readonly SslApplicationProtocol[] _protocols;
    private readonly SslProtocols _version;
    private readonly string? _name;
    private readonly string _certificate;

    /// <param name="random">Where it is drawn from.</param>
    /// <param name="mayChooseSuites">Whether it may offer a part of the suites alone.</param>
    internal OracleClient(Random random, bool mayChooseSuites)
    {
        _suites = mayChooseSuites ? OracleSetup.Draw(random, s_suites) : [];
        _protocols = OracleSetup.Draw(random, s_protocols);
        _version = OracleSetup.Draw(random, [SslProtocols.None, SslProtocols.Tls12, SslProtocols.Tls13]);
        _name = OracleSetup.Draw(random, s_names);
        _certificate = OracleSetup.Draw(random, [.. OracleCertificates.Clients.Keys]);
    }

    public override string ToString()
        => $"client [{string.Join(' ', _suites)}], [{string.Join(' ', _protocols)}], {_version}, name {_name ?? "none"}, certificate {_certificate}";

    /// <summary>What the application of the server saw of it, and what it saw of the server.</summary>
    internal async Task<string> SendAsync(EndPoint endPoint)
    {
        SslStreamCertificateContext? certificate = OracleCertificates.Clients[_certificate];
        try
        {
            await using SslClient client = await SslClient.ConnectAsync(endPoint, SslClient.Options(options =>
            {
                options.TargetHost = _name;
                options.EnabledSslProtocols = _version;
                options.ClientCertificateContext = certificate;
                options.ApplicationProtocols = _protocols.Length > 0 ? [.. _protocols] : null;
                options.CipherSuitesPolicy = _suites.Length > 0 ? new CipherSuitesPolicy(_suites) : null;
                options.RemoteCertificateValidationCallback = static (_, _, _, errors) => errors != SslPolicyErrors.RemoteCertificateNotAvailable;
            }));
            MemoryStream read = new();
            await client.Stream.CopyToAsync(read).Within(Patience.Limit, "the server ends");
            string seen = Encoding.UTF8.GetString(read.ToArray());
            return seen.Length == 0 ? Refused : $"{seen}, shown {client.ServerSubject}";
        }
        catch (Exception exception) when (exception is IOException or AuthenticationException)
        {
            return Refused;
        }
    }
}
