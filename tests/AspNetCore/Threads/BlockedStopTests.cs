using System.Net.Sockets;

namespace Ioxide.AspNetCore.Tests;

/// <summary>A process whose handler never returns ends on SIGTERM as on the sockets transport, and says what held it up.</summary>
public class BlockedStopTests
{
    private const string ShutdownSeconds = "2";

    [Theory]
    [InlineData("/sleep", "--sockets")]
    [InlineData("/loop", "--sockets")]
    [InlineData("/sleep", "--require")]
    [InlineData("/loop", "--require")]
    public async Task AHandlerThatNeverReturnsDoesNotKeepTheProcess(string path, string transport)
    {
        await using HostProcess host = BlockedHost.Start(transport, "--shutdown-timeout", ShutdownSeconds);
        using TcpClient client = await AskAsync(host, path);
        await Waits.Eventually(() => host.Lines.Contains("entered"), 30.Seconds());

        host.Signal(Signals.Terminate);

        Assert.Equal(0, await host.ExitAsync());
        if (transport != "--sockets")
        {
            Assert.Contains(
                host.Lines,
                line => line.StartsWith("fail:", StringComparison.Ordinal)
                    && line.Contains($"Stopping without reactor 0: it is still running GET {path}", StringComparison.Ordinal));
        }
    }

    /// <summary>The sample shows the pattern: a stream that observes ApplicationStopping.</summary>
    [Fact]
    public async Task TheSampleEndsWithAnOpenEventStream()
    {
        await using HostProcess host = HostProcess.Start("Hello", ["--urls", "http://127.0.0.1:0"]);
        using TcpClient client = await AskAsync(host, "/stream");
        using var reader = new StreamReader(client.GetStream());
        string? line;
        do
        {
            line = await reader.ReadLineAsync().WaitAsync(30.Seconds());
        }
        while (line != "event: tick");

        host.Signal(Signals.Interrupt);

        // The whole response, to its last chunk: it was not cut by the end of ShutdownTimeout.
        string rest = await reader.ReadToEndAsync().WaitAsync(60.Seconds());
        Assert.EndsWith("0\r\n\r\n", rest, StringComparison.Ordinal);
        Assert.Equal(0, await host.ExitAsync());
    }

    private static async Task<TcpClient> AskAsync(HostProcess host, string path)
    {
        Uri address = await host.ListeningAsync();
        var client = new TcpClient();
        await client.ConnectAsync(address.Host, address.Port);
        await client.GetStream().WriteAsync(System.Text.Encoding.ASCII.GetBytes($"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        return client;
    }
}
