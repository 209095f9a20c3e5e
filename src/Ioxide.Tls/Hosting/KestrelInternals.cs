namespace Ioxide.Tls;

/// <summary>Internal state of Kestrel that <c>UseIoxideTlsForHttps</c> has to read.</summary>
/// <remarks>
/// With a version of Kestrel that stores it differently, these throw <see cref="MissingMemberException"/>. Tests replace this service by one that
/// does.
/// </remarks>
internal class KestrelInternals
{
    /// <summary>What <c>UseHttps</c> was given; null where it was not called, or was called with a callback.</summary>
    internal virtual HttpsConnectionAdapterOptions? HttpsOf(ListenOptions listen) => GetHttpsOptions(listen);

    /// <summary>Whether <c>UseHttps</c> was called, with options or with a callback.</summary>
    internal virtual bool IsTls(ListenOptions listen) => GetIsTls(listen);

    /// <summary>What is done to each end point before its own configuration.</summary>
    internal virtual Action<ListenOptions> EndpointDefaultsOf(KestrelServerOptions kestrel) => GetEndpointDefaults(kestrel);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_HttpsOptions")]
    private static extern HttpsConnectionAdapterOptions? GetHttpsOptions(ListenOptions listen);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_IsTls")]
    private static extern bool GetIsTls(ListenOptions listen);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_EndpointDefaults")]
    private static extern Action<ListenOptions> GetEndpointDefaults(KestrelServerOptions kestrel);
}
