using System.Diagnostics.Metrics;
using System.Reflection;
using System.Text.RegularExpressions;
using Microsoft.Extensions.Logging;

namespace Ioxide.AspNetCore.Tests;

/// <summary>docs/metrics.md has a row for each instrument of a host, with its kind and unit, and for each event of its log; what warns is in troubleshooting.md.</summary>
[Once]
public sealed partial class MetricsDocumentTests
{
    private static readonly string s_metrics = Read("docs/metrics.md");

    [Fact]
    public async Task EachInstrumentHasARowWithItsKindAndUnit()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        string[] found = [.. GrafanaBoard.InstrumentsOf(IoxideMetrics.MeterName, PlacementMetrics.MeterName).Select(static instrument =>
            $"{instrument.Name}: {(instrument is ObservableCounter<long> or ObservableCounter<double> ? "counter" : "up-down")}, `{instrument.Unit}`").Distinct()];

        string[] rows = [.. Rows().Matches(s_metrics).SelectMany(static row => Names().Matches(row.Groups[1].Value)
            .Select(name => $"{name.Groups[1].Value}: {row.Groups[2].Value}"))];
        Assert.True(found.Length >= 30);
        Assert.Equal(found.Order(StringComparer.Ordinal), rows.Where(static row => !row.StartsWith("ioxide.files.", StringComparison.Ordinal)).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void EachEventOfTheLogHasARow()
    {
        string troubleshooting = Read("docs/troubleshooting.md");
        LoggerMessageAttribute[] events = [.. typeof(TransportLog).GetMethods(BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.Public)
            .Select(static method => method.GetCustomAttribute<LoggerMessageAttribute>()).OfType<LoggerMessageAttribute>()];

        Assert.True(events.Length >= 25, $"{events.Length} events");
        Assert.All(events, each => Assert.True(
            (each.Level < LogLevel.Warning && HasRow(s_metrics, each.EventId)) || HasRow(troubleshooting, each.EventId), $"{each.EventId}: {each.Level}"));
    }

    private static bool HasRow(string document, int id) => Regex.IsMatch(document, $@"^\| {id}[ |]", RegexOptions.Multiline);

    private static string Read(string path) => File.ReadAllText(Path.Combine(Repository.Root, path));

    /// <summary>The names of a row, one or more, and its kind and unit.</summary>
    [GeneratedRegex(@"^\| (`ioxide\.[^|]+) \| ([a-z-]+, `[^`]+`) \|", RegexOptions.Multiline)]
    private static partial Regex Rows();

    [GeneratedRegex("`([^`]+)`")]
    private static partial Regex Names();
}
