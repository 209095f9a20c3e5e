using System.Net;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Tls.Tests;

/// <summary>A session of one endpoint opens no other that asks for more, though both show the same certificate.</summary>
public class SharedSessionTests
{
    private const string Request = "GET /tls HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    private const string Answer = "\"scheme\":\"https\"";

    [Theory]
    [InlineData(Serving.Ring, ClientCertificateMode.NoCertificate)]
    [InlineData(Serving.Ring, ClientCertificateMode.RequireCertificate)]
    [InlineData(Serving.Sockets, ClientCertificateMode.NoCertificate)]
    [InlineData(Serving.Sockets, ClientCertificateMode.RequireCertificate)]
    public async Task ItIsNotResumedWhereOtherRootsAreTrusted(Serving serving, ClientCertificateMode lenient)
    {
        string folder = Directory.CreateTempSubdirectory("ioxide-session-").FullName;
        try
        {
            string session = Path.Combine(folder, "session");
            string stranger = Write(folder, "stranger.pem", TestCertificates.StrangeClient);
            string known = Write(folder, "known.pem", TestCertificates.Client);
            await using HttpsServer server = await HttpsServer.StartAsync(
                listen => OptionsServer.Configure(listen, serving, static _ => { }, https =>
                {
                    https.ClientCertificateMode = lenient;
                    https.ClientCertificateValidation = static (_, _, _) => true;
                }),
                host => host.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen => OptionsServer.Configure(
                    listen, serving,
                    static _ => { },
                    static https =>
                    {
                        https.ClientCertificateMode = ClientCertificateMode.RequireCertificate;
                        OptionsServer.Trust(https, TestCertificates.Roots);
                    }))),
                hasRings: serving != Serving.Sockets);

            // The host's own endpoints come first.
            IPEndPoint[] endPoints =
            [
                .. server.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses
                    .Select(static url => new IPEndPoint(IPAddress.Loopback, new Uri(url).Port)),
            ];
            (IPEndPoint strict, IPEndPoint open) = (endPoints[0], endPoints[1]);
            Assert.Contains(
                Answer,
                await OptionsServer.SendAsync(open, Request, "-ign_eof", "-cert", stranger, "-sess_out", session),
                StringComparison.Ordinal);
            string[] again = File.Exists(session) ? ["-sess_in", session] : [];
            Assert.DoesNotContain(
                Answer, await OptionsServer.SendAsync(strict, Request, ["-ign_eof", "-cert", stranger, .. again]), StringComparison.Ordinal);
            Assert.DoesNotContain(Answer, await OptionsServer.SendAsync(strict, Request, ["-ign_eof", .. again]), StringComparison.Ordinal);
            Assert.Contains(Answer, await OptionsServer.SendAsync(strict, Request, "-ign_eof", "-cert", known), StringComparison.Ordinal);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static string Write(string folder, string name, X509Certificate2 certificate)
    {
        string path = Path.Combine(folder, name);
        File.WriteAllText(path, $"{certificate.ExportCertificatePem()}\n{certificate.GetECDsaPrivateKey()!.ExportPkcs8PrivateKeyPem()}\n");
        return path;
    }
}
