using System.Collections.Concurrent;

namespace Ioxide.AspNetCore;

/// <summary>
/// Requests and connections that ended while a dashboard was open, as the framework's own instruments tell of them:
/// <c>http.server.request.duration</c> and <c>kestrel.connection.duration</c>.
/// </summary>
/// <remarks>
/// Threads: any. A request costs a look at its seven attributes, one look-up and two adds, about 0.1 us; nothing is allocated after the first
/// request of a route. Without an open page it costs nothing.
/// </remarks>
internal sealed class RequestFigures
{
    /// <summary>One for each reactor and one for threads that are no reactor's.</summary>
    internal const int ThreadKinds = ReactorOptions.MaxReactorCount + 1;

    /// <summary>Pairs of method and route that are kept apart. Further ones count as one, <see cref="Others"/>.</summary>
    internal const int MaxRoutes = 64;

    internal const string Others = "(others)";

    private const int MaxErrorTypes = 32;

    // Two lines of the cache, which processors fetch together: each request writes its reactor's count, and no other core's line.
    private const int Stride = 128 / sizeof(long);

    private readonly long[] _counts = new long[ThreadKinds * Stride];
    private readonly ConcurrentDictionary<(string Method, string Route), RouteFigures> _routes = new();
    private readonly ConcurrentDictionary<string, EndCount> _connectionErrors = new(StringComparer.Ordinal);
    private readonly RouteFigures _others = new("", Others);
    private int _routeCount;
    private int _hasOthers;

    internal long Total => _counts.Sum();

    /// <summary>Requests that ended on a reactor.</summary>
    internal long this[int reactorId] => Volatile.Read(ref _counts[reactorId * Stride]);

    /// <summary>Each method and route of which a request ended.</summary>
    internal IEnumerable<RouteFigures> Routes
    {
        get
        {
            IEnumerable<RouteFigures> routes = _routes.Select(static pair => pair.Value);
            return Volatile.Read(ref _hasOthers) == 0 ? routes : routes.Append(_others);
        }
    }

    /// <summary>Connections that did not end in order, by Kestrel's word for the reason.</summary>
    internal IEnumerable<(string Type, long Count)> ConnectionErrors
        => _connectionErrors.Select(static pair => (pair.Key, Volatile.Read(ref pair.Value.Value)));

    /// <summary>A request ended. Source: OpenTelemetry's conventions for HTTP metrics, http.server.request.duration.</summary>
    internal void RequestEnded(double seconds, ReadOnlySpan<KeyValuePair<string, object?>> attributes)
    {
        string method = "";
        string route = "";
        int status = 0;
        bool hasThrown = false;
        foreach (KeyValuePair<string, object?> attribute in attributes)
        {
            switch (attribute.Key)
            {
                case "http.request.method":
                    method = attribute.Value as string ?? "";
                    break;
                case "http.route":
                    route = attribute.Value as string ?? "";
                    break;
                case "http.response.status_code":
                    status = attribute.Value is int code ? code : 0;
                    break;
                case "error.type":
                    // A status code of 500 and above is an error of its own name.
                    hasThrown = true;
                    break;
                default:
                    // Scheme and version of the protocol.
                    break;
            }
        }

        int threadKind = Reactor.Current?.Id ?? ReactorOptions.MaxReactorCount;
        Of(method, route).Add(threadKind, seconds, status, hasThrown);
        Interlocked.Increment(ref _counts[threadKind * Stride]);
    }

    /// <summary>A connection ended. Source: ASP.NET Core's metrics, kestrel.connection.duration.</summary>
    internal void ConnectionEnded(ReadOnlySpan<KeyValuePair<string, object?>> attributes)
    {
        foreach (KeyValuePair<string, object?> attribute in attributes)
        {
            if (attribute is { Key: "error.type", Value: string type }
                && (_connectionErrors.ContainsKey(type) || _connectionErrors.Count < MaxErrorTypes))
            {
                Interlocked.Increment(ref _connectionErrors.GetOrAdd(type, static _ => new EndCount()).Value);
            }
        }
    }

    private RouteFigures Of(string method, string route)
    {
        if (_routes.TryGetValue((method, route), out RouteFigures? known))
        {
            return known;
        }

        // Counted before it is added, so that threads that add at once keep to the bound.
        if (Volatile.Read(ref _routeCount) >= MaxRoutes || Interlocked.Increment(ref _routeCount) > MaxRoutes)
        {
            Volatile.Write(ref _hasOthers, 1);
            return _others;
        }

        var made = new RouteFigures(method, route);
        RouteFigures kept = _routes.GetOrAdd((method, route), made);
        if (!ReferenceEquals(kept, made))
        {
            Interlocked.Decrement(ref _routeCount);
        }

        return kept;
    }

    private sealed class EndCount
    {
        internal long Value;
    }
}
