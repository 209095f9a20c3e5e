using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Ioxide.Tls.Tests;

/// <summary>Certificates of servers: every kind of key, of chain and of fault, and every way in which an application gives them.</summary>
internal sealed class ServerCertificates
{
    /// <summary>So many of the first differ in their keys.</summary>
    internal const int KeyCount = 9;

    internal const string ByName = "by name";
    internal const string ByNameForOne = $"{ByName}, for one only";
    internal const string TooWeak = "too weak";
    internal const string NoKey = "no key";
    internal const string ForClients = "for clients";
    internal const string Throws = "throws";

    private const string Password = "password";
    private static readonly X509Certificate2 s_weak = Make("too weak", key: RSA.Create(1024));

    private readonly string _folder;
    private readonly X509Certificate2 _outer = CertificateMaker.Make("CN=outer", TestCertificates.Root, isAuthority: true);
    private readonly X509Certificate2 _inner;
    private readonly X509Certificate2 _rsa;

    /// <param name="folder">Where files may be.</param>
    internal ServerCertificates(string folder)
    {
        _folder = folder;
        _inner = CertificateMaker.Make("CN=inner", _outer, isAuthority: true);
        _rsa = Make("rsa", key: RSA.Create(2048));
        X509Certificate2 deep = Make("two intermediates", issuer: _inner);
        X509Certificate2 plain = Make("P-256");
        All =
        [
            Serve(_rsa),
            Serve(Make("RSA of 3072 bits", key: RSA.Create(3072))),
            Serve(Make("RSA of 4096 bits", key: RSA.Create(4096))),
            Serve(Make("signed with PSS", issuer: RsaRoot, key: RSA.Create(2048), padding: RSASignaturePadding.Pss)),
            Serve(Make("key encipherment", key: RSA.Create(2048), more: new X509KeyUsageExtension(X509KeyUsageFlags.KeyEncipherment, true))),
            Serve(plain),
            Serve(Make("P-384", key: ECDsa.Create(ECCurve.NamedCurves.nistP384))),
            Serve(Make("P-521", key: ECDsa.Create(ECCurve.NamedCurves.nistP521))),
            Serve(Make("brainpool", key: ECDsa.Create(ECCurve.NamedCurves.brainpoolP256r1))),
            Serve(deep, [_inner, _outer]),
            Serve(deep, [_outer, _inner]),
            Serve(deep, [_inner, _outer, TestCertificates.Root]),
            Serve(deep, [_inner]),
            Serve(deep, []),
            Serve(plain, [_inner, OracleCertificates.OtherRoot]),
            Serve(CertificateMaker.Make("CN=self-signed", null, names: [TestCertificates.ServerName])),
            Serve(Make("expired", endDays: -1)),
            Serve(Make("not yet valid", startDays: 1)),
            Serve(CertificateMaker.Make("CN=another name", TestCertificates.Root, CertificateMaker.ServerUsage, names: ["another.test"])),
            Serve(CertificateMaker.Make("CN=no usage", TestCertificates.Root)),
            Select(ByName, name => name == "named.test" ? _rsa : plain),
            Select(ByNameForOne, static name => name == "named.test" ? null : TestCertificates.Ecdsa),
            Select(TooWeak, static _ => s_weak),
            Select(NoKey, static _ => X509CertificateLoader.LoadCertificate(TestCertificates.Ecdsa.RawData)),
            Select(ForClients, static _ => TestCertificates.Client),
            Select(Throws, static _ => throw new InvalidOperationException("what the application threw")),
            Serve(X509Certificate2.CreateFromPem(plain.ExportCertificatePem(), PemOf(plain))),
            Serve(X509Certificate2.CreateFromEncryptedPem(
                _rsa.ExportCertificatePem(), _rsa.GetRSAPrivateKey()!.ExportEncryptedPkcs8PrivateKeyPem(Password, Encryption), Password)),
            Serve(Load(plain, X509KeyStorageFlags.DefaultKeySet)),
            Serve(Load(_rsa, X509KeyStorageFlags.EphemeralKeySet)),
            Serve(Import(plain)),
            CallBack(plain, [_inner]),
            CallBack(deep, [_inner, _outer]),
        ];
        Write("chain.pem", $"{deep.ExportCertificatePem()}\n{_inner.ExportCertificatePem()}\n{_outer.ExportCertificatePem()}\n");
        Write("chain.key", PemOf(deep));
        Write("rsa.pem", _rsa.ExportCertificatePem());
        Write("rsa.key", _rsa.GetRSAPrivateKey()!.ExportEncryptedPkcs8PrivateKeyPem(Password, Encryption));
        File.WriteAllBytes(At("chain.pfx"), new X509Certificate2Collection { deep, _inner, _outer }.Export(X509ContentType.Pfx, Password)!);
    }

