namespace Ioxide.Tls;

/// <summary>Internal state of Kestrel that <c>UseIoxideTlsForHttps</c> has to read.</summary>
/// <remarks>
/// With a version of Kestrel that stores it differently, these throw <see cref="MissingMemberException"/>. Tests replace this service by one that
/// does.
/// </remarks>
internal class KestrelInternals
{
    private static readonly SslStream s_notConnected = new(new MemoryStream());

    /// <summary>What <c>UseHttps</c> was given; null where it was not called, or was called with a callback.</summary>
    internal virtual HttpsConnectionAdapterOptions? HttpsOf(ListenOptions listen) => GetHttpsOptions(listen);

    /// <summary>
    /// The callback that <c>UseHttps</c> was given, or that stands for the <c>Sni</c> section of the configuration; null where there is none.
    /// </summary>
    internal virtual TlsHandshakeCallbackOptions? CallbackOf(ListenOptions listen) => GetCallbackOptions(listen);

    /// <summary>What Kestrel gives to such a callback. There is no SslStream on a ring: it gets one that is not connected.</summary>
    internal static TlsHandshakeCallbackContext MakeContext(
        ConnectionContext connection, SslClientHelloInfo hello, object? state, CancellationToken cancellationToken)
    {
        var context = new TlsHandshakeCallbackContext();
        SetConnection(context, connection);
        SetHello(context, hello);
        SetState(context, state);
        SetCancellationToken(context, cancellationToken);
        SetSslStream(context, s_notConnected);
        return context;
    }

    /// <summary>Whether <c>UseHttps</c> was called, with options or with a callback.</summary>
    internal virtual bool IsTls(ListenOptions listen) => GetIsTls(listen);

    /// <summary>What is done to each endpoint before its own configuration.</summary>
    internal virtual Action<ListenOptions> EndpointDefaultsOf(KestrelServerOptions kestrel) => GetEndpointDefaults(kestrel);

    /// <summary>The endpoints that code has added, in its order.</summary>
    internal virtual IReadOnlyList<ListenOptions> EndPointsInCode(KestrelServerOptions kestrel) => GetEndPointsInCode(kestrel);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_HttpsOptions")]
    private static extern HttpsConnectionAdapterOptions? GetHttpsOptions(ListenOptions listen);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_HttpsCallbackOptions")]
    private static extern TlsHandshakeCallbackOptions? GetCallbackOptions(ListenOptions listen);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "set_Connection")]
    private static extern void SetConnection(TlsHandshakeCallbackContext context, ConnectionContext connection);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "set_ClientHelloInfo")]
    private static extern void SetHello(TlsHandshakeCallbackContext context, SslClientHelloInfo hello);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "set_State")]
    private static extern void SetState(TlsHandshakeCallbackContext context, object? state);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "set_CancellationToken")]
    private static extern void SetCancellationToken(TlsHandshakeCallbackContext context, CancellationToken cancellationToken);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "set_SslStream")]
    private static extern void SetSslStream(TlsHandshakeCallbackContext context, SslStream stream);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_IsTls")]
    private static extern bool GetIsTls(ListenOptions listen);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_CodeBackedListenOptions")]
    private static extern List<ListenOptions> GetEndPointsInCode(KestrelServerOptions kestrel);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_EndpointDefaults")]
    private static extern Action<ListenOptions> GetEndpointDefaults(KestrelServerOptions kestrel);
}
