using System.Collections.Concurrent;
using System.Diagnostics;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// One run of <c>tests/Ioxide.BlockedHost</c>, or of <c>samples/Hello</c>, which lie beside this project's output. Disposing it ends
/// its standard input, which the first takes as the request to stop, and kills it where that does not help.
/// </summary>
internal sealed class HostProcess : IAsyncDisposable
{
    private const string BlockedHost = "Ioxide.BlockedHost";

    // What the two programs write before an address.
    private static readonly string[] s_announcements = ["listening ", "      Now listening on: "];

    // A busy machine may hold up a reactor, an end point on it, or Kestrel's heartbeat.
    private static readonly string[] s_warningsOfABusyMachine =
        ["Ioxide.AspNetCore[1003]", "Ioxide.AspNetCore[1016]", "Ioxide.AspNetCore[1019]", "Microsoft.AspNetCore.Server.Kestrel[22]"];

    private readonly Process _process;
    private readonly ConcurrentQueue<string> _lines = new();
    private readonly TaskCompletionSource<Uri> _listening = Waits.Signal<Uri>();

    private HostProcess(string[] command, string program, string[] arguments)
    {
        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Name;
        string assembly = Path.GetFullPath(Path.Combine(
            AppContext.BaseDirectory, "../..", program, configuration, $"{program}.dll"));
        Assert.True(File.Exists(assembly), $"{assembly} was not built.");
        string[] line = [.. command, "dotnet", assembly, .. arguments];
        ProcessStartInfo start = new(line[0], line[1..])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment["DOTNET_ENVIRONMENT"] = "Production";

        // A host watches its settings by inotify, and does not start where that is refused.
        start.Environment["DOTNET_hostBuilder__reloadConfigOnChange"] = "false";
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

    internal static HostProcess Start(params string[] arguments) => new([], BlockedHost, arguments);

    /// <summary>The sample, on a free port. Only a signal stops it.</summary>
    internal static HostProcess StartHello() => new([], "Hello", ["--urls", "http://127.0.0.1:0"]);

    /// <summary>Sends a signal, by its name as kill(1) takes it.</summary>
    internal async Task SignalAsync(string signal)
    {
        using Process kill = Process.Start("kill", ["-s", signal, $"{_process.Id}"]);
        await kill.WaitForExitAsync().Within(30.Seconds());
        Assert.Equal(0, kill.ExitCode);
    }

    /// <param name="command">A command and its arguments that start it under other limits.</param>
    /// <param name="arguments">What the host takes.</param>
    internal static HostProcess StartUnder(string[] command, params string[] arguments) => new(command, BlockedHost, arguments);

    /// <summary>Descriptors that it has open.</summary>
    internal int CountDescriptors() => Directory.GetFileSystemEntries($"/proc/{_process.Id}/fd").Length;

    /// <summary>Whether a host printed a warning that is not a busy machine's doing.</summary>
    internal static bool IsWarning(string line)
        => line.StartsWith("warn:", StringComparison.Ordinal)
            && !s_warningsOfABusyMachine.Any(warning => line.Contains(warning, StringComparison.Ordinal));

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

    /// <summary>Every address that it serves, of which there are as many as said.</summary>
    internal async Task<IReadOnlyList<Uri>> ListeningAsync(int count)
    {
        _ = await ListeningAsync();
        await Waits.Eventually(() => Addresses().Count == count, 30.Seconds());
        return Addresses();
    }

    private List<Uri> Addresses()
        => [.. _lines.Select(AddressOf).OfType<Uri>()];

    private static Uri? AddressOf(string line)
        => s_announcements.FirstOrDefault(announcement => line.StartsWith(announcement, StringComparison.Ordinal)) is { } announced
            ? new Uri(line[announced.Length..])
            : null;

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
        if (AddressOf(line) is { } address)
        {
            _listening.TrySetResult(address);
        }
    }
}