    /// <summary>An authority with an RSA key.</summary>
    internal static X509Certificate2 RsaRoot { get; } = CertificateMaker.Make("CN=RSA authority", null, isAuthority: true, key: RSA.Create(2048));

    /// <summary>Endpoints by a name for messages.</summary>
    internal IReadOnlyList<(string Name, Action<ListenOptions, Sightings> Use)> All { get; }

    /// <summary>More endpoints, by files that a configuration names.</summary>
    internal Dictionary<string, string?>[] Configured =>
    [
        new() { ["Path"] = At("chain.pem"), ["KeyPath"] = At("chain.key") },
        new() { ["Path"] = At("rsa.pem"), ["KeyPath"] = At("rsa.key"), ["Password"] = Password },
        new() { ["Path"] = At("chain.pfx"), ["Password"] = Password },
    ];

    private static PbeParameters Encryption { get; } = new(PbeEncryptionAlgorithm.Aes256Cbc, HashAlgorithmName.SHA256, 1000);

    private string At(string name) => Path.Combine(_folder, name);

    private void Write(string name, string text) => File.WriteAllText(At(name), text);

    private static X509Certificate2 Make(
        string name, X509Certificate2? issuer = null, AsymmetricAlgorithm? key = null, RSASignaturePadding? padding = null, int startDays = -2,
        int endDays = 2, params X509Extension[] more)
        => CertificateMaker.Make(
            $"CN={name}", issuer ?? TestCertificates.Root, CertificateMaker.ServerUsage, startDays: startDays, endDays: endDays,
            names: [TestCertificates.ServerName], key: key, padding: padding, more: more);

    private static (string Name, Action<ListenOptions, Sightings> Use) Serve(X509Certificate2 certificate, X509Certificate2Collection? chain = null)
    {
        string others = string.Join(", ", chain?.Select(static other => other.Subject) ?? []);
        return ($"{certificate.Subject} [{others}]", (listen, _) => listen.UseHttps(https =>
        {
            https.ServerCertificate = certificate;
            https.ServerCertificateChain = chain;
            https.HandshakeTimeout = Patience.Limit;
        }));
    }

    private static (string Name, Action<ListenOptions, Sightings> Use) Select(string name, Func<string?, X509Certificate2?> select)
        => (name, (listen, _) => listen.UseHttps(https =>
        {
            https.ServerCertificateSelector = (_, name) => select(name);
            https.HandshakeTimeout = Patience.Limit;
        }));

    /// <summary>A new context for each handshake, which nobody can have kept.</summary>
    private static (string Name, Action<ListenOptions, Sightings> Use) CallBack(X509Certificate2 certificate, X509Certificate2Collection chain)
        => ($"a new context of {certificate.Subject}", (listen, _) => listen.UseHttps(new TlsHandshakeCallbackOptions
        {
            HandshakeTimeout = Patience.Limit,
            OnConnection = _ => ValueTask.FromResult(new SslServerAuthenticationOptions
            {
                ServerCertificateContext = SslStreamCertificateContext.Create(certificate, chain, offline: true),
            }),
        }));

    private static string PemOf(X509Certificate2 certificate) => certificate.GetECDsaPrivateKey()!.ExportPkcs8PrivateKeyPem();

    private static X509Certificate2 Load(X509Certificate2 certificate, X509KeyStorageFlags flags)
        => X509CertificateLoader.LoadPkcs12(certificate.Export(X509ContentType.Pfx, Password), Password, flags);

    private static X509Certificate2 Import(X509Certificate2 certificate)
    {
        using ECDsa key = ECDsa.Create();
        key.ImportPkcs8PrivateKey(certificate.GetECDsaPrivateKey()!.ExportPkcs8PrivateKey(), out _);
        using X509Certificate2 alone = X509CertificateLoader.LoadCertificate(certificate.RawData);
        return alone.CopyWithPrivateKey(key);
    }
}
