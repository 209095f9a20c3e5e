namespace Ioxide.AspNetCore;

/// <summary>What one instrument measured, by its attributes. A histogram is one count and one sum, without attributes.</summary>
/// <remarks>Threads: any.</remarks>
internal sealed class InstrumentFigures(Instrument instrument, string kind)
{
    internal const string Counter = "counter";
    internal const string Level = "level";
    internal const string Histogram = "histogram";

    /// <summary>Sets of attributes that are kept; what has more is cut off.</summary>
    internal const int MaxSeries = 64;

    private readonly Lock _lock = new();
    private readonly SortedDictionary<string, Series> _series = new(StringComparer.Ordinal);
    private readonly bool _isObservable = instrument.IsObservable;
    private long _reading;

    internal string Kind { get; } = kind;

    internal string Meter { get; } = instrument.Meter.Name;

    internal string Name { get; } = instrument.Name;

    internal string Description { get; } = instrument.Description ?? instrument.Name;

    internal string Unit { get; } = instrument.Unit ?? "";

    /// <summary>Null for an instrument that reports changes of a level: its earlier level is unknown.</summary>
    internal static InstrumentFigures? Of(Instrument instrument) => instrument switch
    {
        Counter<long> or Counter<int> or Counter<double>
            or ObservableCounter<long> or ObservableCounter<int> or ObservableCounter<double> => new(instrument, Counter),
        Histogram<long> or Histogram<int> or Histogram<double> => new(instrument, Histogram),
        { IsObservable: true } => new(instrument, Level),
        _ => null,
    };

    /// <summary>Starts a reading. Observable series that it does not report are gone.</summary>
    internal void BeginReading()
    {
        lock (_lock)
        {
            _reading++;
        }
    }

    internal void Take(double value, ReadOnlySpan<KeyValuePair<string, object?>> attributes)
    {
        string key = Kind == Histogram ? "" : Describe(attributes);
        lock (_lock)
        {
            if (!_series.TryGetValue(key, out Series? series))
            {
                if (_series.Count == MaxSeries)
                {
                    return;
                }

                _series[key] = series = new Series();
            }

            if (Kind == Histogram)
            {
                series.Value++;
                series.Sum += value;
            }
            else
            {
                // Measurements of one reading with the same attributes add up.
                series.Value = _isObservable && series.Reading != _reading ? value : series.Value + value;
            }

            series.Reading = _reading;
        }
    }

    internal IReadOnlyList<(string Attributes, double Value, double Sum)> Values()
    {
        lock (_lock)
        {
            return [.. _series.Where(series => !_isObservable || series.Value.Reading == _reading)
                .Select(static series => (series.Key, series.Value.Value, series.Value.Sum))];
        }
    }

    private static string Describe(ReadOnlySpan<KeyValuePair<string, object?>> attributes)
    {
        string text = "";
        foreach (KeyValuePair<string, object?> attribute in attributes)
        {
            text = text.Length == 0 ? $"{attribute.Value}" : $"{text}, {attribute.Value}";
        }

        return text;
    }

    private sealed class Series
    {
        internal double Value { get; set; }

        internal double Sum { get; set; }

        internal long Reading { get; set; }
    }
}
