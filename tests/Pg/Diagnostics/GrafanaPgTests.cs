using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Ioxide.Pg.Tests;

/// <summary>What the board in <c>deploy/grafana-ioxide.json</c> asks of the database is what the driver measures.</summary>
public class GrafanaPgTests : PgTests
{
    [Fact]
    public async Task TheBoardAsksOnlyForWhatTheDriverMeasures()
    {
        var names = new ConcurrentBag<string>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, _) =>
        {
            if (instrument.Meter.Name == "Ioxide.Pg")
            {
                foreach (string name in GrafanaBoard.PrometheusNames(instrument))
                {
                    names.Add(name);
                }
            }
        };
        listener.Start();

        // It connects to nothing before its first command.
        Fixture.Own(PgDataSource.Create(PgDataSourceOptions.Parse("Host=127.0.0.1;Port=1;Username=none;Database=none;SSL Mode=Disable"), Fixture.Group));

        string[] asked = [.. GrafanaBoard.Metrics(GrafanaBoard.Read()).Where(static name =>
            name.StartsWith("db_", StringComparison.Ordinal) || name.StartsWith("ioxide_pg_", StringComparison.Ordinal))];

        Assert.True(asked.Length >= 6, $"{asked.Length} metrics");
        Assert.Empty(asked.Except(names));
    }
}
