using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ioxide.ChaosHost;

/// <summary>Kestrel on <c>UseIoxide</c> with <see cref="Endpoints"/>.</summary>
internal static class KestrelHost
{
    private static readonly TimeSpan s_rateGrace = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_proxyPatience = TimeSpan.FromMinutes(2);

    internal static async Task RunAsync(IConfiguration configuration)
    {
        await using WebApplication app = Build(configuration);
        app.UseHealthChecks("/ready");
        app.Run(Endpoints.ServeAsync);
        await app.StartAsync();
        foreach (string url in app.Urls)
        {
            Console.WriteLine($"listening {new Uri(url).Authority}");
        }

        Console.WriteLine("ready");
        _ = StopWithInputAsync(app.Lifetime);
        await app.WaitForShutdownAsync();
    }

    private static WebApplication Build(IConfiguration configuration)
    {
        // Nothing that watches files: each watch takes a descriptor, and the host's are few in some tests.
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Configuration.AddConfiguration(configuration);
        builder.Logging
            .AddSimpleConsole(console => console.SingleLine = true)
            .SetMinimumLevel(LogLevel.Warning)
            .AddFilter("Ioxide", LogLevel.Information)

            // Each look of a balancer at an instance that drains is an error to it.
            .AddFilter("Microsoft.Extensions.Diagnostics.HealthChecks", LogLevel.None);
        builder.Services.AddHealthChecks().AddIoxideReadiness();
        builder.Services.Configure<HostOptions>(
            options => options.ShutdownTimeout = HostAddresses.ShutdownTimeout(configuration));
        builder.WebHost.UseKestrelCore();
        builder.WebHost.UseIoxide(options => options.RequireIoUring = true);
        builder.WebHost.ConfigureKestrel(kestrel => Configure(kestrel, configuration));
        return builder.Build();
    }

    private static void Configure(KestrelServerOptions kestrel, IConfiguration configuration)
    {
        kestrel.AddServerHeader = false;
        if (configuration.GetValue<double?>("headers-timeout") is { } seconds)
        {
            kestrel.Limits.RequestHeadersTimeout = TimeSpan.FromSeconds(seconds);
        }

        if (configuration.GetValue<double?>("min-rate") is { } bytesPerSecond)
        {
            kestrel.Limits.MinResponseDataRate = bytesPerSecond > 0 ? new MinDataRate(bytesPerSecond, s_rateGrace) : null;
        }

        foreach (IPEndPoint endPoint in HostAddresses.Read(configuration))
        {
            kestrel.Listen(endPoint);
        }

        if (configuration.GetValue<int?>("proxy-port") is { } port)
        {
            kestrel.Listen(IPAddress.Loopback, port, static listen => listen.UseProxyProtocol(static options => options.Timeout = s_proxyPatience));
        }
    }

    private static async Task StopWithInputAsync(IHostApplicationLifetime lifetime)
    {
        await HostInput.EndAsync();
        lifetime.StopApplication();
    }
}
