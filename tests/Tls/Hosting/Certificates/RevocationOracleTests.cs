using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Tls.Tests;

/// <summary>
/// Whether a client's certificate is revoked is found out on a ring as by stock Kestrel: with every mode and every kind of list or OCSP answer,
/// served over loopback, the same clients are let in, validations see the same errors, and the same addresses are asked as often. One difference
/// is in docs/tls.md: the address of an issuer, in a certificate that nobody has checked yet, is asked only where a chain policy allows it.
/// </summary>
public sealed class RevocationOracleTests : IDisposable
{
    private const string ByAddress = "issuer by address";

    private readonly X509Certificate2 _root = CertificateMaker.Make($"CN={Guid.NewGuid()}", null, isAuthority: true);
    private readonly List<X509Certificate2> _intermediates = [];
    private readonly List<string> _differences = [];
    private readonly List<CertificateAnswer> _answers = [];
    private readonly string[] _fetchedBefore = Fetched();

    [Fact]
    public async Task ClientsAndApplicationSeeWhatStockShows()
    {
        RevocationSetup[] setups = [.. Setups()];
        Action<ListenOptions, Sightings>[] endPoints = [.. setups.Select(static setup => (Action<ListenOptions, Sightings>)setup.Use)];
        await using StatusServer status = await StatusServer.StartAsync();
        await using CertificateHost ring = await CertificateHost.StartAsync(endPoints, isRing: true);
        await using CertificateHost stock = await CertificateHost.StartAsync(endPoints, isRing: false);
        RevocationClients[] known = [];
        int offline = 0;
        for (int index = 0; index < setups.Length; index++)
        {
            string name = setups[index].Name;
            RevocationClients[] clients = [Make(status, $"ring/{name}"), Make(status, $"stock/{name}")];
            foreach (string certificate in clients[0].All.Keys.Where(certificate => (certificate == "silent") == setups[index].IsImpatient))
            {
                await CompareAsync(ring, stock, index, clients, certificate, setups[index]);
            }

            int[] counts = [status.CountOf($"ring/{name}/"), status.CountOf($"stock/{name}/")];
            int byAddress = setups[index].Policy is null ? status.CountOf($"stock/{name}/{RevocationClients.PathOf(ByAddress)}") : 0;
            if (counts[0] != counts[1] - byAddress)
            {
                _differences.Add($"{name}: a ring asks {counts[0]} times, stock {counts[1]}, {byAddress} of them for an issuer");
            }

            (known, offline) = (name == "online" ? clients : known, name == "offline" ? index : offline);
        }

        // What was fetched once is known without a network.
        foreach (string certificate in (string[])["good", "revoked", "by intermediate", "by a revoked intermediate"])
        {
            await CompareAsync(ring, stock, offline, known, certificate, setups[offline]);
        }

        Assert.True(_differences.Count == 0, $"{_differences.Count} differences:\n{string.Join('\n', _differences)}");
        Assert.Contains(_answers, static answer => answer.IsServed);
        Assert.Contains(_answers, static answer => !answer.IsServed && answer.Seen.Contains(" Revoked", StringComparison.Ordinal));
    }

    /// <summary>.NET keeps lists and issuers that it has fetched in the user's folder.</summary>
    public void Dispose()
    {
        using X509Store store = new(StoreName.CertificateAuthority, StoreLocation.CurrentUser);
        store.Open(OpenFlags.ReadWrite);
        _intermediates.ForEach(store.Remove);
        foreach (string file in Fetched().Except(_fetchedBefore))
        {
            File.Delete(file);
        }
    }

    private static string[] Fetched()
        => [.. ((string[])["crls", "ocsp"])
            .Select(static kind => Path.Combine(
                Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".dotnet", "corefx", "cryptography", kind))
            .Where(Directory.Exists)
            .SelectMany(Directory.GetFiles)];

    private RevocationClients Make(StatusServer status, string path)
    {
        RevocationClients clients = new(status, _root, path);
        _intermediates.AddRange(clients.Intermediates);
        return clients;
    }

    private async Task CompareAsync(
        CertificateHost ring, CertificateHost stock, int index, RevocationClients[] clients, string certificate, RevocationSetup setup)
    {
        CertificateAnswer[] seen = await Task.WhenAll(
            SendAsync(ring, index, clients[0], certificate), SendAsync(stock, index, clients[1], certificate));
        bool isLike = certificate == ByAddress && setup.Policy is null
            ? seen[0].Seen.Contains("PartialChain", StringComparison.Ordinal)
            : seen[0].IsLike(seen[1]);
        if (!isLike || seen[0].Alert != AlertOf(seen[0]) || seen[0].Outcome == CertificateAnswer.BySslStream)
        {
            _differences.Add($"{setup}: {certificate}\n  ring  {seen[0]}\n  stock {seen[1]}");
        }

        _answers.Add(seen[0]);
    }

    private static async Task<CertificateAnswer> SendAsync(CertificateHost host, int index, RevocationClients clients, string certificate)
    {
        CertificateClient client = new(SslProtocols.Tls13, certificate, Certificates: clients.All);
        CertificateAnswer answer = (await client.SendAsync(host.EndPointOf(index), host.Seen[index])).WithoutNewNames();

        // The difference that this class names.
        return answer with { Seen = answer.Seen.Replace("downloads True", "downloads False", StringComparison.Ordinal) };
    }

    private static TlsAlert? AlertOf(CertificateAnswer answer)
        => answer.IsServed ? null
            : answer.Seen.Contains(" Revoked", StringComparison.Ordinal) ? TlsAlert.CertificateRevoked
            : answer.Seen.Contains("PartialChain", StringComparison.Ordinal) ? TlsAlert.UnknownAuthority
            : TlsAlert.BadCertificate;

    private IEnumerable<RevocationSetup> Setups()
    {
        yield return new("unchecked", _root, Mode: X509RevocationMode.NoCheck);
        yield return new("offline", _root, Mode: X509RevocationMode.Offline);
        yield return new("online", _root, Mode: X509RevocationMode.Online);
        yield return new("by-Kestrel", _root, ByKestrel: true);
        yield return new("policy", _root, Policy: Policy(X509RevocationMode.Online));
        yield return new("impatient-policy", _root, Policy: Policy(X509RevocationMode.Online, limit: 1.Seconds()), IsImpatient: true);
        yield return new("policy-offline", _root, Policy: Policy(X509RevocationMode.Offline));
        yield return new("policy-for-ends", _root, Policy: Policy(X509RevocationMode.Online, X509RevocationFlag.EndCertificateOnly));
        yield return new("lenient-policy", _root, Policy: Policy(
            X509RevocationMode.Online,
            flags: X509VerificationFlags.IgnoreEndRevocationUnknown | X509VerificationFlags.IgnoreCertificateAuthorityRevocationUnknown));
    }

    private X509ChainPolicy Policy(
        X509RevocationMode mode, X509RevocationFlag flag = X509RevocationFlag.ExcludeRoot, X509VerificationFlags flags = X509VerificationFlags.NoFlag,
        TimeSpan? limit = null)
        => new()
        {
            TrustMode = X509ChainTrustMode.CustomRootTrust,
            RevocationMode = mode,
            RevocationFlag = flag,
            VerificationFlags = flags,
            UrlRetrievalTimeout = limit ?? Patience.Limit,
            CustomTrustStore = { _root },
        };
}
