using System.Net;
using System.Net.Http.Json;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Http2.Tests;

/// <summary>Clients that others wrote, in clear text and over TLS on the ring.</summary>
/// <remarks>Takes 7 s: h2load sends into windows of 15 bytes.</remarks>
[Once]
public class ClientTests
{
    [Fact]
    public async Task HttpClientGetsAnAnswer()
    {
        await using Http2Host host = await Http2Host.StartAsync(context => context.Response.WriteAsync($"{context.Request.Protocol} {context.Request.Path}"));
        using HttpClient client = host.CreateClient();
        using HttpResponseMessage response = await client.GetAsync("/some/path?query").Within(30.Seconds());
        Assert.Equal((HttpStatusCode.OK, HttpVersion.Version20), (response.StatusCode, response.Version));
        Assert.Equal("HTTP/2 /some/path", await response.Content.ReadAsStringAsync());
        Assert.Equal("Kestrel", response.Headers.Server.ToString());
        Assert.NotNull(response.Headers.Date);
    }

    [Theory, Each(0, 1, 70_000, 8 * 1024 * 1024)]
    public async Task BodiesComeBackAsTheyWere(int length)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            // HttpClient reads no answer before its own body is sent.
            Handler = static async context =>
            {
                using MemoryStream body = new();
                await context.Request.Body.CopyToAsync(body);
                await context.Response.Body.WriteAsync(body.GetBuffer().AsMemory(0, (int)body.Length));
            },
        });
        using HttpClient client = host.CreateClient();
        byte[] body = new byte[length];
        new Random(length).NextBytes(body);
        using HttpResponseMessage response = await client.PostAsync("/", new ByteArrayContent(body)).Within(60.Seconds());
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(body, await response.Content.ReadAsByteArrayAsync().Within(60.Seconds()));
    }

    /// <summary>On stock Kestrel, then on the engine. All three are of nghttp2; the windows of 16 bytes make each answer many frames.</summary>
    [Theory]
    [InlineData("curl", "-sS --http2-prior-knowledge --data-binary hello", "hello", false)]
    [InlineData("curl", "-sSk --http2 --data-binary hello", "hello", true)]
    [InlineData("nghttp", "-H:method:POST -d /etc/passwd --no-dep", "root", false)]
    [InlineData("nghttp", "-H:method:POST -d /etc/passwd --no-dep", "root", true)]
    [InlineData("nghttp", "-w4 -W4 -d /etc/passwd", "root", false)]
    [InlineData("nghttp", "-w4 -W4 -d /etc/passwd", "root", true)]
    [InlineData("h2load", "-n 2000 -c 4 -m 100", "2000 succeeded", false)]
    [InlineData("h2load", "-n 2000 -c 4 -m 100", "2000 succeeded", true)]
    [InlineData("h2load", "-n 500 -c 2 -m 20 -w4 -W4 -d /etc/passwd", "500 succeeded", false)]
    [InlineData("h2load", "-n 500 -c 2 -m 20 -w4 -W4 -d /etc/passwd", "500 succeeded", true)]
    public async Task ToolsOfOthersAreServed(string tool, string arguments, string expected, bool isTls)
    {
        Assert.SkipUnless(File.Exists($"/usr/bin/{tool}"), $"{tool} is not installed.");
        foreach (bool isEngine in (IEnumerable<bool>)[false, true])
        {
            await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
            {
                Handler = static context =>
                {
                    Assert.Equal("HTTP/2", context.Request.Protocol);
                    return context.Request.Body.CopyToAsync(context.Response.Body);
                },
            }.On(isEngine, isTls));
            Assert.Contains(expected, await Tool.RunAsync([$"/usr/bin/{tool}", .. arguments.Split(' '), host.Address(isTls)]), StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task EndPointsOfAMinimalApiAreServed()
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Map = static app =>
            {
                app.MapGet("/text", () => "text");
                app.MapPost("/twice", (int[] numbers) => numbers.Select(number => number * 2).ToArray());
                app.MapGet("/slow", async () =>
                {
                    await Task.Yield();
                    return "slow";
                });
            },
        });
        using HttpClient client = host.CreateClient();
        for (int round = 0; round < 100; round++)
        {
            Assert.Equal("text", await client.GetStringAsync("/text").Within(30.Seconds()));
            Assert.Equal("slow", await client.GetStringAsync("/slow").Within(30.Seconds()));
            using HttpResponseMessage response = await client.PostAsJsonAsync("/twice", (int[])[round, 2]).Within(30.Seconds());
            Assert.Equal([round * 2, 4], await response.Content.ReadFromJsonAsync<int[]>() ?? []);
        }

        using HttpResponseMessage missing = await client.GetAsync("/missing").Within(30.Seconds());
        Assert.Equal(HttpStatusCode.NotFound, missing.StatusCode);
    }

    [Fact]
    public async Task AHundredRequestsAtOnceAreServed()
    {
        await using Http2Host host = await Http2Host.StartAsync(async context =>
        {
            await Task.Yield();
            await context.Response.WriteAsync(context.Request.Path);
        });
        using HttpClient client = host.CreateClient();
        string[] answers = await Task.WhenAll(Enumerable.Range(0, 1000).Select(index => client.GetStringAsync($"/{index}"))).Within(60.Seconds());
        Assert.Equal(Enumerable.Range(0, 1000).Select(index => $"/{index}"), answers);
    }

    [Fact]
    public async Task Http1OnTheSamePortIsKestrels()
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Protocols = HttpProtocols.Http1AndHttp2,
            Handler = context => context.Response.WriteAsync(context.Request.Protocol),
        });
        using HttpClient client = host.CreateClient();
        Assert.Equal("HTTP/2", await client.GetStringAsync("/").Within(30.Seconds()));
        client.Dispose();
        using HttpClient other = host.CreateClient();
        other.DefaultRequestVersion = HttpVersion.Version11;
        Assert.Equal("HTTP/1.1", await other.GetStringAsync("/").Within(30.Seconds()));
    }
}
