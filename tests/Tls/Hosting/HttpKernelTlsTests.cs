using System.Net;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Hosting;
using static Ioxide.Tls.Tests.KernelTlsStatistics;

namespace Ioxide.Tls.Tests;

/// <summary>HTTP over records that the kernel makes, with default suites. In the virtual machine, like <see cref="KernelTlsTests"/>.</summary>
public class HttpKernelTlsTests
{
    /// <summary>
    /// The kernel reads outside memory where it lies. On a reactor it takes over with the first large piece, on the thread pool when a step of it is
    /// sent.
    /// </summary>
    [Theory, AllValues]
    public async Task AutoHandsOverWithTheFirstLargePieceOfOutsideMemory(ApplicationScheduling scheduling)
    {
        SkipWithoutKernelTls();
        await using HttpsServer server = await StartAsync(TlsKernelOffload.Auto, scheduling);
        using HttpClient client = server.CreateClient();
        long before = Read("TlsTxSw");
        Payload.AssertSame(Payload.Of(10), await client.GetByteArrayAsync(new Uri("/bytes/10", UriKind.Relative)));
        Assert.Equal(before, Read("TlsTxSw"));
        foreach (int lengthBytes in (int[])[1_000_000, 4_000_000])
        {
            Payload.AssertSame(Payload.Of(lengthBytes), await client.GetByteArrayAsync(new Uri($"/referenced/{lengthBytes}", UriKind.Relative)));
            Assert.Equal(before + 1, Read("TlsTxSw"));
            Payload.AssertSame(Payload.Of(10), await client.GetByteArrayAsync(new Uri("/bytes/10", UriKind.Relative)));
        }

        Assert.Equal(2, server.ReferencedBodies);
        Assert.Equal(before + 1, Read("TlsTxSw"));
    }

    /// <summary>Many streams at once, in both directions, and headers behind them.</summary>
    [Fact]
    public async Task Http2GoesThroughTheKernel()
    {
        const int LengthBytes = 150_000;
        SkipWithoutKernelTls();
        await using HttpsServer server = await StartAsync(TlsKernelOffload.Require, ApplicationScheduling.Adaptive);
        using HttpClient client = server.CreateClient(HttpVersion.Version20);
        long before = Read("TlsTxSw");
        byte[] sent = Payload.Of(LengthBytes);
        await Task.WhenAll(Enumerable.Range(0, 4).Select(async number =>
        {
            if (number % 2 == 0)
            {
                using HttpResponseMessage response = await client.PostAsync(new Uri("/echo", UriKind.Relative), new ByteArrayContent(sent));
                Assert.Equal((HttpStatusCode.OK, HttpVersion.Version20), (response.StatusCode, response.Version));
                Payload.AssertSame(sent, await response.Content.ReadAsByteArrayAsync());
            }
            else
            {
                Payload.AssertSame(sent, await client.GetByteArrayAsync(new Uri($"/bytes/{LengthBytes}", UriKind.Relative)));
            }
        }));
        Assert.Equal(before + 1, Read("TlsTxSw"));
        Assert.Equal(0, Read("TlsDecryptError"));
    }

    private static Task<HttpsServer> StartAsync(TlsKernelOffload offload, ApplicationScheduling scheduling) => HttpsServer.StartAsync(
        listen => listen.UseIoxideTls(
            static https =>
            {
                https.ServerCertificate = TestCertificates.Ecdsa;
                https.HandshakeTimeout = TimeSpan.FromMinutes(2);
            },
            tls => tls.KernelOffload = offload),
        host => host.UseIoxide(options => options.ApplicationScheduling = scheduling));
}
