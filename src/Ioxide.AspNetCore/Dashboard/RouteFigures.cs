namespace Ioxide.AspNetCore;

/// <summary>Requests of one method and route that ended: how long they took, and how they went wrong.</summary>
/// <remarks>Threads: any. Each reactor counts in memory of its own.</remarks>
internal sealed class RouteFigures(string method, string route)
{
    private readonly LatencyBuckets?[] _byReactor = new LatencyBuckets?[RequestFigures.ThreadKinds];
    private long _clientErrors;
    private long _serverErrors;
    private long _aborted;

    /// <summary>As <c>http.request.method</c>.</summary>
    internal string Method { get; } = method;

    /// <summary>As <c>http.route</c>; empty for requests that no endpoint answered.</summary>
    internal string Route { get; } = route;

    /// <summary>Status codes 400 to 498.</summary>
    internal long ClientErrors => Volatile.Read(ref _clientErrors);

    /// <summary>Status codes of 500 and above, and handlers that threw after the response had begun.</summary>
    internal long ServerErrors => Volatile.Read(ref _serverErrors);

    /// <summary>Requests whose client left before the answer: status code 499.</summary>
    internal long Aborted => Volatile.Read(ref _aborted);

    internal void Add(int threadKind, double seconds, int status, bool hasThrown)
    {
        LatencyBuckets? buckets = Volatile.Read(ref _byReactor[threadKind]);
        if (buckets is null)
        {
            var made = new LatencyBuckets();
            buckets = Interlocked.CompareExchange(ref _byReactor[threadKind], made, null) ?? made;
        }

        buckets.Add(seconds);
        if (status == StatusCodes.Status499ClientClosedRequest)
        {
            Interlocked.Increment(ref _aborted);
        }
        else if (status >= 500 || hasThrown)
        {
            Interlocked.Increment(ref _serverErrors);
        }
        else if (status >= 400)
        {
            Interlocked.Increment(ref _clientErrors);
        }
    }

    /// <summary>Adds its counts to those of <paramref name="sums"/>, which has <see cref="LatencyBuckets.Count"/>.</summary>
    internal void AddTo(Span<long> sums)
    {
        for (int kind = 0; kind < _byReactor.Length; kind++)
        {
            if (Volatile.Read(ref _byReactor[kind]) is { } buckets)
            {
                for (int bucket = 0; bucket < sums.Length; bucket++)
                {
                    sums[bucket] += buckets[bucket];
                }
            }
        }
    }
}
