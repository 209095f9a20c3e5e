using System.Net;
using Ioxide.Compare;
using Ioxide.Compare.Loads;
using Ioxide.Compare.Servers;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Ioxide.Bench.Tests;

/// <summary>A connection that does one request and waits, against Kestrel's own servers of both protocols.</summary>
public class OneRequestTests
{
    private static readonly HttpProtocols[] s_protocols = [HttpProtocols.Http1, HttpProtocols.Http2];

    public static TheoryData<string, bool> Answers { get; } = new()
    {
        { nameof(HttpProtocols.Http1), false }, { nameof(HttpProtocols.Http2), false },
        { nameof(HttpProtocols.Http1), true }, { nameof(HttpProtocols.Http2), true },
    };

    [Theory]
    [MemberData(nameof(Answers))]
    public async Task TheAnswerIsReadAndTheConnectionStays(string protocol, bool isLate)
    {
        HttpProtocols spoken = s_protocols.Single(candidate => candidate.ToString() == protocol);
        var hasAnswered = new TaskCompletionSource();
        var isClosed = new TaskCompletionSource();
        await using WebApplication host = await StartAsync(spoken, isLate, hasAnswered, isClosed);
        int port = new Uri(host.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single()).Port;
        bool isHttp2 = spoken == HttpProtocols.Http2;

        Stream connection = await Task.Run(
            () => OneRequest.Do(new ServerPorts(isHttp2 ? port - 2 : port), isHttp2 ? WorkloadEndpoint.Http2 : WorkloadEndpoint.Http));

        Assert.True(hasAnswered.Task.IsCompleted);
        Assert.False(isClosed.Task.IsCompleted);
        connection.Dispose();
        await isClosed.Task.WaitAsync(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task AnEndBeforeTheAnswerIsRefused()
    {
        await using WebApplication host = await StartAsync(HttpProtocols.Http1, isLate: false, new(), new());
        int port = new Uri(host.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single()).Port;

        // Kestrel answers the preface of HTTP/2 on such an endpoint with an error and the end.
        await Task.Run(() => Assert.Throws<RefusedException>(() => OneRequest.Do(new ServerPorts(port - 2), WorkloadEndpoint.Http2)));
    }

    private static async Task<WebApplication> StartAsync(
        HttpProtocols protocol, bool isLate, TaskCompletionSource hasAnswered, TaskCompletionSource isClosed)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen =>
        {
            listen.Protocols = protocol;
            listen.Use(next => async connection =>
            {
                await next(connection);
                isClosed.TrySetResult();
            });
        }));
        WebApplication host = builder.Build();
        host.Run(async context =>
        {
            Assert.Equal("/fixed", context.Request.Path);
            Assert.Equal("localhost", context.Request.Host.Host);
            context.Response.ContentLength = 5;
            await context.Response.StartAsync();
            await Task.Delay(isLate ? 200 : 0);
            hasAnswered.SetResult();
            await context.Response.Body.WriteAsync("Hello"u8.ToArray());
        });
        await host.StartAsync(TestContext.Current.CancellationToken);
        return host;
    }
}
