namespace Ioxide.Files.Tests;

/// <summary>What the board and the alert rules of <c>deploy</c> ask of static files is what is measured.</summary>
public sealed class FilesMetricsTests
{
    [Fact]
    public async Task BoardAndAlertsAskOnlyForWhatIsMeasured()
    {
        using var folder = new TestFolder();
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup { Folder = folder.Path });
        string[] asked = GrafanaBoard.MetricsOf("ioxide_files_");

        Assert.True(asked.Length >= 5, $"{asked.Length} metrics");
        Assert.Empty(asked.Except(GrafanaBoard.NamesOf("Ioxide.Files")));
    }
}
