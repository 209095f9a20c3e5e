using System.Globalization;
using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ioxide.LoadServer;

/// <summary>A Kestrel on <c>UseIoxide</c>.</summary>
internal abstract class WebSite(IConfiguration configuration, int reactorCount) : Site(configuration)
{
    private WebApplication _app = null!; // Both are set by ListenAsync before anyone else sees the object.
    private ReactorGroup _group = null!;

    protected int ReactorCount { get; } = reactorCount;

    /// <summary>Between two hosts, those of the one that has ended.</summary>
    internal sealed override ReactorGroup Group => Volatile.Read(ref _group);

    public override async ValueTask DisposeAsync()
    {
        await _app.StopAsync();
        await _app.DisposeAsync();
    }

    /// <summary>The arguments of the command line are its configuration.</summary>
    protected WebApplicationBuilder CreateBuilder()
    {
        // Nothing that watches files: each watch takes a descriptor, and the host's are few in some tests.
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Configuration
            .AddConfiguration(Configuration)
            .AddInMemoryCollection([new("Ioxide:ReactorCount", ReactorCount.ToString(CultureInfo.InvariantCulture))]);
        builder.Logging
            .AddSimpleConsole(console => console.SingleLine = true)
            .SetMinimumLevel(LogLevel.Warning)
            .AddFilter("Ioxide", LogLevel.Information);
        builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = ShutdownTimeout);
        builder.WebHost.UseKestrelCore();
        builder.WebHost.UseIoxide();
        return builder;
    }

    protected async Task StartAsync(WebApplication app)
    {
        await app.StartAsync();
        EndPoints = [.. app.Urls.Select(static url => IPEndPoint.Parse(new Uri(url).Authority))];
        _app = app;
        Volatile.Write(ref _group, app.Services.GetRequiredService<IReactorGroupSource>().GetReactors());
    }
}
