using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Tls.Tests;

/// <summary>Clients whose certificates may be revoked, each with addresses of its own, because .NET keeps what it has fetched.</summary>
internal sealed class RevocationClients
{
    private static readonly X509Certificate2 s_other = CertificateMaker.Make("CN=another that signs lists", null, isAuthority: true);

    private readonly StatusServer _server;
    private readonly string _path;

    /// <param name="server">Where lists are.</param>
    /// <param name="root">The authority.</param>
    /// <param name="path">Where the addresses begin.</param>
    internal RevocationClients(StatusServer server, X509Certificate2 root, string path)
    {
        _server = server;
        _path = path;
        All = new Dictionary<string, SslStreamCertificateContext?>
        {
            ["good"] = ByList(root, "good", isRevoked: false),
            ["revoked"] = ByList(root, "revoked", isRevoked: true),
            ["no address"] = Show(Make(root, "no address")),
            ["nobody listens"] = Show(Make(root, "nobody listens", ListAt(server.ClosedAddress))),
            ["not found"] = Show(Make(root, "not found", ListAt(server.AddressOf($"{path}/nothing")))),
            ["no list"] = Show(Make(root, "no list", ListAt(server.Add($"{path}/no-list", [1, 2, 3])))),
            ["old list"] = ByList(root, "old list", isRevoked: false, isExpired: true),
            ["revoked by an old list"] = ByList(root, "revoked by an old list", isRevoked: true, isExpired: true),
            ["another's list"] = ByList(root, "another's list", isRevoked: true, signer: s_other),
            ["silent"] = Show(Make(root, "silent", ListAt(server.Add($"{path}/silent", [])))),
            ["good by OCSP"] = ByStatus(root, "good by OCSP", isRevoked: false),
            ["revoked by OCSP"] = ByStatus(root, "revoked by OCSP", isRevoked: true),
            ["by intermediate"] = ByIntermediate(root, "by intermediate", isRevoked: false, isShown: true),
            ["by a revoked intermediate"] = ByIntermediate(root, "by a revoked intermediate", isRevoked: true, isShown: true),
            ["issuer by address"] = ByIntermediate(root, "issuer by address", isRevoked: false, isShown: false),
        };
    }

    /// <summary>.NET keeps those that it has fetched.</summary>
    internal List<X509Certificate2> Intermediates { get; } = [];

    /// <summary>By a name for messages.</summary>
    internal IReadOnlyDictionary<string, SslStreamCertificateContext?> All { get; }

    private SslStreamCertificateContext ByList(
        X509Certificate2 root, string name, bool isRevoked, bool isExpired = false, X509Certificate2? signer = null)
    {
        string path = $"{_path}/{PathOf(name)}.crl";
        X509Certificate2 certificate = Make(root, name, ListAt(_server.AddressOf(path)));
        X509Certificate2 namesake = signer is null ? root : SignAs(root, signer);
        _server.Add(path, StatusServer.List(namesake, isExpired, isRevoked ? [certificate] : []));
        return Show(certificate);
    }

    private SslStreamCertificateContext ByStatus(X509Certificate2 root, string name, bool isRevoked)
    {
        string path = $"{_path}/{PathOf(name)}";
        X509Certificate2 certificate = Make(root, name, new X509AuthorityInformationAccessExtension([_server.AddressOf(path)], []));
        _server.Add(path, StatusServer.Status(certificate, root, isRevoked));
        return Show(certificate);
    }

    private SslStreamCertificateContext ByIntermediate(X509Certificate2 root, string name, bool isRevoked, bool isShown)
    {
        string path = $"{_path}/{PathOf(name)}";
        X509Certificate2 intermediate = CertificateMaker.Make(
            $"CN=intermediate {Guid.NewGuid()}", root, isAuthority: true, more: ListAt(_server.AddressOf($"{path}.root.crl")));
        Intermediates.Add(intermediate);
        _server.Add($"{path}.root.crl", StatusServer.List(root, false, isRevoked ? [intermediate] : []));
        _server.Add($"{path}.crl", StatusServer.List(intermediate, false));
        string issuer = _server.Add($"{path}.cer", intermediate.Export(X509ContentType.Cert));
        X509Certificate2 certificate = Make(
            intermediate, name, ListAt(_server.AddressOf($"{path}.crl")), new X509AuthorityInformationAccessExtension([], [issuer]));
        return isShown ? SslStreamCertificateContext.Create(certificate, [intermediate], offline: true) : Show(certificate);
    }

    /// <summary>Where the addresses of a client begin.</summary>
    internal static string PathOf(string name) => string.Concat(name.Where(char.IsAsciiLetter));

    private static X509Certificate2 Make(X509Certificate2 issuer, string name, params X509Extension[] more)
        => CertificateMaker.Make($"CN={name}", issuer, CertificateMaker.ClientUsage, more: more);

    private static SslStreamCertificateContext Show(X509Certificate2 certificate)
        => SslStreamCertificateContext.Create(certificate, null, offline: true);

    private static X509Extension ListAt(string address) => CertificateRevocationListBuilder.BuildCrlDistributionPointExtension([address]);

    private static X509Certificate2 SignAs(X509Certificate2 root, X509Certificate2 signer)
        => CertificateMaker.Make(root.Subject, null, isAuthority: true, key: signer.GetECDsaPrivateKey());
}
