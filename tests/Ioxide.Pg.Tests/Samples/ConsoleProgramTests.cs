using System.Diagnostics;
using System.Text.Json;

namespace Ioxide.Pg.Tests;

/// <summary>A console program that references the package alone.</summary>
public class ConsoleProgramTests
{
    // The tests' build made it, in the folder beside theirs.
    private static string Program { get; } = Path.GetFullPath(Path.Combine(
        AppContext.BaseDirectory, "../../Ioxide.PgConsole", new DirectoryInfo(AppContext.BaseDirectory).Name, "Ioxide.PgConsole.dll"));

    [Fact]
    public void ItNeedsNoFrameworkButTheRuntimes()
    {
        using JsonDocument file = JsonDocument.Parse(File.ReadAllText(Path.ChangeExtension(Program, ".runtimeconfig.json")));
        JsonElement options = file.RootElement.GetProperty("runtimeOptions");
        Assert.False(options.TryGetProperty("frameworks", out _));
        Assert.Equal("Microsoft.NETCore.App", options.GetProperty("framework").GetProperty("name").GetString());
    }

    [Fact]
    public async Task ItQueriesByAConnectionStringAndEnds() => Assert.Equal("answered by postgres", await RunAsync());

    /// <summary>Callers that hold every thread of the pool must not wait for a thread of the pool.</summary>
    [Theory]
    [InlineData($"SSL Mode=Disable;Username={PgUsers.Trust}")]
    [InlineData($"SSL Mode=Require;Host=localhost;Username={PgUsers.Scram};Password=\"{PgUsers.Password}\"")]
    public async Task AHundredCallersAtOnceInAFreshProcessAreAnswered(string means)
        => Assert.Equal("answered 100 callers", await RunAsync(means, "burst"));

    private static async Task<string> RunAsync(string means = $"SSL Mode=Disable;Username={PgUsers.Trust}", params string[] arguments)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string text = $"Host={server.EndPoint.Address};Port={server.Port};Database=postgres;Maximum Pool Size=20;{means}";
        var start = new ProcessStartInfo("dotnet", [Program, text, .. arguments]) { RedirectStandardOutput = true, RedirectStandardError = true };
        using Process process = Process.Start(start)!; // A new process.
        string output = await process.StandardOutput.ReadToEndAsync().Within(60.Seconds());
        string errors = await process.StandardError.ReadToEndAsync().Within(60.Seconds());
        await process.WaitForExitAsync().Within(60.Seconds());
        Assert.Equal((0, ""), (process.ExitCode, errors));
        return output.Trim();
    }
}
