using System.Diagnostics;
using System.Text.RegularExpressions;

namespace Ioxide.Tls.Tests;

/// <summary><c>samples/Https</c> as a reader starts it, on a free port, asked over both versions of HTTP.</summary>
public sealed partial class SampleTests
{
    [Fact]
    public async Task TheSampleServesBothVersionsOnOnePortAndSaysWhatWasAgreedOn()
    {
        // The tests' build made it, in the folder beside theirs.
        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Name;
        string program = Path.GetFullPath(Path.Combine(AppContext.BaseDirectory, "../../Https", configuration, "Https.dll"));
        ProcessStartInfo start = new("dotnet", [program, "--port", "0"])
        {
            RedirectStandardOutput = true,
            WorkingDirectory = Path.GetDirectoryName(program)!,
        };
        using Process process = Process.Start(start)!;
        try
        {
            string? address = null;
            while (address is null
                && await process.StandardOutput.ReadLineAsync().Within(60.Seconds(), "the sample serves") is { } line)
            {
                address = Address().Match(line) is { Success: true } match ? match.Value : null;
            }

            Assert.NotNull(address);
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
                string? printed;
                do
                {
                    printed = await process.StandardOutput.ReadLineAsync().Within(60.Seconds(), "the sample prints what was agreed on");
                }
                while (printed?.StartsWith("Agreed", StringComparison.Ordinal) == false);

                string http = version == "2.0" ? "HTTP/2" : "HTTP/1.1";
                Assert.Equal(
                    $"Agreed {{ Http = {http}, Tls = Tls13, Suite = TLS_AES_128_GCM_SHA256, IsResumed = False, SentBy = the ring, ReceivedBy = the ring }}",
                    printed);
            }
        }
        finally
        {
            process.Kill();
            await process.WaitForExitAsync().Within(60.Seconds());
        }
    }

    [GeneratedRegex(@"(?<=Try: curl -k )https://127\.0\.0\.1:\d+")]
    private static partial Regex Address();
}
