using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Http2;

/// <summary>Internal state of Kestrel that <c>UseIoxideHttp2</c> needs: its endpoints, and the order of their middleware.</summary>
/// <remarks>
/// With a version of Kestrel that stores it differently, these throw <see cref="MissingMemberException"/>. Tests replace this service by one that
/// does.
/// </remarks>
internal class KestrelEndPoints
{
    private const string HttpsType = "Microsoft.AspNetCore.Server.Kestrel.Https.Internal.HttpsConnectionMiddleware, "
        + "Microsoft.AspNetCore.Server.Kestrel.Core";

    /// <summary>Calls back for each endpoint when it is configured but for its configuration section: now, or later when Kestrel makes it.</summary>
    internal virtual void ForEach(KestrelServerOptions kestrel, Action<ListenOptions> action)
    {
        GetFromCode(kestrel).ForEach(action);
        GetFromConfiguration(kestrel).ForEach(action);
        kestrel.ConfigureEndpointDefaults(GetDefaults(kestrel) + action);
    }

    /// <summary>Puts middleware behind all other that was added so far.</summary>
    internal static void PutLast(ListenOptions listen, Func<ConnectionDelegate, ConnectionDelegate> middleware)
    {
        GetMiddleware(listen).Remove(middleware);
        listen.Use(middleware);
    }

    /// <summary>Keeps Kestrel from warning that HTTP/2 is disabled where HTTP/1.1 is allowed in clear text.</summary>
    internal static void ServesHttp2InClear(ListenOptions listen)
    {
        if (listen.Protocols == HttpProtocols.Http1AndHttp2 && !IsTls(listen))
        {
            SetProtocolsAreExplicit(listen, false);
        }
    }

    /// <summary>Puts middleware directly in front of Kestrel's HTTP, behind Kestrel's HTTPS.</summary>
    /// <returns>The new pipeline; null where other middleware stands there.</returns>
    internal static ConnectionDelegate? PutBeforeHttp(ConnectionDelegate next, Func<ConnectionDelegate, ConnectionDelegate> middleware)
    {
        // A pipeline's HTTPS middleware was made for it alone.
        ref ConnectionDelegate http = ref next;
        while (IsOf(http, "HttpsConnectionMiddleware"))
        {
            http = ref GetNext(http.Target!);
        }

        if (!IsOf(http, "HttpConnectionMiddleware`1"))
        {
            return null;
        }

        http = middleware(http);
        return next;
    }

    /// <summary>
    /// Whether its connections will be on rings: Kestrel asks the last transport that was added first. Starts the reactors, as binding would.
    /// </summary>
    internal static bool IsOnRing(ListenOptions listen)
        => listen.ApplicationServices.GetServices<IConnectionListenerFactory>().Reverse().FirstOrDefault(
            factory => factory is not IConnectionListenerFactorySelector selector || selector.CanBind(listen.EndPoint)) is IRingListenerFactory;

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_IsTls")]
    internal static extern bool IsTls(ListenOptions listen);

    private static bool IsOf(ConnectionDelegate middleware, string name)
        => middleware.Target?.GetType() is { } type && type.Assembly == typeof(KestrelServerOptions).Assembly && type.Name == name;

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_CodeBackedListenOptions")]
    private static extern List<ListenOptions> GetFromCode(KestrelServerOptions kestrel);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_ConfigurationBackedListenOptions")]
    private static extern List<ListenOptions> GetFromConfiguration(KestrelServerOptions kestrel);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_EndpointDefaults")]
    private static extern Action<ListenOptions> GetDefaults(KestrelServerOptions kestrel);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_middleware")]
    private static extern ref List<Func<ConnectionDelegate, ConnectionDelegate>> GetMiddleware(ListenOptions listen);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "set_ProtocolsSetExplicitly")]
    private static extern void SetProtocolsAreExplicit(ListenOptions listen, bool value);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_next")]
    private static extern ref ConnectionDelegate GetNext([UnsafeAccessorType(HttpsType)] object https);
}
