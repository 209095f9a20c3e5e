using System.Globalization;
using System.Text;
using Ioxide.Files;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using static Ioxide.Tls.Tests.KernelTlsStatistics;

namespace Ioxide.Tls.Tests;

/// <summary>
/// Files behind TLS, with and without the middleware behind routing: their bodies are encrypted from where they lie. Requests are written by
/// hand, many at once, and each answer is compared byte for byte. The cases of the kernel's TLS run in the virtual machine.
/// </summary>
public sealed class FilesTests : IDisposable
{
    // Up to here a copy costs less than a reference.
    private const int MaxCopiedBytes = 8192;

    private static readonly int[] s_lengths = [1, 16_383, 16_384, 16_385, 1_000_000];

    private readonly string _folder = Directory.CreateTempSubdirectory("ioxide-tls-files-").FullName;

    public FilesTests()
    {
        foreach (int lengthBytes in s_lengths)
        {
            File.WriteAllBytes(Path.Join(_folder, Name(lengthBytes)), Payload.Of(lengthBytes));
        }
    }

    [Theory]
    [InlineData(false, TlsKernelOffload.Never)]
    [InlineData(true, TlsKernelOffload.Never)]
    [InlineData(false, TlsKernelOffload.Auto)]
    [InlineData(true, TlsKernelOffload.Auto)]
    public async Task BodiesArriveAsTheyAre(bool isShortCircuit, TlsKernelOffload offload)
    {
        await using HttpsServer server = await StartAsync(isShortCircuit, offload);
        long sessionsBefore = IsThere ? Read("TlsTxSw") : 0;
        await using SslClient client = await SslClient.ConnectAsync(server.EndPoint);
        int references = 0;
        foreach (int lengthBytes in s_lengths)
        {
            byte[] whole = Payload.Of(lengthBytes);
            await AssertAnswersAsync(client, new Exchange("GET", lengthBytes, null, 200, whole));
            await AssertAnswersAsync(client, new Exchange("HEAD", lengthBytes, null, 200, []));
            Range range = (lengthBytes / 3)..((lengthBytes / 3 * 2) + 1);
            await AssertAnswersAsync(client, new Exchange("GET", lengthBytes, range, 206, whole[range]));
            references += (lengthBytes > MaxCopiedBytes ? 1 : 0) + (whole[range].Length > MaxCopiedBytes ? 1 : 0);
        }

        IoxideFilesStatistics statistics = server.Services.GetRequiredService<IoxideFiles>().GetStatistics()[0];
        Assert.Equal(references, statistics.ByReference);
        Assert.Equal(IsThere && offload != TlsKernelOffload.Never ? 1 : 0, IsThere ? Read("TlsTxSw") - sessionsBefore : 0);
    }

    /// <summary>All requests are in one write, so large bodies wait behind each other, with heads between them.</summary>
    [Theory]
    [InlineData(false, TlsKernelOffload.Never)]
    [InlineData(true, TlsKernelOffload.Never)]
    [InlineData(false, TlsKernelOffload.Auto)]
    [InlineData(true, TlsKernelOffload.Auto)]
    public async Task PipelinedRequestsAreAnsweredInOrder(bool isShortCircuit, TlsKernelOffload offload)
    {
        await using HttpsServer server = await StartAsync(isShortCircuit, offload);
        await using SslClient client = await SslClient.ConnectAsync(server.EndPoint);
        List<Exchange> exchanges = [];
        foreach (int lengthBytes in (int[])[16_385, 1, 1_000_000, 16_383, 1_000_000, 16_384, 1])
        {
            byte[] whole = Payload.Of(lengthBytes);
            exchanges.Add(new Exchange("GET", lengthBytes, null, 200, whole));
            exchanges.Add(new Exchange("HEAD", lengthBytes, null, 200, []));
            exchanges.Add(new Exchange("GET", lengthBytes, 0..1, 206, whole[..1]));
        }

        await AssertAnswersAsync(client, [.. exchanges]);
    }

    [Theory, AllValues]
    public async Task TheKernelSendsThemAsTheyAre(bool isShortCircuit)
    {
        SkipWithoutKernelTls();
        await BodiesArriveAsTheyAre(isShortCircuit, TlsKernelOffload.Require);
        await PipelinedRequestsAreAnsweredInOrder(isShortCircuit, TlsKernelOffload.Require);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private static string Name(int lengthBytes) => string.Create(CultureInfo.InvariantCulture, $"{lengthBytes}.bin");

    private Task<HttpsServer> StartAsync(bool isShortCircuit, TlsKernelOffload offload) => HttpsServer.StartAsync(
        listen =>
        {
            listen.Protocols = HttpProtocols.Http1;
            listen.UseIoxideTls(
                static https =>
                {
                    https.ServerCertificate = TestCertificates.Ecdsa;
                    https.HandshakeTimeout = TimeSpan.FromMinutes(2);
                },
                tls => tls.KernelOffload = offload);
        },
        static host => host.ConfigureServices(static services => services.AddIoxideFiles()),
        map: app =>
        {
            IEndpointConventionBuilder files = app.MapIoxideFiles("/files", _folder, static options => options.WatchForChanges = false);
            _ = isShortCircuit ? files.ShortCircuit() : files;
        });

    private static async Task AssertAnswersAsync(SslClient client, params Exchange[] exchanges)
    {
        string requests = string.Concat(exchanges.Select(static exchange => exchange.Request));
        Task sending = client.Stream.WriteAsync(Encoding.ASCII.GetBytes(requests)).AsTask();
        foreach (Exchange exchange in exchanges)
        {
            string head = await ReadHeadAsync(client.Stream);
            Assert.StartsWith(string.Create(CultureInfo.InvariantCulture, $"HTTP/1.1 {exchange.Status} "), head, StringComparison.Ordinal);
            Assert.Contains(exchange.ContentLength, head, StringComparison.OrdinalIgnoreCase);
            byte[] body = new byte[exchange.Body.Length];
            await client.Stream.ReadExactlyAsync(body).AsTask().Within(Patience.Limit, "the body arrives");
            Payload.AssertSame(exchange.Body, body);
        }

        await sending.Within(Patience.Limit);
    }

    /// <summary>Reads no byte of what follows the head.</summary>
    private static async Task<string> ReadHeadAsync(Stream stream)
    {
        StringBuilder head = new();
        byte[] one = new byte[1];
        while (!head.ToString().EndsWith("\r\n\r\n", StringComparison.Ordinal))
        {
            await stream.ReadExactlyAsync(one).AsTask().Within(Patience.Limit, "the head arrives");
            head.Append((char)one[0]);
        }

        return head.ToString();
    }

    private sealed record Exchange(string Method, int LengthBytes, Range? Range, int Status, byte[] Body)
    {
        internal string Request => string.Create(
            CultureInfo.InvariantCulture, $"{Method} /files/{Name(LengthBytes)} HTTP/1.1\r\nHost: localhost\r\n{RangeField}\r\n");

        internal string ContentLength => string.Create(
            CultureInfo.InvariantCulture, $"\r\nContent-Length: {(Method == "HEAD" ? LengthBytes : Body.Length)}\r\n");

        private string RangeField => Range is { } range
            ? string.Create(CultureInfo.InvariantCulture, $"Range: bytes={range.Start.Value}-{range.End.Value - 1}\r\n")
            : "";
    }
}
