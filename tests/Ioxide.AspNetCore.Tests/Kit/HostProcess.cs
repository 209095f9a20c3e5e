using System.Collections.Concurrent;
using System.Diagnostics;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// One run of <c>tests/Ioxide.BlockedHost</c>, which lies beside this project's output. Disposing it ends its standard
/// input, which it takes as the request to stop, and kills it where that does not help.
/// </summary>
internal sealed class HostProcess : IAsyncDisposable
{
    private readonly Process _process;
    private readonly ConcurrentQueue<string> _lines = new();
    private readonly TaskCompletionSource<Uri> _listening = Waits.Signal<Uri>();

    private HostProcess(string[] arguments)
    {
        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Name;
        string assembly = Path.GetFullPath(Path.Combine(
            AppContext.BaseDirectory, "../../Ioxide.BlockedHost", configuration, "Ioxide.BlockedHost.dll"));
        Assert.True(File.Exists(assembly), $"{assembly} was not built.");
        ProcessStartInfo start = new("dotnet", [assembly, .. arguments])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment["DOTNET_ENVIRONMENT"] = "Production";
        _process = new Process { StartInfo = start };
        _process.OutputDataReceived += (_, line) => Take(line.Data);
        _process.ErrorDataReceived += (_, line) => Take(line.Data);
        Assert.True(_process.Start());
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
    }

    /// <summary>What it printed so far, on either stream, a line each.</summary>
    internal IReadOnlyCollection<string> Lines => _lines;

    internal string Output => string.Join('\n', _lines);

    internal static HostProcess Start(params string[] arguments) => new(arguments);

    /// <summary>Whether a host printed a warning. A busy machine may stall a reactor, and that is no matter.</summary>
    internal static bool IsWarning(string line)
        => line.StartsWith("warn:", StringComparison.Ordinal) && !line.Contains("has been blocked", StringComparison.Ordinal);

    /// <summary>Where it serves.</summary>
    internal async Task<Uri> ListeningAsync()
    {
        Task exited = _process.WaitForExitAsync();
        if (await Task.WhenAny(_listening.Task, exited).Within(30.Seconds(), "the host is listening") == exited)
        {
            Assert.Fail($"The host ended with {_process.ExitCode} before it listened.\n{Output}");
        }

        return await _listening.Task;
    }

    /// <summary>Asks it to stop and gives its exit status.</summary>
    internal async Task<int> StopAsync()
    {
        _process.StandardInput.Close();
        return await ExitAsync();
    }

    /// <summary>Waits until it ends by itself and gives its exit status.</summary>
    internal async Task<int> ExitAsync()
    {
        await _process.WaitForExitAsync().Within(30.Seconds(), "the host has ended");
        return _process.ExitCode;
    }

    public async ValueTask DisposeAsync()
    {
        try
        {
            await StopAsync();
        }
        catch (TimeoutException)
        {
            _process.Kill();
            throw;
        }
        finally
        {
            _process.Dispose();
        }
    }

    private void Take(string? line)
    {
        if (line is null)
        {
            return;
        }

        _lines.Enqueue(line);
        if (line.StartsWith("listening ", StringComparison.Ordinal))
        {
            _listening.TrySetResult(new Uri(line["listening ".Length..]));
        }
    }
}
