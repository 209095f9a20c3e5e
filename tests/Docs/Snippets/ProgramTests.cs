using System.Net;
using System.Net.Sockets;
using System.Text.RegularExpressions;

namespace Ioxide.Docs.Tests;

/// <summary>A block that is a whole program runs, serves and ends in order.</summary>
public partial class ProgramTests
{
    public static TheoryData<string, int> WebPrograms => Rows(static fence => fence.Directive is null or "compile: program");

    public static TheoryData<string, int> EchoServers => Rows(static fence => fence.Directive is "compile: console" && fence.Text.Contains("Echoes on"));

    [Theory, MemberData(nameof(WebPrograms))]
    public async Task AWebApplicationServesAndStops(string file, int line)
    {
        await using HostProcess host = await SnippetHost.StartAsync(Fence.At(file, line), "--urls", "http://127.0.0.1:0");
        using HttpClient client = new() { BaseAddress = await host.ListeningAsync(), Timeout = Waits.Generous(60.Seconds()) };

        using HttpResponseMessage response = await client.GetAsync(new Uri("/", UriKind.Relative));

        Assert.Contains(response.StatusCode, (HttpStatusCode[])[HttpStatusCode.OK, HttpStatusCode.NotFound]);
        Assert.Equal(0, await host.StopAsync());
    }

    [Theory, MemberData(nameof(EchoServers))]
    public async Task AnEchoServerEchoesAndStopsWithEnter(string file, int line)
    {
        await using HostProcess host = await SnippetHost.StartAsync(Fence.At(file, line));
        Match[] ready = await host.MatchesAsync(Ready());
        using RawClient client = await RawClient.ConnectAsync(IPEndPoint.Parse(ready[0].Groups[1].Value));
        byte[] sent = Payload.Of(10_000);

        await client.SendAsync(sent);

        Payload.AssertSame(sent, await client.ReadExactlyAsync(sent.Length));
        client.Dispose();
        Assert.Equal(0, await host.StopAsync());
    }

    private static TheoryData<string, int> Rows(Predicate<Fence> isMeant)
    {
        var rows = new TheoryData<string, int>();
        foreach (Fence fence in Fence.All.Where(fence => fence.Language == "csharp" && isMeant(fence)))
        {
            rows.Add(fence.File, fence.Line);
        }

        return rows;
    }

    [GeneratedRegex(@"^Echoes on ([^;]+);")]
    private static partial Regex Ready();
}
