namespace Ioxide.AspNetCore;

/// <summary>The instruments of meter <c>Ioxide.AspNetCore</c>, read from the registry's own counters. See docs/metrics.md.</summary>
internal sealed class PlacementMetrics : IDisposable
{
    internal const string MeterName = "Ioxide.AspNetCore";

    private const string State = "ioxide.endpoint.state";

    private static readonly PlacementState[] s_states = Enum.GetValues<PlacementState>();

    private readonly Meter _meter;
    private readonly PlacementRegistry _registry;

    internal PlacementMetrics(PlacementRegistry registry, IMeterFactory? factory)
    {
        _registry = registry;
        var options = new MeterOptions(MeterName);
        _meter = factory?.Create(options) ?? new Meter(options);
        _meter.CreateObservableUpDownCounter("ioxide.endpoint.count", ReadStates, "{endpoint}", "Endpoints by state.");
        _meter.CreateObservableCounter(
            "ioxide.endpoint.promotions", () => _registry.Promotions, "{promotion}", "Promotions: endpoints that moved to the reactor.");
        _meter.CreateObservableCounter(
            "ioxide.endpoint.demotions", () => _registry.Demotions, "{demotion}", "Demotions: endpoints that a stall moved back to the thread pool.");
    }

    public void Dispose() => _meter.Dispose();

    internal static string NameOf(PlacementState state) => state.ToString().ToLowerInvariant();

    private IEnumerable<Measurement<long>> ReadStates()
    {
        Dictionary<PlacementState, int> counts = _registry.Endpoints.CountBy(static placement => placement.State).ToDictionary();
        return s_states.Select(state => new Measurement<long>(
            counts.GetValueOrDefault(state), new KeyValuePair<string, object?>(State, NameOf(state))));
    }
}
