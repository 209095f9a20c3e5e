using Microsoft.Extensions.Options;

namespace Ioxide.Tls;

/// <summary>Reads each end point's HTTPS options before all of its middleware.</summary>
internal sealed class HttpsTakeOver(IOptions<IoxideTlsOptions> options, KestrelInternals parts, ILoggerFactory loggers)
    : IConfigureOptions<KestrelServerOptions>
{
    private const string Remedy = "Call UseIoxideTls with these options on each HTTPS end point.";

    private readonly ILogger _logger = loggers.CreateLogger<TlsServer>();
    private bool _isLogged;

    public void Configure(KestrelServerOptions kestrel)
    {
        Action<ListenOptions>? before = null;
        try
        {
            before = parts.EndpointDefaultsOf(kestrel);
        }
        catch (MissingMemberException exception)
        {
            ThrowOrLog(exception);
        }

        kestrel.ConfigureEndpointDefaults(new Defaults(this, before).Apply);
    }

    /// <summary>Whether Kestrel's defaults are those that this has set.</summary>
    internal static bool IsIn(Action<ListenOptions> defaults) => defaults.Target is Defaults;

    private void TakeOver(ListenOptions listen)
    {
        var endPoint = new HttpsEndPoint(listen, () => ReadHttps(listen), options.Value);
        listen.Use(next => EndPointsWithOwnTls.IsOn(listen) ? next : endPoint.Build(next));
    }

    /// <summary>What <c>UseHttps</c> was given; null where it was not called, and where SslStream serves without any option being lost.</summary>
    /// <exception cref="InvalidOperationException">An option would be lost.</exception>
    private HttpsConnectionAdapterOptions? ReadHttps(ListenOptions listen)
    {
        try
        {
            HttpsConnectionAdapterOptions? https = parts.HttpsOf(listen);
            if (https is null && parts.IsTls(listen))
            {
                const string Reason = "its options come from a callback or from the Sni section of the configuration.";
                if (FallbackRule.NamesOfSet(options.Value) is { } names)
                {
                    throw new InvalidOperationException(
                        $"{listen}: SslStream would serve without {nameof(IoxideTlsOptions)}' {names}, because {Reason} Set the equivalent "
                        + "there, and set these options for the other end points only, with UseIoxideTls.");
                }

                TlsLog.FellBack(_logger, listen.ToString() ?? "", Reason);
            }

            return https;
        }
        catch (MissingMemberException exception)
        {
            ThrowOrLog(exception);
            return null;
        }
    }

    /// <summary>This version of Kestrel stores its options differently.</summary>
    private void ThrowOrLog(MissingMemberException exception)
    {
        string version = typeof(KestrelServerOptions).Assembly.GetName().Version?.ToString() ?? "";
        if (FallbackRule.NamesOfSet(options.Value) is { } names)
        {
            throw new InvalidOperationException(
                $"UseIoxideTlsForHttps cannot read what UseHttps was given, because this version of Kestrel ({version}) stores it differently: "
                + $"HTTPS would be served without {nameof(IoxideTlsOptions)}' {names}. {Remedy}",
                exception);
        }

        if (!_isLogged)
        {
            _isLogged = true;
            TlsLog.KestrelUnknown(_logger, version, exception);
        }
    }

    /// <summary>Applies the take-over and what the application has set before.</summary>
    private sealed class Defaults(HttpsTakeOver takeOver, Action<ListenOptions>? before)
    {
        internal void Apply(ListenOptions listen)
        {
            takeOver.TakeOver(listen);
            before?.Invoke(listen);
        }
    }
}
