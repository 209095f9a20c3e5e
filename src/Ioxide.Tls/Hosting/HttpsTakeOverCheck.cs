using Microsoft.Extensions.Options;

namespace Ioxide.Tls;

/// <summary>Notices where the application has replaced the defaults of <see cref="HttpsTakeOver"/>.</summary>
internal sealed class HttpsTakeOverCheck(IOptions<IoxideTlsOptions> options, KestrelInternals parts, ILoggerFactory loggers)
    : IPostConfigureOptions<KestrelServerOptions>
{
    public void PostConfigure(string? name, KestrelServerOptions kestrel)
    {
        try
        {
            if (HttpsTakeOver.IsIn(parts.EndpointDefaultsOf(kestrel)))
            {
                return;
            }
        }
        catch (MissingMemberException)
        {
            // HttpsTakeOver has refused or logged that.
            return;
        }

        if (options.Value.RequiresKernel)
        {
            throw new InvalidOperationException(
                "ConfigureEndpointDefaults was called after UseIoxideTlsForHttps, and Kestrel keeps only the last call: HTTPS would be served "
                + "without kernel TLS, and KernelOffload is Require. Call UseIoxideTlsForHttps after it, or UseIoxideTls on each HTTPS end point.");
        }

        TlsLog.Replaced(loggers.CreateLogger<TlsServer>());
    }
}
