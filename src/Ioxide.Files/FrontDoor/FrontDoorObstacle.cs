using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Cors.Infrastructure;
using Microsoft.AspNetCore.HostFiltering;
using Microsoft.AspNetCore.HttpsPolicy;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.AspNetCore.Routing.Matching;
using Microsoft.Extensions.Options;

namespace Ioxide.Files;

/// <summary>
/// What the container shows of the pipeline in front of every end point, and could refuse or redirect a request for a file, or add
/// fields that browsers enforce. Which middleware there is does not show: that is what <c>bypassMiddleware</c> says.
/// </summary>
/// <param name="Reason">What it is.</param>
/// <param name="Remedy">What opens the door.</param>
/// <param name="IsCleartextAlone">Whether it concerns connections without TLS only.</param>
internal sealed record FrontDoorObstacle(string Reason, string Remedy, bool IsCleartextAlone = false)
{
    private static readonly string[] s_anyHost = ["*", "[::]", "0.0.0.0"];

    /// <summary>The first obstacle that there is, those of cleartext last; null for none.</summary>
    internal static async Task<FrontDoorObstacle?> FindAsync(IServiceProvider services)
        => OfSelector(services.GetRequiredService<EndpointSelector>())
            ?? await OfAuthorizationAsync(services.GetService<IAuthorizationPolicyProvider>()).ConfigureAwait(false)
            ?? OfHosts(services.GetRequiredService<IOptionsMonitor<HostFilteringOptions>>().CurrentValue)
            ?? OfRates(services.GetRequiredService<IOptions<RateLimiterOptions>>().Value)
            ?? OfCors(services.GetService<ICorsPolicyProvider>(), services.GetRequiredService<IOptions<CorsOptions>>().Value)
            ?? OfRedirection(services.GetServices<IConfigureOptions<HttpsRedirectionOptions>>());

    private static FrontDoorObstacle? OfSelector(EndpointSelector selector) => Framework.RoutingOwns(selector)
        ? null
        : new($"end points are selected by {selector.GetType().Name}, which may look at more than path and method",
            "Remove the service EndpointSelector.");

    private static async Task<FrontDoorObstacle?> OfAuthorizationAsync(IAuthorizationPolicyProvider? policies)
    {
        if (policies is null)
        {
            return null;
        }

        if (!policies.AllowsCachingPolicies)
        {
            return new($"{policies.GetType().Name} may choose another fallback policy for each request",
                "If its policies do not change, return true from AllowsCachingPolicies.");
        }

        return await policies.GetFallbackPolicyAsync().ConfigureAwait(false) is null
            ? null
            : new("AuthorizationOptions.FallbackPolicy applies to every file",
                "Remove the fallback policy and call RequireAuthorization on a group of the other end points.");
    }

    private static FrontDoorObstacle? OfHosts(HostFilteringOptions options)
        => options.AllowedHosts.Count == 0 || options.AllowedHosts.Intersect(s_anyHost, StringComparer.Ordinal).Any()
            ? null
            : new("AllowedHosts refuses requests for other hosts", "Set AllowedHosts to * in the configuration, and check hosts in a proxy.");

    private static FrontDoorObstacle? OfRates(RateLimiterOptions options) => options.GlobalLimiter is null
        ? null
        : new("RateLimiterOptions.GlobalLimiter limits every request",
            "Remove the global limiter and call RequireRateLimiting on a group of the other end points.");

    private static FrontDoorObstacle? OfCors(ICorsPolicyProvider? provider, CorsOptions options)
        => (provider is null || Framework.Owns(provider)) && options.GetPolicy(options.DefaultPolicyName) is null
            ? null
            : new("a default CORS policy adds headers to every response", "Give the policy a name and call RequireCors on the other end points.");

    private static FrontDoorObstacle? OfRedirection(IEnumerable<IConfigureOptions<HttpsRedirectionOptions>> options) => options.Any()
        ? new("AddHttpsRedirection redirects requests in cleartext", "Use the front door on TLS end points only, or remove AddHttpsRedirection.",
            IsCleartextAlone: true)
        : null;
}
