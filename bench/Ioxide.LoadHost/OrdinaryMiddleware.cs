using System.Diagnostics.CodeAnalysis;
using System.Threading.RateLimiting;
using Microsoft.AspNetCore.Authentication.Cookies;

namespace Ioxide.LoadHost;

/// <summary>The middleware that an ordinary application has behind routing, none of which does anything for the requests of the load.</summary>
internal static class OrdinaryMiddleware
{
    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "A session keeps nothing here, and a published host has no such middleware.")]
    internal static void AddOrdinaryMiddleware(this IServiceCollection services, LoadHostOptions options)
    {
        if (!options.HasMiddleware)
        {
            return;
        }

        services.AddCors(static cors => cors.AddDefaultPolicy(static policy => policy.WithOrigins("https://example.com")));
        services.AddAuthentication(CookieAuthenticationDefaults.AuthenticationScheme).AddCookie();
        services.AddAuthorization();
        services.AddDistributedMemoryCache();
        services.AddSession();
        services.AddRateLimiter(static limits => limits.GlobalLimiter =
            PartitionedRateLimiter.Create<HttpContext, int>(static _ => RateLimitPartition.GetNoLimiter(0)));
    }

    internal static void UseOrdinaryMiddleware(this WebApplication app, LoadHostOptions options)
    {
        if (!options.HasMiddleware)
        {
            return;
        }

        app.UseExceptionHandler(static branch => branch.Run(static _ => Task.CompletedTask));
        app.UseHsts();
        app.UseCors();
        app.UseAuthentication();
        app.UseAuthorization();
        app.UseRateLimiter();
        app.UseSession();
    }
}
