using System.Collections.Concurrent;
using System.Diagnostics;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// One run of <c>tests/Ioxide.BlockedHost</c> as a user without rights, under a limit of locked memory. Disposing it asks it
/// to stop, and kills it where that does not help.
/// </summary>
internal sealed class LimitedHost : IAsyncDisposable
{
    private static readonly TimeSpan s_limit = 60.Seconds();

    private readonly Process _process;
    private readonly ConcurrentQueue<string> _lines = new();
    private readonly TaskCompletionSource<Uri> _listening = Waits.Signal<Uri>();

    private LimitedHost(ProcessStartInfo start)
    {
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

    /// <param name="lockedBytes">RLIMIT_MEMLOCK of the process, soft and hard.</param>
    /// <param name="settings">Options of the transport, such as <c>SqEntries=64</c>.</param>
    /// <param name="arguments">What the host takes.</param>
    internal static LimitedHost Start(long lockedBytes, string[] settings, params string[] arguments)
        => StartAs(UserWith(lockedBytes), settings, arguments);

    /// <summary>A user of its own with a limit; hosts that are started as the same share what it allows.</summary>
    internal static string[] UserWith(long lockedBytes)
    {
        Assert.SkipWhen(UnusedUser.Obstacle() is not null, UnusedUser.Obstacle() ?? "");
        return UnusedUser.UnderLockedMemory(lockedBytes);
    }

    /// <param name="user">What <see cref="UserWith"/> returned.</param>
    /// <param name="settings">Options of the transport.</param>
    /// <param name="arguments">What the host takes.</param>
    internal static LimitedHost StartAs(string[] user, string[] settings, params string[] arguments)
    {
        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Name;
        string folder = Path.GetFullPath(Path.Combine(AppContext.BaseDirectory, "../../Ioxide.BlockedHost", configuration));
        string assembly = Path.Combine(folder, "Ioxide.BlockedHost.dll");
        Assert.True(File.Exists(assembly), $"{assembly} was not built.");
        string[] command = [.. user, "dotnet", assembly, .. arguments];
        ProcessStartInfo start = new(command[0], command[1..])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = folder,
        };
        start.Environment["DOTNET_ENVIRONMENT"] = "Production";
        start.Environment["DOTNET_hostBuilder__reloadConfigOnChange"] = "false";
        start.Environment["DOTNET_DbgEnableMiniDump"] = "0";
        foreach (string setting in settings)
        {
            string[] parts = setting.Split('=');
            start.Environment[$"Ioxide__{parts[0]}"] = parts[1];
        }

        return new(start);
    }

    /// <summary>The transport that answered a request; all within five seconds.</summary>
    internal Task<string> TransportAsync() => AskAsync().Within(s_limit, "the host has answered");

    /// <summary>Asks it to stop and gives its exit status.</summary>
    internal async Task<int> StopAsync()
    {
        _process.StandardInput.Close();
        return await ExitAsync();
    }

    /// <summary>Waits until it ends by itself and gives its exit status.</summary>
    internal async Task<int> ExitAsync()
    {
        await _process.WaitForExitAsync().Within(s_limit, "the host has ended");
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

    private async Task<string> AskAsync()
    {
        Task exited = _process.WaitForExitAsync();
        if (await Task.WhenAny(_listening.Task, exited) == exited)
        {
            Assert.Fail($"The host ended with {_process.ExitCode} before it listened.\n{Output}");
        }

        using HttpClient client = new() { BaseAddress = await _listening.Task };
        return await client.GetStringAsync(new Uri("/", UriKind.Relative));
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
