using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.RegularExpressions;

namespace Ioxide.Docs.Tests;

/// <summary>
/// A sample of each package serves under the profile of <c>deploy/</c>: on rings as it is, and on epoll without its entry for rings. Without that entry it
/// is stricter than the default profiles of container runtimes, which allow all of its calls.
/// </summary>
public partial class ContainerTests
{
    private const string Rings = "io_uring_setup,io_uring_enter,io_uring_register";

    /// <summary>Of PostgreSQL, which samples/Database starts where it is given none; the runtimes' profiles allow them.</summary>
    private const string OfPostgres = "shmget,shmat,shmctl,shmdt,sync,syncfs,mknod";

    [Theory]
    [InlineData("Hello", "/plaintext", true)]
    [InlineData("Hello", "/plaintext", false)]
    [InlineData("Files", "/", true)]
    [InlineData("Files", "/", false)]
    [InlineData("Https", "/", true)]
    [InlineData("Https", "/", false)]
    [InlineData("Http2", "/", true)]
    [InlineData("Http2", "/", false)]
    [InlineData("Database", "/", true)]
    [InlineData("Database", "/", false)]
    public async Task AnApplicationServes(string sample, string path, bool hasRings)
    {
        string[] arguments = sample switch
        {
            "Https" => ["--port", "0"],
            "Http2" => ["--port", "0", "--clear-port", "0"],
            _ => ["--urls", "http://127.0.0.1:0"],
        };
        await using HostProcess host = Start(sample, hasRings, arguments);
        using HttpClientHandler handler = new()
        {
            ServerCertificateCustomValidationCallback = HttpClientHandler.DangerousAcceptAnyServerCertificateValidator,
        };
        using HttpClient client = new(handler) { BaseAddress = await host.ListeningAsync(), Timeout = Waits.Generous(60.Seconds()) };
        for (int request = 0; request < 50; request++)
        {
            using HttpResponseMessage response = await client.GetAsync(new Uri(path, UriKind.Relative));
            Assert.True(response.IsSuccessStatusCode, $"{sample} answers {response.StatusCode}\n{host.Output}");
        }

        Assert.Contains(host.Lines, line => line.Contains($"Using {(hasRings ? "io_uring" : "epoll")} with ", StringComparison.Ordinal));
        Assert.Equal(hasRings, !host.Output.Contains("io_uring is not available", StringComparison.Ordinal));
        Assert.Equal(0, await host.StopAsync());
    }

    [Theory]
    [InlineData("Echo", "bytes", "bytes", true)]
    [InlineData("Echo", "bytes", "bytes", false)]
    [InlineData("Redis", "*1\r\n$4\r\nPING\r\n", "+PONG\r\n", true)]
    [InlineData("Redis", "*1\r\n$4\r\nPING\r\n", "+PONG\r\n", false)]
    public async Task AServerWithoutAFrameworkServes(string sample, string sent, string expected, bool hasRings)
    {
        await using HostProcess host = Start(sample, hasRings, "--port", "0");
        Match ready = (await host.MatchesAsync(Ready())).Single();
        using Socket socket = new(SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(IPEndPoint.Parse(ready.Groups[1].Value));
        await socket.SendAllAsync(Encoding.ASCII.GetBytes(sent));

        Assert.Equal(expected, Encoding.ASCII.GetString(await socket.ReceiveExactlyAsync(expected.Length)));
        Assert.Equal(0, await host.StopAsync());
    }

    private static HostProcess Start(string sample, bool hasRings, params string[] arguments)
    {
        Assert.SkipUnless(
            File.Exists("/usr/include/asm-generic/unistd.h") || File.Exists("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
            "the numbers of system calls are not installed (linux-libc-dev).");
        Assert.SkipWhen(hasRings && RingProbe.Check() != RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        string[] command =
        [
            "dotnet", HostProcess.PathOf("Ioxide.BlockedHost"), "--profile", Path.Combine(Repository.Root, "deploy/seccomp.json"),
            "--without", hasRings ? "" : Rings, .. sample == "Database" ? new[] { "--with", OfPostgres } : [], "--",
        ];
        return HostProcess.Start(sample, arguments, command);
    }

    [GeneratedRegex(@"^ready (\S+)")]
    private static partial Regex Ready();
}
