using System.Net;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Http2.Tests;

/// <summary>YARP: the engine in front of it, behind it, and on both sides.</summary>
public class ProxyTests
{
    [Theory]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public async Task BodiesFieldsAndTrailersPass(bool isEngineInFront, bool isEngineBehind)
    {
        await using Http2Host behind = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngineBehind,
            Handler = static async context =>
            {
                context.Response.StatusCode = 299;
                context.Response.Headers["X-Seen"] = $"{context.Request.Protocol} {context.Request.Path}{context.Request.QueryString} {context.Request.Headers["X-Sent"]}";
                context.Response.DeclareTrailer("X-Sum");
                using MemoryStream body = new();
                await context.Request.Body.CopyToAsync(body);
                await context.Response.Body.WriteAsync(body.GetBuffer().AsMemory(0, (int)body.Length));
                context.Response.AppendTrailer("X-Sum", $"{body.Length}");
            },
        });
        await using Http2Host front = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngineInFront,
            Services = services => services.AddReverseProxyTo(behind),
            Map = static app => app.MapReverseProxy(),
        });
        using HttpClient client = front.CreateClient();
        await Task.WhenAll(Enumerable.Range(0, 20).Select(async number =>
        {
            byte[] body = RandomNumberGenerator.GetBytes(number * 10_000);
            using HttpRequestMessage request = new(HttpMethod.Post, $"/a/{number}?b=c")
            {
                Version = HttpVersion.Version20,
                VersionPolicy = HttpVersionPolicy.RequestVersionExact,
                Content = new ByteArrayContent(body),
                Headers = { { "X-Sent", "yes" } },
            };
            using HttpResponseMessage response = await client.SendAsync(request).Within(60.Seconds());
            Assert.Equal(299, (int)response.StatusCode);
            Assert.Equal($"HTTP/2 /a/{number}?b=c yes", Assert.Single(response.Headers.GetValues("X-Seen")));
            Assert.Equal(body, await response.Content.ReadAsByteArrayAsync().Within(60.Seconds()));
            Assert.Equal($"{body.Length}", Assert.Single(response.TrailingHeaders.GetValues("X-Sum")));
        }));
    }
}
