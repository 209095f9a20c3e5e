using System.Text.Json;
using System.Text.RegularExpressions;

namespace Ioxide.Pg.Tests;

/// <summary>A running <c>samples/Database</c> on a port that the kernel chose.</summary>
internal sealed partial class DatabaseSample : IAsyncDisposable
{
    private readonly HostProcess _process;

    private DatabaseSample(HostProcess process) => _process = process;

    internal HttpClient Client { get; } = new(new SocketsHttpHandler { UseProxy = false });

    /// <summary>Where its private server lives.</summary>
    internal string ServerFolder => Folder().Match(Log).Groups[1].Value;

    /// <summary>What it printed so far.</summary>
    internal string Log => _process.Output;

    internal long ResidentBytes() => _process.ResidentBytes();

    /// <summary>Starts it. The test is skipped where the server is not installed.</summary>
    /// <param name="database">A connection string; null and it starts a server of its own.</param>
    /// <param name="environment">More variables of its environment.</param>
    internal static Task<DatabaseSample> StartAsync(string? database = null, params (string Name, string Value)[] environment)
        => StartUnderAsync(null, database, environment);

    /// <inheritdoc cref="StartAsync"/>
    /// <param name="under">A command and its arguments that start it under other limits.</param>
    /// <param name="database">A connection string; null and it starts a server of its own.</param>
    /// <param name="environment">More variables of its environment.</param>
    internal static async Task<DatabaseSample> StartUnderAsync(string[]? under, string? database, params (string Name, string Value)[] environment)
    {
        Assert.SkipWhen(ServerBinaries.Installed is null, ServerBinaries.Missing ?? "");

        (string, string?)[] variables =
        [
            ("IOXIDE_DATABASE", database), ("Logging__LogLevel__Microsoft.Hosting.Lifetime", "Information"),
            .. environment.Select(static variable => (variable.Name, (string?)variable.Value)),
        ];
        var sample = new DatabaseSample(HostProcess.Start("Database", ["--urls", "http://127.0.0.1:0"], under, variables: variables));
        try
        {
            sample.Client.BaseAddress = await sample._process.ListeningAsync();
            return sample;
        }
        catch
        {
            await sample.DisposeAsync();
            throw;
        }
    }

    internal async Task<JsonDocument> GetJsonAsync(string path)
    {
        using HttpResponseMessage answer = await Client.GetAsync(path).Within(20.Seconds());
        string text = await answer.Content.ReadAsStringAsync().Within(20.Seconds());
        Assert.True(answer.IsSuccessStatusCode, $"{path}: {answer.StatusCode}: {text}\n{Log}");
        Assert.StartsWith("application/json", answer.Content.Headers.ContentType?.ToString(), StringComparison.Ordinal);
        return JsonDocument.Parse(text);
    }

    /// <summary>Ends it in order.</summary>
    /// <returns>Its exit status.</returns>
    internal Task<int> StopAsync() => _process.StopAsync();

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _process.DisposeAsync();
    }

    [GeneratedRegex(@"A private PostgreSQL was started in (\S+),")]
    private static partial Regex Folder();
}
