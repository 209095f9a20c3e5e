using System.Text.Json;

namespace Ioxide.AspNetCore;

/// <summary>One row of the dashboard's endpoints: where it runs, and the requests that it answered.</summary>
internal sealed class EndpointFigures
{
    private readonly Placement? _placement;
    private readonly RouteFigures[] _routes;
    private readonly long[] _buckets = new long[LatencyBuckets.Count];
    private readonly long _requests;

    private EndpointFigures(Placement? placement, RouteFigures[] routes)
    {
        _placement = placement;
        _routes = routes;
        foreach (RouteFigures route in routes)
        {
            route.AddTo(_buckets);
        }

        _requests = _buckets.Sum();
    }

    private string Name => _placement switch
    {
        EndpointPlacement endpoint => endpoint.Label,
        null when _routes[0].Route.Length > 0 => $"{_routes[0].Method} {_routes[0].Route}".Trim(),
        _ => "",
    };

    /// <summary>What stalled a reactor first, then what is asked most.</summary>
    /// <param name="registry">Where endpoints run; null where they have no places to learn.</param>
    /// <param name="routes">What was asked.</param>
    internal static IOrderedEnumerable<EndpointFigures> Of(PlacementRegistry? registry, IEnumerable<RouteFigures> routes)
    {
        List<RouteFigures> left = [.. routes];
        List<EndpointFigures> rows = [];

        // What answers some methods takes theirs, before what answers every method takes the rest.
        foreach (EndpointPlacement endpoint in (registry?.Endpoints ?? []).OrderByDescending(static one => one.Methods.Count > 0))
        {
            rows.Add(new EndpointFigures(endpoint, Taken(left, route => route.Route.Length > 0 && route.Route == endpoint.Route
                && (endpoint.Methods.Count == 0 || endpoint.Methods.Contains(route.Method, StringComparer.OrdinalIgnoreCase)))));
        }

        // What no endpoint answered belongs to the pipeline.
        RouteFigures[] unmatched = Taken(left, static route => route.Route.Length == 0);
        if (registry is not null || unmatched.Length > 0)
        {
            rows.Add(new EndpointFigures(registry?.Pipeline, unmatched));
        }

        rows.AddRange(left.Select(static route => new EndpointFigures(null, [route])));
        return rows.OrderByDescending(static row => row._placement?.Demotions ?? 0)
            .ThenByDescending(static row => row._requests)
            .ThenByDescending(static row => row._placement?.State);
    }

    internal void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("name", Name);
        json.WriteNumber("requests", _requests);
        json.WriteNumber("clientErrors", _routes.Sum(static route => route.ClientErrors));
        json.WriteNumber("serverErrors", _routes.Sum(static route => route.ServerErrors));
        json.WriteNumber("aborted", _routes.Sum(static route => route.Aborted));
        json.WriteStartArray("latencyUs");
        for (int bucket = 0; bucket < _buckets.Length; bucket++)
        {
            if (_buckets[bucket] > 0)
            {
                json.WriteNumberValue(LatencyBuckets.End(bucket));
                json.WriteNumberValue(_buckets[bucket]);
            }
        }

        json.WriteEndArray();
        if (_placement is { } placement)
        {
            json.WriteString("state", PlacementMetrics.NameOf(placement.State));
            json.WriteNumber("demotions", placement.Demotions);
            json.WriteNumber("stalledMs", placement.StalledFor.TotalMilliseconds);
            json.WriteNumber("quickRuns", placement.QuickRuns);
            json.WriteNumber("neededRuns", placement.NeededRuns);
        }

        json.WriteEndObject();
    }

    private static RouteFigures[] Taken(List<RouteFigures> left, Func<RouteFigures, bool> isTaken)
    {
        RouteFigures[] taken = [.. left.Where(isTaken)];
        left.RemoveAll(taken.Contains);
        return taken;
    }
}
