using System.Net;
using System.Net.Sockets;

namespace Ioxide.Docs.Tests;

/// <summary>What <c>samples/Gateway</c> and <c>samples/Outbound</c> ask of another server goes by connections of their reactors, which their dashboard lists.</summary>
public class OutboundTests
{
    [Theory]
    [InlineData("Gateway", "--to", "/plaintext")]
    [InlineData("Outbound", "--of", "/")]
    public async Task TheConnectionToTheOtherServerIsAReactors(string sample, string option, string path)
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        await using HostProcess hello = HostProcess.Start("Hello", ["--urls", "http://127.0.0.1:0"]);
        Uri other = await hello.ListeningAsync();
        await using HostProcess host = HostProcess.Start(sample, ["--port", "0", option, other.ToString()]);
        using HttpClient client = new() { BaseAddress = await host.ListeningAsync(), Timeout = Waits.Generous(60.Seconds()) };

        Assert.EndsWith("Hello, World!", await client.GetStringAsync(new Uri(path, UriKind.Relative)), StringComparison.Ordinal);

        Assert.Contains($" <- {other.Authority}: ", await client.GetStringAsync(new Uri("/ioxide/dump", UriKind.Relative)), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Gateway", "--to", "/plaintext", HttpStatusCode.BadGateway)]
    [InlineData("Outbound", "--of", "/", HttpStatusCode.InternalServerError)]
    public async Task WhereNothingListensTheAnswerIsAnErrorAndTheServerLives(string sample, string option, string path, HttpStatusCode expected)
    {
        using Socket bound = RawSocket.Reserve();
        await using HostProcess host = HostProcess.Start(sample, ["--port", "0", option, $"http://{bound.LocalEndPoint}"]);
        using HttpClient client = new() { BaseAddress = await host.ListeningAsync(), Timeout = Waits.Generous(60.Seconds()) };

        for (int request = 0; request < 3; request++)
        {
            using HttpResponseMessage response = await client.GetAsync(new Uri(path, UriKind.Relative));
            Assert.Equal(expected, response.StatusCode);
        }

        Assert.Equal(0, await host.StopAsync());
    }
}
