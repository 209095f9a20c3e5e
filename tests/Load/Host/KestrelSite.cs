using System.Globalization;
using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ioxide.LoadServer;

/// <summary>Kestrel on <c>UseIoxide</c> with <see cref="Endpoints"/>.</summary>
internal sealed class KestrelSite : Site
{
    private static readonly TimeSpan s_rateGrace = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_proxyPatience = TimeSpan.FromMinutes(2);

    private readonly int _reactorCount;
    private readonly bool _takesProxied;
    private WebApplication _app = null!; // Set by ListenAsync before anyone else sees the object.

    internal KestrelSite(IConfiguration configuration, int reactorCount) : base(configuration)
    {
        _reactorCount = reactorCount;
        if (configuration.GetValue<int?>("proxy-port") is { } port)
        {
            _takesProxied = true;
            EndPoints = [.. EndPoints, new IPEndPoint(IPAddress.Loopback, port)];
        }
    }

    internal override ReactorGroup Group => _app.Services.GetRequiredService<IReactorGroupSource>().GetReactors();

    internal override async Task RestartAsync()
    {
        await DisposeAsync();
        await ListenAsync();
    }

    public override async ValueTask DisposeAsync()
    {
        await _app.StopAsync();
        await _app.DisposeAsync();
    }

    protected override async Task ListenAsync()
    {
        WebApplication app = Build();
        app.UseHealthChecks("/ready");
        app.UseWebSockets();
        app.Run(Endpoints.ServeAsync);
        await app.StartAsync();
        EndPoints = [.. app.Urls.Select(static url => IPEndPoint.Parse(new Uri(url).Authority))];
        _app = app;
    }

    private WebApplication Build()
    {
        // Nothing that watches files: each watch takes a descriptor, and the host's are few in some tests.
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Configuration
            .AddConfiguration(Configuration)
            .AddInMemoryCollection([new("Ioxide:ReactorCount", _reactorCount.ToString(CultureInfo.InvariantCulture))]);
        builder.Logging
            .AddSimpleConsole(console => console.SingleLine = true)
            .SetMinimumLevel(LogLevel.Warning)
            .AddFilter("Ioxide", LogLevel.Information)

            // Each look of a balancer at an instance that drains is an error to it.
            .AddFilter("Microsoft.Extensions.Diagnostics.HealthChecks", LogLevel.None);
        builder.Services.AddHealthChecks().AddIoxideReadiness();
        builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = ShutdownTimeout);
        builder.WebHost.UseKestrelCore();
        builder.WebHost.UseIoxide();
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
