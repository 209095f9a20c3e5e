using System.Net;
using System.Net.Sockets;

namespace Ioxide.Docs.Tests;

/// <summary><c>samples/Hello</c> as README starts it: what it lists is there, and its stream ends when it stops.</summary>
public class HelloTests
{
    private const int InterruptSignal = 2; // SIGINT, what Ctrl-C sends.

    [Fact]
    public async Task EachLinkOfTheFirstPageLeadsSomewhere()
    {
        await using HostProcess host = HostProcess.Start("Hello", ["--urls", "http://127.0.0.1:0"]);
        using HttpClient client = new() { BaseAddress = await host.ListeningAsync(), Timeout = Waits.Generous(60.Seconds()) };

        string[] links = await Links.OfAsync(client);

        Assert.Contains("/stream", links);
        foreach (string link in links)
        {
            using HttpResponseMessage response = await client.GetAsync(new Uri(link, UriKind.Relative), HttpCompletionOption.ResponseHeadersRead);
            Assert.True(response.IsSuccessStatusCode, $"{link}: {response.StatusCode}");
        }
    }

    /// <summary>What README shows of the log, whatever the number of reactors.</summary>
    [Fact]
    public async Task TheLogSaysWhatReadmeShows()
    {
        string shown = Fence.All.Single(static fence => fence.File == "README.md" && fence.Text.Contains("[1001]", StringComparison.Ordinal))
            .Text.Split('\n')[1].Trim();
        await using HostProcess host = HostProcess.Start(
            "Hello", ["--urls", "http://127.0.0.1:0"], variables: ("DOTNET_PROCESSOR_COUNT", "2"));
        await host.ListeningAsync();
        Assert.Contains(shown, host.Lines.Select(static line => line.Trim()));
    }

    /// <summary>A client that reads the stream to its end gets an end in order, which an aborted connection is not.</summary>
    [Fact]
    public async Task CtrlCEndsAStreamInOrder()
    {
        await using HostProcess host = HostProcess.Start("Hello", ["--urls", "http://127.0.0.1:0"]);
        using HttpClient client = new() { BaseAddress = await host.ListeningAsync(), Timeout = Waits.Generous(60.Seconds()) };
        using HttpResponseMessage response = await client.GetAsync(new Uri("/stream", UriKind.Relative), HttpCompletionOption.ResponseHeadersRead);
        using StreamReader events = new(await response.Content.ReadAsStreamAsync());
        Assert.Equal("event: tick", await events.ReadLineAsync().WaitAsync(60.Seconds()));

        host.Signal(InterruptSignal);

        Assert.StartsWith("data: 1\n", await events.ReadToEndAsync().Within(60.Seconds()), StringComparison.Ordinal);
        Assert.Equal(0, await host.ExitAsync());
    }

    /// <summary>A client that leaves without a close frame is everyday: no error, and no exception in the log.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AWebSocketClientThatDropsIsNoError(bool isReset)
    {
        await using HostProcess host = HostProcess.Start("Hello", ["--urls", "http://127.0.0.1:0"]);
        Uri address = await host.ListeningAsync();
        await using (WebSocketLink link = await WebSocketLink.UpgradeAsync(IPEndPoint.Parse(address.Authority), "/ws", offers: null))
        {
            ((NetworkStream)link.Stream).Socket.LingerState = new LingerOption(isReset, 0);
        }

        // The stop waits until the request has ended.
        Assert.Equal(0, await host.StopAsync());
        Assert.DoesNotContain(host.Lines, static line => line.StartsWith("fail:", StringComparison.Ordinal) || line.Contains("Exception", StringComparison.Ordinal));
    }

    [Fact]
    public async Task UnderSocketActivationItServesTheSocketThatWasPassed()
    {
        using ActivatedSocket socket = ActivatedSocket.Listen();
        await using HostProcess host = HostProcess.Start("Hello", ["--urls", "http://127.0.0.1:1"], socket.Command);
        using HttpClient client = new() { BaseAddress = new Uri($"http://{socket.EndPoint}"), Timeout = Waits.Generous(60.Seconds()) };

        Assert.Equal("Hello, World!", await client.GetStringAsync(new Uri("/plaintext", UriKind.Relative)).Within(60.Seconds()));

        Assert.Equal(0, await host.StopAsync());
    }
}
