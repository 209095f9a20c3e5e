using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;

namespace Ioxide.TestKit;

/// <summary>The board and the alert rules of <c>deploy</c>, and what Prometheus calls an instrument.</summary>
internal static partial class GrafanaBoard
{
    internal static JsonNode Read() => JsonNode.Parse(File.ReadAllText(Path.Combine(Repository.Root, "deploy", "grafana-ioxide.json")))!;

    /// <summary>Each metric that a panel or a variable of the board asks for.</summary>
    internal static IReadOnlySet<string> Metrics(JsonNode board)
    {
        IEnumerable<string> queries = board["panels"]!.AsArray().SelectMany(static panel => panel!["targets"]?.AsArray() ?? [])
            .Select(static target => target!["expr"]!.GetValue<string>());
        IEnumerable<string> variables = board["templating"]!["list"]!.AsArray().Select(static variable => variable!["definition"]?.GetValue<string>() ?? "");
        return queries.Concat(variables).SelectMany(static text => Names().Matches(text)).Select(static match => match.Value).ToHashSet();
    }

    /// <summary>The text of <c>deploy/prometheus-rules.yml</c>.</summary>
    internal static string ReadRules() => File.ReadAllText(Path.Combine(Repository.Root, "deploy", "prometheus-rules.yml"));

    /// <summary>Each metric that the board or an alert rule asks for and whose name begins so.</summary>
    internal static string[] MetricsOf(params string[] prefixes)
    {
        IEnumerable<string> ofRules = Expressions().Matches(ReadRules())
            .SelectMany(static rule => RuleNames().Matches(Groupings().Replace(rule.Value, ""))).Select(static match => match.Value);
        return [.. Metrics(Read()).Concat(ofRules).Distinct().Where(name => prefixes.Any(prefix => name.StartsWith(prefix, StringComparison.Ordinal)))];
    }

    /// <summary>The names that the instruments of these meters have in Prometheus, as far as they exist.</summary>
    internal static string[] NamesOf(params string[] meters) => [.. InstrumentsOf(meters).SelectMany(PrometheusNames)];

    /// <summary>The instruments of these meters that exist now, also those of other hosts of the process.</summary>
    internal static Instrument[] InstrumentsOf(params string[] meters)
    {
        // Others may publish theirs meanwhile, on their own threads.
        ConcurrentBag<Instrument> found = [];
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, _) =>
        {
            if (meters.Contains(instrument.Meter.Name))
            {
                found.Add(instrument);
            }
        };
        listener.Start();
        return [.. found];
    }

    /// <summary>
    /// What an instrument's series are called. Source: OpenTelemetry's "Prometheus and OpenMetrics Compatibility", as exporters follow it: dots are
    /// underscores, the unit is spelled out unless it is in braces, a counter ends in <c>_total</c>, a histogram has three series.
    /// </summary>
    internal static IEnumerable<string> PrometheusNames(Instrument instrument)
    {
        string unit = instrument.Unit switch
        {
            "s" => "_seconds",
            "By" => "_bytes",
            null or "" => "",
            ['{', ..] => "",
            _ => throw new NotSupportedException($"{instrument.Name}: {instrument.Unit}"),
        };
        string name = instrument.Name.Replace('.', '_') + unit;
        return instrument switch
        {
            Histogram<double> or Histogram<long> or Histogram<int> => [$"{name}_bucket", $"{name}_count", $"{name}_sum"],
            Counter<long> or Counter<int> or Counter<double> or ObservableCounter<long> or ObservableCounter<int> or ObservableCounter<double> => [$"{name}_total"],
            _ => [name],
        };
    }

    /// <summary>A name before its selector, or the one of which a variable takes the values of a label.</summary>
    [GeneratedRegex(@"[a-zA-Z_:][a-zA-Z0-9_:]*(?=\{)|(?<=label_values\()[a-zA-Z_:][a-zA-Z0-9_:]*(?=,)")]
    private static partial Regex Names();

    [GeneratedRegex("(?<=expr: ).*")]
    private static partial Regex Expressions();

    /// <summary>Labels: what is grouped by, and selectors.</summary>
    [GeneratedRegex(@"by \([^)]*\)|\{[^}]*\}")]
    private static partial Regex Groupings();

    [GeneratedRegex("[a-z]+_[a-z_]+(?![a-z_(])")]
    private static partial Regex RuleNames();
}
