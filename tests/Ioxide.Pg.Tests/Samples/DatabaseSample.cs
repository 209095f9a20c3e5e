using System.Diagnostics;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Ioxide.Pg.Tests;

/// <summary>A running <c>samples/Database</c> on a port that the kernel chose.</summary>
internal sealed partial class DatabaseSample : IAsyncDisposable
{
    private readonly Process _process;
    private readonly StringBuilder _log = new();
    private readonly TaskCompletionSource<Uri> _address = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private DatabaseSample(Process process)
    {
        _process = process;
        process.OutputDataReceived += (_, line) => Take(line.Data);
        process.ErrorDataReceived += (_, line) => Take(line.Data);
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
    }

    internal HttpClient Client { get; } = new(new SocketsHttpHandler { UseProxy = false });

    /// <summary>Where its private server lives.</summary>
    internal string ServerFolder => Folder().Match(Log).Groups[1].Value;

    private string Log
    {
        get
        {
            lock (_log)
            {
                return _log.ToString();
            }
        }
    }

    internal int ProcessId => _process.Id;

    /// <summary>Starts it. The test is skipped where the server is not installed.</summary>
    /// <param name="database">A connection string; null and it starts a server of its own.</param>
    /// <param name="environment">More variables of its environment.</param>
    internal static async Task<DatabaseSample> StartAsync(string? database = null, params (string Name, string Value)[] environment)
    {
        Assert.SkipWhen(ServerBinaries.Installed is null, ServerBinaries.Missing ?? "");

        // The tests' build made it, in the folder beside theirs.
        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Name;
        string program = Path.GetFullPath(Path.Combine(AppContext.BaseDirectory, "../../Database", configuration, "Database.dll"));
        var start = new ProcessStartInfo("dotnet", [program, "--urls", "http://127.0.0.1:0"])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = Path.GetDirectoryName(program)!,
        };
        start.Environment.Remove("IOXIDE_DATABASE");
        if (database is not null)
        {
            start.Environment["IOXIDE_DATABASE"] = database;
        }

        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }

        start.Environment["Logging__LogLevel__Microsoft.Hosting.Lifetime"] = "Information";
        var sample = new DatabaseSample(Process.Start(start) ?? throw new InvalidOperationException("dotnet did not start."));
        try
        {
            sample.Client.BaseAddress = await sample._address.Task.Within(180.Seconds(), "the sample serves");
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
    internal async Task<int> StopAsync()
    {
        if (!_process.HasExited)
        {
            Libc.Kill(_process.Id, Terminate);
            await _process.WaitForExitAsync().Within(20.Seconds(), "the sample ends");
        }

        return _process.ExitCode;
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        Client.Dispose();
        _process.Dispose();
    }

    private const int Terminate = 15;

    private void Take(string? line)
    {
        if (line is null)
        {
            // The process ended.
            _address.TrySetException(new InvalidOperationException($"The sample ended:\n{Log}"));
            return;
        }

        lock (_log)
        {
            _log.AppendLine(line);
        }

        if (Address().Match(line) is { Success: true } match)
        {
            _address.TrySetResult(new Uri(match.Groups[1].Value));
        }
    }

    [GeneratedRegex(@"Now listening on: (http://\S+)")]
    private static partial Regex Address();

    [GeneratedRegex(@"A private PostgreSQL was started in (\S+),")]
    private static partial Regex Folder();
}
