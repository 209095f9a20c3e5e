using System.Text.Json;

namespace Ioxide.Pg.Tests;

/// <summary>A console program that references the package alone.</summary>
/// <remarks>Takes up to 11 s: each test starts processes.</remarks>
[Once]
public class ConsoleProgramTests
{
    private static string Program { get; } = HostProcess.PathOf("Ioxide.PgConsole");

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
    [Theory, Each(
        $"SSL Mode=Disable;Username={PgUsers.Trust}", $"SSL Mode=Require;Host=localhost;Username={PgUsers.Scram};Password=\"{PgUsers.Password}\"")]
    public async Task AHundredCallersAtOnceInAFreshProcessAreAnswered(string means)
        => Assert.Equal("answered 100 callers", await RunAsync(means, "burst"));

    /// <summary>A handshake whose thread is preempted in the middle of an await of its own must not wait for the pool either.</summary>
    [Fact]
    public async Task SessionsOverTlsOpenWhileNoThreadOfThePoolIsFree()
        => Assert.Equal("opened 200", await RunAsync(
            $"Pooling=false;SSL Mode=Require;Username={PgUsers.Scram};Password=\"{PgUsers.Password}\"", "opens"));

    private static async Task<string> RunAsync(string means = $"SSL Mode=Disable;Username={PgUsers.Trust}", params string[] arguments)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string text = $"Host={server.EndPoint.Address};Port={server.Port};Database=postgres;Maximum Pool Size=20;{means}";
        (int status, string output, string error) = await Tool.TryRunAsync(["dotnet", Program, text, .. arguments], limit: 60.Seconds());
        Assert.Equal((0, ""), (status, error));
        return output.Trim();
    }
}
