namespace Ioxide.Pg.Tests;

/// <summary>What the board and the alert rules of <c>deploy</c> ask of the database is what the driver measures.</summary>
[Once]
public class GrafanaPgTests : PgTests
{
    [Fact]
    public async Task BoardAndAlertsAskOnlyForWhatTheDriverMeasures()
    {
        // It connects to nothing before its first command.
        Fixture.Own(PgDataSource.Create(PgDataSourceOptions.Parse("Host=127.0.0.1;Port=1;Username=none;Database=none;SSL Mode=Disable"), Fixture.Group));

        string[] asked = GrafanaBoard.MetricsOf("db_", "ioxide_pg_");

        Assert.True(asked.Length >= 6, $"{asked.Length} metrics");
        Assert.Empty(asked.Except(GrafanaBoard.NamesOf("Ioxide.Pg")));
    }
}
