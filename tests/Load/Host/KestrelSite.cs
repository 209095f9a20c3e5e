using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Ioxide.LoadServer;

/// <summary>Kestrel on <c>UseIoxide</c> with <see cref="Endpoints"/>.</summary>
internal sealed class KestrelSite : WebSite
{
    private static readonly TimeSpan s_rateGrace = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_proxyPatience = TimeSpan.FromMinutes(2);

    private readonly bool _takesProxied;

    internal KestrelSite(IConfiguration configuration, int reactorCount) : base(configuration, reactorCount)
    {
        if (configuration.GetValue<int?>("proxy-port") is { } port)
        {
            _takesProxied = true;
            EndPoints = [.. EndPoints, new IPEndPoint(IPAddress.Loopback, port)];
        }
    }

    internal override async Task RestartAsync()
    {
        await DisposeAsync();
        await ListenAsync();
    }

    protected override Task ListenAsync()
    {
        WebApplication app = Build();
        app.UseHealthChecks("/ready");
        app.UseWebSockets();
        app.Run(Endpoints.ServeAsync);
        return StartAsync(app);
    }

    private WebApplication Build()
    {
        WebApplicationBuilder builder = CreateBuilder();

        // Each look of a balancer at an instance that drains is an error to it.
        builder.Logging.AddFilter("Microsoft.Extensions.Diagnostics.HealthChecks", LogLevel.None);
        builder.Services.AddHealthChecks().AddIoxideReadiness();
        builder.WebHost.ConfigureKestrel(Configure);
        return builder.Build();
    }

    private void Configure(KestrelServerOptions kestrel)
    {
        kestrel.AddServerHeader = false;
        if (Configuration.GetValue<double?>("headers-timeout") is { } seconds)
        {
            kestrel.Limits.RequestHeadersTimeout = TimeSpan.FromSeconds(seconds);
        }

        if (Configuration.GetValue<double?>("min-rate") is { } bytesPerSecond)
        {
            kestrel.Limits.MinResponseDataRate = bytesPerSecond > 0 ? new MinDataRate(bytesPerSecond, s_rateGrace) : null;
        }

        foreach (IPEndPoint endPoint in _takesProxied ? EndPoints[..^1] : EndPoints)
        {
            kestrel.Listen(endPoint);
        }

        if (_takesProxied)
        {
            kestrel.Listen(EndPoints[^1], static listen => listen.UseProxyProtocol(static options => options.Timeout = s_proxyPatience));
        }
    }
}
