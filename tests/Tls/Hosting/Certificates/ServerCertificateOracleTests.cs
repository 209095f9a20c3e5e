using System.Net;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Ioxide.Tls.Tests;

/// <summary>
/// Certificates of servers of every kind: what <c>openssl s_client</c> is shown, how it is signed and what it makes of it are the same on a ring and
/// by stock Kestrel, with the same options. Where a handshake fails, stock closes the connection without the alert that a ring sends.
/// </summary>
public sealed class ServerCertificateOracleTests : IDisposable
{
    private static readonly string[][] s_clients = [["-tls1_2", "-servername", "localhost"], ["-tls1_3", "-servername", "localhost"]];

    private static readonly string[][] s_manyClients =
    [
        .. s_clients,
        ["-tls1_2", "-servername", "named.test"],
        ["-tls1_3", "-noservername"],
        ["-tls1_2", "-sigalgs", "RSA+SHA256"],
        ["-tls1_3", "-sigalgs", "RSA-PSS+SHA384:ECDSA+SHA384", "-servername", "named.test"],
    ];

    private readonly List<X509Certificate2> _issuers = [];
    private readonly string _folder = Directory.CreateTempSubdirectory("ioxide-certificates-").FullName;

    public ServerCertificateOracleTests() => File.WriteAllText(
        RootsFile, $"{TestCertificates.Root.ExportCertificatePem()}\n{ServerCertificates.RsaRoot.ExportCertificatePem()}\n");

    private string RootsFile => Path.Combine(_folder, "roots.pem");

    [Fact]
    public async Task ClientsSeeWhatStockShows()
    {
        ServerCertificates certificates = new(_folder);
        Action<ListenOptions, Sightings>[] endPoints = [.. certificates.All.Select(static row => row.Use)];
        string[] names = [.. certificates.All.Select(static row => row.Name), .. certificates.Configured.Select(static files => files["Path"]!)];
        await using CertificateHost ring = await CertificateHost.StartAsync(endPoints, isRing: true, certificates.Configured);
        await using CertificateHost stock = await CertificateHost.StartAsync(endPoints, isRing: false, certificates.Configured);
        List<string> differences = [];
        List<CertificateAnswer> answers = [];
        for (int index = 0; index < names.Length; index++)
        {
            bool isByName = names[index].StartsWith(ServerCertificates.ByName, StringComparison.Ordinal);
            foreach (string[] client in isByName ? s_manyClients : index < ServerCertificates.KeyCount ? s_clients : s_clients[1..])
            {
                CertificateAnswer[] seen = await Task.WhenAll(LookAsync(ring.EndPointOf(index), client), LookAsync(stock.EndPointOf(index), client));
                if (!seen[0].IsLike(seen[1]) || seen[0].Outcome == CertificateAnswer.BySslStream
                    || seen[0].Alert != (AlertOf(names[index], client, seen[0]) ?? seen[1].Alert))
                {
                    differences.Add($"{names[index]}: {string.Join(' ', client)}\n  ring  {seen[0]}\n  stock {seen[1]}");
                }

                answers.Add(seen[1]);
            }
        }

        Assert.True(differences.Count == 0, $"{differences.Count} differences:\n{string.Join('\n', differences)}");

        // Neither answer alone would prove anything.
        Assert.Contains(answers, static answer => !answer.IsServed);
        foreach (string shown in (string[])["rsaEncryption, 4096", "RSASSA-PSS", "id-ecPublicKey, 521", "2 s:CN = outer", "Verify return code: 10"])
        {
            Assert.Contains(answers, answer => answer.IsServed && answer.Seen.Contains(shown, StringComparison.Ordinal));
        }
    }

    /// <summary>The status (OCSP) that .NET has fetched is stapled; where its authority does not answer, the handshake goes on without.</summary>
    [Fact]
    public async Task TheStatusIsStapledAsByStock()
    {
        await using StatusServer status = await StatusServer.StartAsync();
        X509Certificate2 good = Make("good", status.AddressOf("good"));
        X509Certificate2 silent = Make("without an answer", status.ClosedAddress);
        status.Add("good", StatusServer.Status(good, OracleCertificates.Intermediate, isRevoked: false));
        Action<ListenOptions, Sightings>[] endPoints = [Serve(good), Serve(silent)];
        await using CertificateHost ring = await CertificateHost.StartAsync(endPoints, isRing: true);
        await using CertificateHost stock = await CertificateHost.StartAsync(endPoints, isRing: false);
        foreach (CertificateHost host in (CertificateHost[])[ring, stock])
        {
            foreach (string[] client in s_clients)
            {
                // It is fetched beside the first handshakes.
                using CancellationTokenSource limit = new(Patience.Limit);
                while (!(await LookAsync(host.EndPointOf(0), client)).Seen.Contains("Cert Status: good", StringComparison.Ordinal))
                {
                    Assert.False(limit.IsCancellationRequested, "no status is stapled");
                }

                CertificateAnswer without = await LookAsync(host.EndPointOf(1), client);
                Assert.True(without.IsServed);
                Assert.Contains("OCSP response: no response sent", without.Seen, StringComparison.Ordinal);
            }
        }

        static X509Certificate2 Make(string name, string authority) => CertificateMaker.Make(
            $"CN={name}", OracleCertificates.Intermediate, CertificateMaker.ServerUsage, names: [TestCertificates.ServerName],
            more: new X509AuthorityInformationAccessExtension([authority], []));

        static Action<ListenOptions, Sightings> Serve(X509Certificate2 certificate) => (listen, _) => listen.UseHttps(https =>
        {
            https.ServerCertificate = certificate;
            https.ServerCertificateChain = [OracleCertificates.Intermediate, TestCertificates.Root];
            https.HandshakeTimeout = Patience.Limit;
        });
    }

