using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Http2.Tests;

/// <summary>Over TLS: ALPN chooses HTTP/2, and bodies come back as they were.</summary>
public class TlsTests
{
    [Theory, AllValues]
    public async Task AlpnSaysWhichVersionIsServed(bool isOnRing)
    {
        using X509Certificate2 certificate = CertificateMaker.SelfSigned();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Protocols = HttpProtocols.Http1AndHttp2,
            Listen = listen => _ = isOnRing ? listen.UseIoxideTls(certificate) : listen.UseHttps(certificate),
            Handler = static async context =>
            {
                using MemoryStream body = new();
                await context.Request.Body.CopyToAsync(body);
                context.Response.Headers["X-Seen"] = $"{context.Request.Protocol} {context.Request.Scheme}";
                await context.Response.Body.WriteAsync(body.GetBuffer().AsMemory(0, (int)body.Length));
            },
        });
        foreach ((Version version, string seen) in (IEnumerable<(Version, string)>)[(HttpVersion.Version20, "HTTP/2 https"), (HttpVersion.Version11, "HTTP/1.1 https")])
        {
            using HttpClient client = host.CreateClient(isHttps: true);
            client.DefaultRequestVersion = version;
            byte[] body = RandomNumberGenerator.GetBytes(300_000);
            using HttpResponseMessage response = await client.PostAsync("/", new ByteArrayContent(body)).Within(30.Seconds());
            Assert.Equal(seen, Assert.Single(response.Headers.GetValues("X-Seen")));
            Assert.Equal(body, await response.Content.ReadAsByteArrayAsync().Within(30.Seconds()));
        }
    }
}
