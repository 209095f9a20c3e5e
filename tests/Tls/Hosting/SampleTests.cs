using System.Text.RegularExpressions;

namespace Ioxide.Tls.Tests;

/// <summary><c>samples/Https</c> as a reader starts it, on a free port, asked over both versions of HTTP.</summary>
[Once]
public sealed partial class SampleTests
{
    [Fact]
    public async Task TheSampleServesBothVersionsOnOnePortAndSaysWhatWasAgreedOn()
    {
        await using HostProcess sample = HostProcess.Start("Https", ["--port", "0"]);
        string address = (await sample.MatchesAsync(Address()))[0].Value;
        int printedCount = 0;
        foreach (string version in (string[])["1.1", "2.0"])
        {
            using HttpClient client = new(new SocketsHttpHandler
            {
                UseProxy = false,
                SslOptions = { RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate is not null },
            });
            using HttpRequestMessage request = new(HttpMethod.Get, address)
            {
                Version = new Version(version),
                VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            };
            using HttpResponseMessage response = await client.SendAsync(request).Within(60.Seconds());
            string text = await response.Content.ReadAsStringAsync();
            Assert.Contains("\"sentBy\":\"the ring\"", text, StringComparison.Ordinal);
            Assert.Contains("\"tls\":\"Tls13\",\"suite\":\"TLS_AES_128_GCM_SHA256\"", text, StringComparison.Ordinal);
            string printed = (await sample.MatchesAsync(Agreed(), ++printedCount))[^1].Value;
            string http = version == "2.0" ? "HTTP/2" : "HTTP/1.1";
            Assert.Equal(
                $"Agreed {{ Http = {http}, Tls = Tls13, Suite = TLS_AES_128_GCM_SHA256, IsResumed = False, SentBy = the ring, ReceivedBy = the ring }}",
                printed);
        }
    }

    [GeneratedRegex("^Agreed .*")]
    private static partial Regex Agreed();

    [GeneratedRegex(@"(?<=Try: curl -k )https://127\.0\.0\.1:\d+")]
    private static partial Regex Address();
}
