namespace Ioxide.AspNetCore;

/// <summary>
/// Listens to the meters of what runs on the reactors (every meter <c>Ioxide.*</c>: database, TLS, files) and to the framework's durations of
/// requests and connections, as long as it lives. The transport depends on none of them, and what a library measures for exporters appears without
/// further code.
/// </summary>
/// <remarks>
/// Counters that are not observable start at 0 when this starts. The reactors themselves are read by <see cref="Reactor.Snapshot"/>.
/// Threads: measurements come on any; <see cref="Read"/> and what it fills belong to one.
/// </remarks>
internal sealed class MeterWatch : IDisposable
{
    private const string Prefix = "Ioxide.";
    private const string HostingMeter = "Microsoft.AspNetCore.Hosting";
    private const string RequestDuration = "http.server.request.duration";
    private const string ServerMeter = "Microsoft.AspNetCore.Server.Kestrel";
    private const string ConnectionDuration = "kestrel.connection.duration";

    private static readonly object s_connections = new();

    private readonly MeterListener _listener = new();
    private readonly Lock _lock = new();
    private readonly IMeterFactory? _factory;
    private InstrumentFigures[] _instruments = [];

    internal MeterWatch(IMeterFactory? factory)
    {
        _factory = factory;
        _listener.InstrumentPublished = OnPublished;
        _listener.MeasurementsCompleted = OnCompleted;
        _listener.SetMeasurementEventCallback<double>((_, value, tags, state) => Take(state, value, tags));
        _listener.SetMeasurementEventCallback<long>((_, value, tags, state) => Take(state, value, tags));
        _listener.SetMeasurementEventCallback<int>((_, value, tags, state) => Take(state, value, tags));
        _listener.Start();
    }

    internal RequestFigures Requests { get; } = new();

    internal IReadOnlyList<InstrumentFigures> Instruments => Volatile.Read(ref _instruments);

    /// <summary>Reads the observable instruments.</summary>
    /// <exception cref="AggregateException">Some threw; the others were read.</exception>
    internal void Read()
    {
        foreach (InstrumentFigures instrument in Instruments)
        {
            instrument.BeginReading();
        }

        _listener.RecordObservableInstruments();
    }

    public void Dispose() => _listener.Dispose();

    private void Take(object? state, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        if (state is InstrumentFigures instrument)
        {
            instrument.Take(value, tags);
        }
        else if (ReferenceEquals(state, s_connections))
        {
            Requests.ConnectionEnded(tags);
        }
        else
        {
            Requests.RequestEnded(value, tags);
        }
    }

    private void OnPublished(Instrument instrument, MeterListener listener)
    {
        // Meters of another host in the same process belong to that one's factory.
        if (instrument.Meter.Scope is { } scope && !ReferenceEquals(scope, _factory))
        {
            return;
        }

        if (instrument.Meter.Name == HostingMeter && instrument.Name == RequestDuration)
        {
            listener.EnableMeasurementEvents(instrument, Requests);
        }
        else if (instrument.Meter.Name == ServerMeter && instrument.Name == ConnectionDuration)
        {
            listener.EnableMeasurementEvents(instrument, s_connections);
        }
        else if (instrument.Meter.Name.StartsWith(Prefix, StringComparison.Ordinal) && InstrumentFigures.Of(instrument) is { } figures)
        {
            lock (_lock)
            {
                Volatile.Write(ref _instruments, [.. _instruments, figures]);
            }

            listener.EnableMeasurementEvents(instrument, figures);
        }
    }

    /// <summary>The instrument's meter was disposed.</summary>
    private void OnCompleted(Instrument instrument, object? state)
    {
        lock (_lock)
        {
            Volatile.Write(ref _instruments, [.. _instruments.Where(figures => !ReferenceEquals(figures, state))]);
        }
    }
}
