using System.Reflection;
using Microsoft.AspNetCore.Connections.Features;

namespace Ioxide.Tls;

/// <summary>
/// What Kestrel knows and counts of a connection beyond its features: the instruments of handshakes, and why the connection ended.
/// </summary>
/// <remarks>
/// They are internal to Kestrel. Where a version of it keeps them differently, nothing is fed, and an end counts as an orderly one.
/// Threads: any.
/// </remarks>
internal sealed class KestrelTelemetry
{
    private const string Assembly = "Microsoft.AspNetCore.Server.Kestrel.Core";
    private const string Space = "Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Infrastructure";
    private const string MetricsType = $"{Space}.KestrelMetrics, {Assembly}";
    private const string AccountType = $"{Space}.ConnectionMetricsContext, {Assembly}";
    private const string FeatureType = $"{Space}.IConnectionMetricsContextFeature, {Assembly}";

    private static readonly Type? s_feature = Type.GetType(FeatureType);
    private static readonly PropertyInfo? s_reason = Type.GetType(AccountType)?.GetProperty("ConnectionEndReason");

    // Where Ioxide.Http2, which keeps no account, says that it has ended the connection with an error.
    private const string Http2Error = "ioxide.http2.error";

    // Ends of HTTP/2 that are no error, by Kestrel's names.
    private static readonly HashSet<string> s_orderly =
        ["Unset", "ClientGoAway", "TransportCompleted", "GracefulAppShutdown", "KeepAliveTimeout", "ConnectionReset"];

    // Ends of HTTP/1 in which an answer may not be whole.
    private static readonly HashSet<string> s_brokenOff =
    [
        "ErrorAfterStartingResponse", "ResponseContentLengthMismatch", "AbortedByApp", "MinResponseDataRate", "WriteCanceled",
        "OutputQueueSizeExceeded", "AppShutdownTimeout", "IOError", "OtherError",
    ];

    private readonly object? _metrics;

    internal KestrelTelemetry(IServiceProvider services)
        => _metrics = Type.GetType(MetricsType) is { } type ? services.GetService(type) : null;

    /// <summary>A handshake begins. Returns Kestrel's account of the connection; null where it keeps none.</summary>
    internal object? Start(ConnectionContext context)
    {
        try
        {
            object? account = AccountOf(context);
            if (account is not null && _metrics is not null)
            {
                CountStart(_metrics, account);
            }

            return account;
        }
        catch (Exception exception) when (exception is MissingMemberException or TypeLoadException)
        {
            return null;
        }
    }

    /// <summary>It has ended, in a version or with an error.</summary>
    internal void Stop(ConnectionContext context, object? account, long started, SslProtocols? protocol, Exception? error)
    {
        if (context.Features.Get<IConnectionMetricsTagsFeature>() is { } connection)
        {
            connection.Tags.Add(protocol is { } agreed
                ? new("tls.protocol.version", agreed == SslProtocols.Tls13 ? "1.3" : "1.2")
                : new("error.type", "tls_handshake_failed"));
        }

        if (account is not null && _metrics is not null)
        {
            CountStop(_metrics, account, started, Stopwatch.GetTimestamp(), protocol, error);
        }
    }

    /// <summary>
    /// Whether the connection has ended in the middle of an answer, or with an error of HTTP/2. Then the client must not take the end for an
    /// answer's.
    /// </summary>
    internal static bool IsBrokenOff(ConnectionContext context, SslApplicationProtocol protocol)
    {
        bool isHttp2 = protocol == SslApplicationProtocol.Http2;
        try
        {
            return (isHttp2 && context.Items.ContainsKey(Http2Error))
                || (AccountOf(context) is { } account && s_reason?.GetValue(account)?.ToString() is { } reason
                    && (isHttp2 ? !s_orderly.Contains(reason) : s_brokenOff.Contains(reason)));
        }
        catch (Exception exception) when (exception is MissingMemberException or TypeLoadException)
        {
            return false;
        }
    }

    private static object? AccountOf(ConnectionContext context)
        => s_feature is not null && context.Features[s_feature] is { } feature ? GetAccount(feature) : null;

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_MetricsContext")]
    [return: UnsafeAccessorType(AccountType)]
    private static extern object GetAccount([UnsafeAccessorType(FeatureType)] object feature);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "TlsHandshakeStart")]
    private static extern void CountStart([UnsafeAccessorType(MetricsType)] object metrics, [UnsafeAccessorType(AccountType)] object account);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "TlsHandshakeStop")]
    private static extern void CountStop(
        [UnsafeAccessorType(MetricsType)] object metrics, [UnsafeAccessorType(AccountType)] object account, long started, long now,
        SslProtocols? protocol, Exception? error);
}
