using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Ioxide.Files.Tests;

/// <summary>Signs no user in, so that whatever asks for one answers 401.</summary>
internal sealed class Anonymous(IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory loggers, UrlEncoder encoder)
    : AuthenticationHandler<AuthenticationSchemeOptions>(options, loggers, encoder)
{
    protected override Task<AuthenticateResult> HandleAuthenticateAsync() => Task.FromResult(AuthenticateResult.NoResult());
}
