using System.Net;
using System.Net.Sockets;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ioxide.Soak;

/// <summary>One web application on the ring, with reactors of its own.</summary>
internal sealed class Site : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly TaskCompletionSource<ReactorGroup> _group = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private Site(int port, int reactorCount)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Logging
            .AddConsole(console => console.LogToStandardErrorThreshold = LogLevel.Trace)
            .SetMinimumLevel(LogLevel.Warning);
        builder.Services.Configure<HostOptions>(host => host.ShutdownTimeout = TimeSpan.FromSeconds(10));
        builder.WebHost.UseKestrelCore();
        builder.WebHost.UseIoxide(ioxide =>
        {
            ioxide.ReactorCount = reactorCount;
            ioxide.RequireIoUring = true;
        });
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.Limits.MaxRequestBodySize = null;
            kestrel.Limits.RequestHeadersTimeout = TimeSpan.FromSeconds(3);
            kestrel.Listen(IPAddress.Loopback, port, listen => listen.Use(next => connection =>
            {
                _group.TrySetResult(connection.Features.Get<IReactorFeature>()!.Reactor.Group);
                return next(connection);
            }));
        });
        _app = builder.Build();
        SiteEndpoints.Map(_app);
    }

    internal int Port { get; private set; }

    internal ReactorGroup Group => _group.Task.Result;

    internal static async Task<Site> StartAsync(int port, int reactorCount)
    {
        Site site = new(port, reactorCount);
        await site._app.StartAsync();
        site.Port = new Uri(site._app.Urls.Single()).Port;

        // The group is known from the first connection on.
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await client.ConnectAsync(IPAddress.Loopback, site.Port);
        await site._group.Task;
        return site;
    }

    /// <summary>Answers what is being asked, then ends.</summary>
    public async ValueTask DisposeAsync()
    {
        await _app.StopAsync();
        await _app.DisposeAsync();
    }
}
