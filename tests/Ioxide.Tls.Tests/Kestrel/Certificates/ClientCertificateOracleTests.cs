using System.Security.Authentication;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Ioxide.Tls.Tests;

/// <summary>
/// Client certificates in every mode, with every kind of validation and every kind of certificate, over TLS 1.2 and 1.3. On a ring and by stock
/// Kestrel with the same options, the same clients are served, and the application is asked the same questions and gets the same certificates.
/// Where a client is refused, the ring sends the alert that says why, and stock closes the connection: docs/tls.md has that difference.
/// </summary>
public class ClientCertificateOracleTests
{
    private static readonly CertificateClient[] s_clients =
    [
        .. from version in (SslProtocols[])[SslProtocols.Tls12, SslProtocols.Tls13]
           from client in (IEnumerable<CertificateClient>)
           [
               .. OracleCertificates.Clients.Keys.Select(certificate => new CertificateClient(version, certificate)),
               new(version, "good", "POST"),
               new(version, "none", "POST"),
               new(version, "good", CertificateClient.Http2),
               new(version, "none", CertificateClient.Http2),
               new(version, "expired", CertificateClient.Http2),
           ]
           select client,
    ];

    [Theory]
    [InlineData(ClientCertificateMode.NoCertificate)]
    [InlineData(ClientCertificateMode.AllowCertificate)]
    [InlineData(ClientCertificateMode.RequireCertificate)]
    [InlineData(ClientCertificateMode.DelayCertificate)]
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
            foreach (CertificateClient client in s_clients)
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

    private static IEnumerable<ClientCertificateSetup> Setups(ClientCertificateMode mode)
        => from judge in Enum.GetValues<Judge>()
           where mode == ClientCertificateMode.NoCertificate
               ? judge is Judge.Accepts or Judge.OnAuthenticate or Judge.Callback
               : judge is not Judge.OnAuthenticate
           select new ClientCertificateSetup(mode, judge);

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

    /// <summary>What a ring says to a client that it refuses. After a handshake SslStream says nothing.</summary>
    private static TlsAlert? AlertOf(ClientCertificateSetup setup, CertificateClient client, CertificateAnswer answer)
        => answer.IsServed ? null : (setup, client.Certificate) switch
        {
            ({ Judge: Judge.ThrowingCallback }, _) => TlsAlert.InternalError,
            ({ Mode: ClientCertificateMode.DelayCertificate }, _) => null,
            (_, "none") => client.Version == SslProtocols.Tls13 ? TlsAlert.CertificateRequired : TlsAlert.HandshakeFailure,
            ({ Judge: Judge.Throws }, _) => TlsAlert.InternalError,
            (_, "expired" or "not yet valid") => TlsAlert.CertificateExpired,
            (_, "other root" or "without its intermediate" or "self-signed") => TlsAlert.UnknownAuthority,
            _ => TlsAlert.BadCertificate,
        };
}
