using System.Security.Authentication;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Ioxide.Tls.Tests;

/// <summary>
/// Client certificates in every mode, with every kind of validation and every kind of certificate, over TLS 1.2 and 1.3. On a ring and by stock
/// Kestrel with the same options, the same clients are served, and the application is asked the same questions and gets the same certificates.
/// Where a client is refused, the ring sends the alert that says why, and stock closes the connection: docs/tls.md has that difference.
/// </summary>
public sealed class ClientCertificateOracleTests : IDisposable
{
    private static readonly string[][] s_keys =
    [
        ["rsa:1024"], ["rsa-pss", "-pkeyopt", "rsa_keygen_bits:2048"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-521"],
        ["ec", "-pkeyopt", "ec_paramgen_curve:brainpoolP256r1"], ["ed25519"], ["ed448"],
    ];

    // For those who do not look at the errors.
    private static readonly string[] s_fewCertificates = ["none", "good", "expired", "by intermediate"];

    private readonly string _folder = Directory.CreateTempSubdirectory("ioxide-keys-").FullName;

    [Theory, Each(
        ClientCertificateMode.NoCertificate, ClientCertificateMode.AllowCertificate, ClientCertificateMode.RequireCertificate,
        ClientCertificateMode.DelayCertificate)]
    public async Task ClientsAndApplicationSeeWhatStockShows(ClientCertificateMode mode)
    {
        ClientCertificateSetup[] setups = [new(ClientCertificateMode.NoCertificate, Judge.Nobody), .. Setups(mode)];
        Action<ListenOptions, Sightings>[] endPoints = [.. setups.Select(static setup => (Action<ListenOptions, Sightings>)setup.Use)];
        await using CertificateHost ring = await CertificateHost.StartAsync(endPoints, isRing: true);
        await using CertificateHost stock = await CertificateHost.StartAsync(endPoints, isRing: false);
        List<string> differences = [];
        List<CertificateAnswer> answers = [];
        for (int index = 1; index < setups.Length; index++)
        {
            foreach (CertificateClient client in Clients(setups[index].Judge))
            {
                CertificateAnswer[] seen = await Task.WhenAll(
                    SendAsync(ring, index, client, setups[index].Judge), SendAsync(stock, index, client, setups[index].Judge));
                if (!seen[0].IsLike(seen[1]) || seen[0].Alert != AlertOf(setups[index], client, seen[0])
                    || seen[0].Outcome == (mode == ClientCertificateMode.DelayCertificate ? CertificateAnswer.OnRing : CertificateAnswer.BySslStream))
                {
                    differences.Add($"{setups[index]} {client}\n  ring  {seen[0]}\n  stock {seen[1]}");
                }

                answers.Add(seen[1]);
            }
        }

        Assert.True(differences.Count == 0, $"{differences.Count} differences:\n{string.Join('\n', differences)}");

        // Neither answer alone would prove anything.
        Assert.Contains(answers, static answer => !answer.IsServed);
        Assert.Contains(answers, static answer => answer.IsServed && answer.Seen.Contains("got 'CN=client'", StringComparison.Ordinal));
    }

    /// <summary>
    /// Keys that .NET can see and not make. A ring asks the validation before the client proves that it has the key, SslStream after; a client that
    /// cannot is refused by both.
    /// </summary>
    [Fact]
    public async Task KeysOfAnyKindAreTakenAsByStock()
    {
        Action<ListenOptions, Sightings> use = new ClientCertificateSetup(ClientCertificateMode.RequireCertificate, Judge.Accepts).Use;
        await using CertificateHost ring = await CertificateHost.StartAsync([use], isRing: true);
        await using CertificateHost stock = await CertificateHost.StartAsync([use], isRing: false);
        Dictionary<string, bool> served = [];
        foreach (string[] key in s_keys)
        {
            string[] files = await MakeAsync(key);
            foreach (string version in (string[])["-tls1_2", "-tls1_3"])
            {
                string[] arguments = [version, "-cipher", "ALL:@SECLEVEL=0", "-key", files[0], "-cert", files[1]];
                CertificateAnswer[] seen = await Task.WhenAll(SendAsync(ring, arguments), SendAsync(stock, arguments));
                string message = $"{version} {key[^1]}\n  ring  {seen[0]}\n  stock {seen[1]}";
                Assert.True(seen[1].IsServed ? seen[0].IsLike(seen[1]) : !seen[0].IsServed, message);
                Assert.True(seen[0].Outcome != CertificateAnswer.BySslStream, message);
                Assert.True(seen[0].Alert == seen[1].Alert || seen[1].Alert is null, message);
                served[$"{version} {key[^1]}"] = seen[1].IsServed;
            }
        }

        Assert.True(served["-tls1_3 ed448"]);
        Assert.False(served["-tls1_2 ec_paramgen_curve:brainpoolP256r1"]);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private static IEnumerable<ClientCertificateSetup> Setups(ClientCertificateMode mode)
        => from judge in Enum.GetValues<Judge>()
           where mode == ClientCertificateMode.NoCertificate
               ? judge is Judge.Accepts or Judge.OnAuthenticate or Judge.Callback
               : judge is not Judge.OnAuthenticate
           select new ClientCertificateSetup(mode, judge);

    private static IEnumerable<CertificateClient> Clients(Judge judge)
        => from version in (SslProtocols[])[SslProtocols.Tls12, SslProtocols.Tls13]
           let certificates = judge is Judge.Nobody or Judge.Trust or Judge.OnAuthenticate or Judge.Callback
               ? OracleCertificates.Clients.Keys
               : s_fewCertificates
           from client in (IEnumerable<CertificateClient>)
           [
               .. certificates.Select(certificate => new CertificateClient(version, certificate)),
               new(version, "good", "POST"),
               new(version, "none", "POST"),
               new(version, "good", CertificateClient.Http2),
               new(version, "none", CertificateClient.Http2),
               new(version, "expired", CertificateClient.Http2),
           ]
           select client;

    private static async Task<CertificateAnswer> SendAsync(CertificateHost host, int index, CertificateClient client, Judge judge)
    {
        Task<CertificateAnswer> sending = client.SendAsync(host.EndPointOf(index), host.Seen[index]);
        if (judge == Judge.Slow)
        {
            await Task.WhenAny(sending, host.Seen[index].Asked).Within(Patience.Limit, "the validation begins, or the client is served without");
            if (!sending.IsCompleted)
            {
                // The only reactor serves others while the validation blocks.
                CertificateAnswer other = await new CertificateClient(client.Version, "none").SendAsync(host.EndPointOf(0), host.Seen[0]);
                Assert.True(other.IsServed);
                host.Seen[index].Gate.Set();
            }
        }

        return await sending;
    }

    private static async Task<CertificateAnswer> SendAsync(CertificateHost host, string[] arguments)
    {
        CertificateAnswer answer = await OpenSslRequest.SendAsync(host.EndPointOf(0), arguments);
        if (answer.IsServed)
        {
            await host.Seen[0].Ended.Within(Patience.Limit, "the application has ended the connection");
        }

        return answer with { Seen = host.Seen[0].Take() };
    }

    private async Task<string[]> MakeAsync(string[] key)
    {
        string[] files = [Path.Combine(_folder, "key.pem"), Path.Combine(_folder, "certificate.pem")];
        string said = await OpenSsl.RunAsync(
            "", ["req", "-x509", "-newkey", .. key, "-nodes", "-keyout", files[0], "-out", files[1], "-subj", "/CN=client", "-days", "2"]);
        Assert.True(File.Exists(files[1]), said);
        return files;
    }

    /// <summary>What a ring says to a client that it refuses. After a handshake SslStream says nothing.</summary>
    private static TlsAlert? AlertOf(ClientCertificateSetup setup, CertificateClient client, CertificateAnswer answer)
        => answer.IsServed ? null : (setup, client.Certificate) switch
        {
            ({ Judge: Judge.ThrowingCallback }, _) => TlsAlert.InternalError,
            ({ Mode: ClientCertificateMode.DelayCertificate }, _) => null,
            ({ Judge: Judge.Two }, _) => TlsAlert.InternalError,
            (_, "none") => client.Version == SslProtocols.Tls13 ? TlsAlert.CertificateRequired : TlsAlert.HandshakeFailure,
            ({ Judge: Judge.Throws }, _) => TlsAlert.InternalError,
            (_, "expired" or "not yet valid") => TlsAlert.CertificateExpired,
            (_, "other root" or "without its intermediate" or "self-signed") => TlsAlert.UnknownAuthority,
            _ => TlsAlert.BadCertificate,
        };
}