    /// <summary>A certificate that is given alone names where its issuer is; a client that has the root alone accepts it then.</summary>
    [Fact]
    public async Task AnIssuerThatIsFetchedIsShownAsByStock()
    {
        await using StatusServer server = await StatusServer.StartAsync();

        // .NET may keep what it has fetched for either: so each has an issuer of its own.
        CertificateAnswer[] answers = [.. await LookAsync(isRing: true), .. await LookAsync(isRing: false)];
        Assert.All(answers, static answer =>
        {
            Assert.True(answer.IsServed);
            Assert.Contains("1 s:CN = fetched", answer.Seen, StringComparison.Ordinal);
            Assert.Contains("Verification: OK", answer.Seen, StringComparison.Ordinal);
        });

        async Task<CertificateAnswer[]> LookAsync(bool isRing)
        {
            X509Certificate2 selected = Make(server, $"selected {isRing}");
            X509Certificate2 chosen = Make(server, $"chosen {isRing}");
            Action<ListenOptions, Sightings>[] endPoints =
            [
                (listen, _) => listen.UseHttps(https =>
                {
                    https.ServerCertificateSelector = (_, _) => selected;
                    https.HandshakeTimeout = Patience.Limit;
                }),
                (listen, _) => listen.UseHttps(new TlsHandshakeCallbackOptions
                {
                    HandshakeTimeout = Patience.Limit,
                    OnConnection = _ => ValueTask.FromResult(new SslServerAuthenticationOptions { ServerCertificate = chosen }),
                }),
            ];
            await using CertificateHost host = await CertificateHost.StartAsync(endPoints, isRing);
            return [await this.LookAsync(host.EndPointOf(0), s_clients[0]), await this.LookAsync(host.EndPointOf(1), s_clients[1])];
        }
    }

    [Fact]
    public async Task AnIssuerThatIsNotFoundIsOneWarning()
    {
        await using StatusServer nowhere = await StatusServer.StartAsync();
        X509Certificate2 certificate = CertificateMaker.Make(
            "CN=of an issuer that is nowhere", OracleCertificates.Intermediate, CertificateMaker.ServerUsage,
            more: new X509AuthorityInformationAccessExtension([], [nowhere.AddressOf("nowhere.cer")]));
        await using HttpsServer server = await HttpsServer.StartAsync(listen => listen.UseIoxideTls(https =>
        {
            https.ServerCertificateSelector = (_, _) => new X509Certificate2(certificate);
            https.HandshakeTimeout = Patience.Limit;
        }));
        for (int count = 0; count < 3; count++)
        {
            await using SslClient client = await SslClient.ConnectAsync(
                server.EndPoint,
                SslClient.Options(static options => options.RemoteCertificateValidationCallback = static (_, shown, _, _) => shown is not null));
            Assert.Equal(certificate.Subject, client.ServerSubject);
        }

        Assert.Single(server.Lines, static line => line.Contains("CN=of an issuer that is nowhere", StringComparison.Ordinal)
            && line.Contains("is not complete", StringComparison.Ordinal));
    }

    /// <summary>.NET may keep issuers that it has fetched in the user's folder.</summary>
    public void Dispose()
    {
        using X509Store store = new(StoreName.CertificateAuthority, StoreLocation.CurrentUser);
        store.Open(OpenFlags.ReadWrite);
        _issuers.ForEach(store.Remove);
        Directory.Delete(_folder, recursive: true);
    }

    private X509Certificate2 Make(StatusServer server, string name)
    {
        X509Certificate2 issuer = CertificateMaker.Make($"CN=fetched {name} {Guid.NewGuid()}", TestCertificates.Root, isAuthority: true);
        _issuers.Add(issuer);
        string address = server.Add($"{RevocationClients.PathOf(name)}.cer", issuer.Export(X509ContentType.Cert));
        return CertificateMaker.Make(
            $"CN={name}", issuer, CertificateMaker.ServerUsage, names: [TestCertificates.ServerName],
            more: new X509AuthorityInformationAccessExtension([], [address]));
    }

    /// <summary>What a ring says where stock only closes the connection; null where OpenSSL says the same in both.</summary>
    private static TlsAlert? AlertOf(string name, string[] client, CertificateAnswer answer)
        => answer.IsServed ? null : name switch
        {
            ServerCertificates.ByNameForOne when client.Contains("named.test") => TlsAlert.UnrecognizedName,
            ServerCertificates.TooWeak or ServerCertificates.NoKey or ServerCertificates.ForClients or ServerCertificates.Throws
                => TlsAlert.InternalError,
            _ => null,
        };

    private Task<CertificateAnswer> LookAsync(IPEndPoint endPoint, string[] client)
        => OpenSslRequest.SendAsync(endPoint, ["-CAfile", RootsFile, .. client]);
}
