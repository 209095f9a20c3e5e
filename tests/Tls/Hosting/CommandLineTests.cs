using System.Globalization;
using Microsoft.AspNetCore.Hosting;

namespace Ioxide.Tls.Tests;

/// <summary>Kestrel's endpoints with clients of other people: curl and h2load.</summary>
[Once]
public sealed class CommandLineTests : IDisposable
{
    private readonly string _root = Path.GetTempFileName();

    public CommandLineTests() => File.WriteAllText(_root, TestCertificates.Root.ExportCertificatePem());

    [Theory]
    [InlineData("--http1.1", "--tls-max", "1.2")]
    [InlineData("--http1.1", "--tlsv1.3", "")]
    [InlineData("--http2", "--tls-max", "1.2")]
    [InlineData("--http2", "--tlsv1.3", "")]
    public async Task CurlGetsABodyByteForByte(string http, string version, string value)
    {
        await using HttpsServer server = await HttpsServer.StartAsync(static listen => listen.UseIoxideTls(TestCertificates.Ecdsa));
        string file = Path.GetTempFileName();
        try
        {
            string[] arguments =
            [
                "-sS", http, version, .. value.Length > 0 ? (string[])[value] : [], "--cacert", _root,
                "-o", file, "-w", "%{http_version} %{http_code}",
                string.Create(CultureInfo.InvariantCulture, $"https://127.0.0.1:{server.EndPoint.Port}/bytes/3000000"),
            ];
            string output = await RunAsync("curl", arguments);
            Assert.Equal(http == "--http2" ? "2 200" : "1.1 200", output);
            Payload.AssertSame(Payload.Of(3_000_000), await File.ReadAllBytesAsync(file));
        }
        finally
        {
            File.Delete(file);
        }
    }

    [Fact]
    public async Task H2loadMeetsNoError()
    {
        await using HttpsServer server = await HttpsServer.StartAsync(static listen => listen.UseIoxideTls(TestCertificates.Ecdsa));
        string url = string.Create(CultureInfo.InvariantCulture, $"https://127.0.0.1:{server.EndPoint.Port}/tls");
        string output = await RunAsync("h2load", ["-n2000", "-c8", "-m32", "-t1", url]);
        Assert.Contains("2000 succeeded, 0 failed, 0 errored, 0 timeout", output, StringComparison.Ordinal);
        Assert.Contains("Application protocol: h2", output, StringComparison.Ordinal);
    }

    public void Dispose() => File.Delete(_root);

    private static Task<string> RunAsync(string program, string[] arguments)
    {
        Assert.SkipWhen(Tool.Find(program) is null, $"There is no command {program}.");
        return Tool.RunAsync([program, .. arguments], limit: 90.Seconds());
    }
}
