using Microsoft.Extensions.Options;

namespace Ioxide.Tls;

/// <summary>Reads each endpoint's HTTPS options before all of its middleware, and notices where the application has replaced that.</summary>
internal sealed class HttpsTakeOver(IOptions<IoxideTlsOptions> options, KestrelInternals parts, ILoggerFactory loggers)
    : IConfigureOptions<KestrelServerOptions>, IPostConfigureOptions<KestrelServerOptions>
{
    private static readonly ConditionalWeakTable<ListenOptions, ListenOptions> s_taken = [];

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

    public void PostConfigure(string? name, KestrelServerOptions kestrel)
    {
        bool isReplaced;
        string early;
        try
        {
            isReplaced = parts.EndpointDefaultsOf(kestrel).Target is not Defaults;
            early = string.Join(", ", parts.EndPointsInCode(kestrel).Where(IsMissed));
        }
        catch (MissingMemberException)
        {
            // Configure has refused or logged that.
            return;
        }

        if (isReplaced)
        {
            ThrowIfRequired(
                "ConfigureEndpointDefaults was called after UseIoxideTlsForHttps, and Kestrel keeps only the last call",
                "Call UseIoxideTlsForHttps after it, or UseIoxideTls on each HTTPS endpoint.");
            TlsLog.Replaced(_logger);
        }
        else if (early.Length > 0)
        {
            // Kestrel gives its defaults to endpoints that are added later.
            ThrowIfRequired(
                $"{early}: added before UseIoxideTlsForHttps was called", "Call UseIoxideTlsForHttps before it, or UseIoxideTls on it.");
            TlsLog.AddedBefore(_logger, early);
        }
    }

    private void ThrowIfRequired(string cause, string remedy)
    {
        if (options.Value.RequiresKernel)
        {
            throw new InvalidOperationException(
                $"{cause}: HTTPS would be served without kernel TLS, and KernelOffload is Require. {remedy}");
        }
    }

    private bool IsMissed(ListenOptions listen) => parts.IsTls(listen) && !s_taken.TryGetValue(listen, out _) && !HttpsEndPoint.HasOwnOptions(listen);

    private void TakeOver(ListenOptions listen)
    {
        _ = s_taken.TryAdd(listen, listen);
        var endPoint = new HttpsEndPoint(listen, () => ReadHttps(listen), options.Value);
        listen.Use(next => HttpsEndPoint.HasOwnOptions(listen) ? next : endPoint.Build(next));
    }

    /// <summary>What <c>UseHttps</c> was given; null where it was not called, or cannot be read.</summary>
    /// <exception cref="InvalidOperationException">It cannot be read, and kernel TLS is required.</exception>
    private KestrelAuthentication? ReadHttps(ListenOptions listen)
    {
        try
        {
            return parts.HttpsOf(listen) is { } https ? new KestrelAuthentication(https, listen.Protocols)
                : parts.CallbackOf(listen) is { } callback ? new KestrelAuthentication(callback, listen.Protocols)
                : !parts.IsTls(listen) ? null
                : throw new MissingMemberException(nameof(ListenOptions), "HttpsOptions");
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
        if (options.Value.RequiresKernel)
        {
            throw new InvalidOperationException(
                $"UseIoxideTlsForHttps cannot read what UseHttps was given, because this version of Kestrel ({version}) stores it differently: "
                + "HTTPS would be served without kernel TLS, and KernelOffload is Require. Call UseIoxideTls on each HTTPS endpoint.",
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
