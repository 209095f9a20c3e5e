namespace Ioxide.AspNetCore;

/// <summary>
/// The instruments of meter <c>Ioxide.AspNetCore</c> that say what serves, and in which condition: for alerts. See docs/metrics.md.
/// </summary>
/// <remarks>
/// Each state is a series of its own, 1 where it holds and 0 where it does not, so that a rule can ask for how long. Source: OpenTelemetry's
/// conventions for hardware (<c>hw.status</c>), OpenMetrics' StateSet.
/// </remarks>
internal sealed class TransportMetrics : IDisposable
{
    private const string TransportName = "ioxide.transport.name";
    private const string ReactorId = "ioxide.reactor.id";
    private const string Condition = "ioxide.reactor.condition";

    private static readonly string[] s_transports = ["io_uring", "epoll", "sockets"];
    private static readonly ReactorCondition[] s_conditions = Enum.GetValues<ReactorCondition>();

    private readonly ReactorFleet _fleet;
    private readonly Meter _meter;

    internal TransportMetrics(ReactorFleet fleet, IMeterFactory? factory)
    {
        _fleet = fleet;
        var options = new MeterOptions(PlacementMetrics.MeterName);
        _meter = factory?.Create(options) ?? new Meter(options);
        _meter.CreateObservableUpDownCounter(
            "ioxide.transport.status", ReadTransports, "{transport}", "1 for the transport that serves the endpoints, 0 for the others.");
        _meter.CreateObservableUpDownCounter(
            "ioxide.reactor.status", ReadReactors, "{reactor}", "1 for the condition that a reactor is in, 0 for the others.");
    }

    public void Dispose() => _meter.Dispose();

    /// <summary>The name of a condition, for the dashboard and for exporters.</summary>
    internal static string NameOf(ReactorCondition condition) => condition switch
    {
        ReactorCondition.AcceptPaused => "paused",
        ReactorCondition.ShortOfProcessor => "short",
        _ => condition.ToString().ToLowerInvariant(),
    };

    private IEnumerable<Measurement<long>> ReadTransports()
    {
        string serving = TransportInUse.Of(_fleet).Name;
        return s_transports.Select(name => new Measurement<long>(
            name == serving ? 1 : 0, new KeyValuePair<string, object?>(TransportName, name)));
    }

    private IEnumerable<Measurement<long>> ReadReactors()
    {
        foreach (Reactor reactor in TransportInUse.Of(_fleet).Group?.Reactors ?? [])
        {
            ReactorCondition current = reactor.Snapshot().Condition(reactor.Group.Options.StallThreshold);
            foreach (ReactorCondition condition in s_conditions)
            {
                yield return new Measurement<long>(
                    condition == current ? 1 : 0,
                    new KeyValuePair<string, object?>(ReactorId, reactor.Id),
                    new KeyValuePair<string, object?>(Condition, NameOf(condition)));
            }
        }
    }
}
