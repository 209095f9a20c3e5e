using System.Security.Claims;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Signs in whom a header names.</summary>
internal sealed class HeaderHandler(IOptionsMonitor<HeaderOptions> options, ILoggerFactory loggers, UrlEncoder encoder)
    : AuthenticationHandler<HeaderOptions>(options, loggers, encoder)
{
    protected override Task<AuthenticateResult> HandleAuthenticateAsync()
    {
        if (Request.Headers["X-User"].ToString() is not { Length: > 0 } name)
        {
            return Task.FromResult(AuthenticateResult.NoResult());
        }

        var identity = new ClaimsIdentity([new Claim(ClaimTypes.Name, name)], Scheme.Name);
        return Task.FromResult(AuthenticateResult.Success(new AuthenticationTicket(new ClaimsPrincipal(identity), Scheme.Name)));
    }
}

/// <summary>The scheme has none.</summary>
internal sealed class HeaderOptions : AuthenticationSchemeOptions;
