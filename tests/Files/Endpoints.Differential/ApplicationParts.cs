using System.Globalization;
using System.Security.Claims;
using System.Text.Encodings.Web;
using System.Threading.RateLimiting;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Matching;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Ioxide.Files.Tests;

/// <summary>Signs in whoever <c>X-User</c> names.</summary>
internal sealed class NamedUserHandler(IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory loggers, UrlEncoder encoder)
    : AuthenticationHandler<AuthenticationSchemeOptions>(options, loggers, encoder)
{
    internal const string Name = "named";

    protected override Task<AuthenticateResult> HandleAuthenticateAsync()
        => Task.FromResult(Request.Headers["X-User"].ToString() is { Length: > 0 } name
            ? AuthenticateResult.Success(new AuthenticationTicket(
                new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Name, name)], Name)), Name))
            : AuthenticateResult.NoResult());
}

/// <summary>An application's own constraint: values of an odd length.</summary>
internal sealed class OddConstraint : IRouteConstraint
{
    public bool Match(HttpContext? httpContext, IRouter? route, string routeKey, RouteValueDictionary values, RouteDirection routeDirection)
        => Convert.ToString(values[routeKey], CultureInfo.InvariantCulture) is { Length: int length } && length % 2 == 1;
}

/// <summary>An application's own constraint that looks at more than the path: the request must have a query.</summary>
internal sealed class AskedConstraint : IRouteConstraint
{
    public bool Match(HttpContext? httpContext, IRouter? route, string routeKey, RouteValueDictionary values, RouteDirection routeDirection)
        => httpContext is { Request.QueryString.HasValue: true };
}

/// <summary>Whom an endpoint is for, to an application's own matcher policy.</summary>
internal sealed record Tenant(string Name);

/// <summary>An application's own matcher policy: endpoints for a tenant are for requests that name it.</summary>
internal sealed class TenantPolicy : MatcherPolicy, IEndpointSelectorPolicy
{
    public override int Order => 5;

    public bool AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints)
        => endpoints.Any(static endpoint => endpoint.Metadata.GetMetadata<Tenant>() is not null);

    public Task ApplyAsync(HttpContext httpContext, CandidateSet candidates)
    {
        for (int index = 0; index < candidates.Count; index++)
        {
            if (candidates.IsValidCandidate(index) && candidates[index].Endpoint.Metadata.GetMetadata<Tenant>() is { } tenant
                && httpContext.Request.Headers["X-Tenant"] != tenant.Name)
            {
                candidates.SetValidity(index, false);
            }
        }

        return Task.CompletedTask;
    }
}

/// <summary>Refuses each request, so that what a limit refuses does not depend on what was asked before.</summary>
internal sealed class RefusingLimiter : RateLimiter
{
    public override TimeSpan? IdleDuration => null;

    public override RateLimiterStatistics? GetStatistics() => null;

    protected override RateLimitLease AttemptAcquireCore(int permitCount) => new Refusal();

    protected override ValueTask<RateLimitLease> AcquireAsyncCore(int permitCount, CancellationToken cancellationToken)
        => ValueTask.FromResult<RateLimitLease>(new Refusal());

    private sealed class Refusal : RateLimitLease
    {
        public override bool IsAcquired => false;

        public override IEnumerable<string> MetadataNames => [];

        public override bool TryGetMetadata(string metadataName, out object? metadata)
        {
            metadata = null;
            return false;
        }
    }
}
