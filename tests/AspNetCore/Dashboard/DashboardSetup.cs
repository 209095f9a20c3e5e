using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore.Tests;

/// <summary>A server with the dashboard, the health checks and <c>/hello</c>.</summary>
internal static class DashboardSetup
{
    internal static ServerSetup Of(
        TransportKind transport = TransportKind.Ioxide,
        Action<WebApplication>? map = null,
        Action<WebApplicationBuilder>? builder = null,
        Action<IoxideTransportOptions>? ioxide = null,
        bool expectsErrors = false) => new(transport)
        {
            ExpectsErrors = expectsErrors,
            Ioxide = ioxide,
            Builder = application =>
            {
                application.Services.AddRouting();
                application.Services.AddHealthChecks().AddIoxide();
                builder?.Invoke(application);
            },
            Map = app =>
            {
                (map ?? (static app => app.MapIoxideDashboard()))(app);
                app.MapHealthChecks("/health");
                app.MapGet("/hello", static (HttpContext context) => context.Response.WriteAsync("hello"));
            },
        };
}
