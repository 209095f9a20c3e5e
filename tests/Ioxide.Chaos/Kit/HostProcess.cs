using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Net;

namespace Ioxide.Chaos;

/// <summary>
/// One run of <c>tests/Ioxide.ChaosHost</c>, which lies beside this project's output. Disposing it asks it to stop, kills it
/// where that does not help, and fails where it did not end with 0 or reported a fault of the runtime. It also ends with this
/// process, because its standard input does.
/// </summary>
internal sealed class HostProcess : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly string[] s_faults = ["threw an exception that was not awaited", "has ended because of an exception", "unhandled exception"];

    private readonly Process _process;
    private readonly ConcurrentQueue<string> _lines = new();
    private readonly List<IPEndPoint> _endPoints = [];
    private readonly TaskCompletionSource _isReady = Waits.Signal();
    private Peer? _control;
    private bool _isKilled;
    private bool _isDisposed;

    private HostProcess(ProcessStartInfo start)
    {
        StartedAt = Stopwatch.GetTimestamp();
        _process = new Process { StartInfo = start };
        _process.OutputDataReceived += (_, line) => Take(line.Data);
        _process.ErrorDataReceived += (_, line) => Take(line.Data);
        Assert.True(_process.Start());
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
    }

    internal IReadOnlyList<IPEndPoint> EndPoints => _endPoints;

    internal IPEndPoint EndPoint => _endPoints[0];

    /// <summary>Everything that it printed so far, on either stream, a line each.</summary>
    internal IReadOnlyCollection<string> Lines => _lines;

    internal long StartedAt { get; }

    internal string Output => string.Join('\n', _lines);

    /// <summary>Starts one and waits until it serves.</summary>
    /// <param name="arguments">See the host's <c>Program.cs</c>.</param>
    internal static Task<HostProcess> StartAsync(params string[] arguments) => StartAsync(maxOpenFiles: 0, arguments);

    /// <inheritdoc cref="StartAsync(string[])"/>
    internal static Task<HostProcess> StartAsync(ServerKind kind, params string[] arguments)
        => StartAsync(maxOpenFiles: 0, kind == ServerKind.Raw ? [.. arguments, "--raw=true"] : arguments);

    /// <summary>Starts one that may have only so many descriptors, and waits until it serves.</summary>
    internal static async Task<HostProcess> StartAsync(int maxOpenFiles, string[] arguments)
    {
        HostProcess host = new(Describe(maxOpenFiles, arguments));
        try
        {
            Task exited = host._process.WaitForExitAsync();
            Task first = await Task.WhenAny(host._isReady.Task, exited).Within(s_patience, "the host is ready");
            Assert.True(first != exited, $"The host ended before it served.\n{host.Output}");
            return host;
        }
        catch
        {
            host.KillAtOnce();
            throw;
        }
    }

    /// <summary>Asks over a connection that is kept for it, and that counts as one in what it answers.</summary>
    internal HostStats Stats(bool collects = false)
    {
        _control ??= Peer.Connect(EndPoint);
        return HostStats.FromJson(_control.AskText(collects ? "/stats?collect=1" : "/stats"));
    }

    /// <summary>Asks until the answer is as expected; fails with the last answer.</summary>
    internal async Task<HostStats> StatsWhereAsync(Func<HostStats, bool> isExpected, TimeSpan limit, string what)
    {
        long started = Stopwatch.GetTimestamp();
        while (true)
        {
            HostStats stats = Stats();
            if (isExpected(stats))
            {
                return stats;
            }

            Assert.True(Stopwatch.GetElapsedTime(started) < limit, $"Not within {limit}: {what}. {stats}");
            await Task.Delay(10);
        }
    }

    /// <summary>Waits until connections, operations, buffers and descriptors are what they were.</summary>
    internal async Task AssertAtBaseAsync(HostStats start, int descriptors, TimeSpan limit)
    {
        await StatsWhereAsync(
            stats => stats.Connections == start.Connections && stats.Operations == start.Operations && stats.BuffersTaken == 0,
            limit,
            $"{start.Connections} connections, {start.Operations} operations, 0 buffers taken");
        await Waits.Eventually(() => OpenSockets() == descriptors, limit, $"{descriptors} sockets, rings and counters are open");
    }

    /// <summary>Sockets, rings and wake-up counters that it has open. What .NET opens for itself does not count.</summary>
    internal int OpenSockets() => Descriptors().Count(target
        => target.StartsWith("socket:", StringComparison.Ordinal)
            || target is "anon_inode:[io_uring]" or "anon_inode:[eventfd]");

    /// <summary>Processor time that it has used so far, user and system.</summary>
    internal TimeSpan ProcessorTime()
    {
        const int UserTimeIndex = 11; // Fields 14 and 15 of proc_pid_stat(5), behind the name, in hundredths of a second.
        string[] fields = StatFields();
        long hundredths = long.Parse(fields[UserTimeIndex], CultureInfo.InvariantCulture)
            + long.Parse(fields[UserTimeIndex + 1], CultureInfo.InvariantCulture);
        return TimeSpan.FromMilliseconds(hundredths * 10);
    }

    /// <summary>SIGSTOP; returns when it has stopped.</summary>
    internal Task FreezeAsync()
    {
        Signals.Send(_process.Id, Signals.Stop);
        return Waits.Eventually(() => StatFields()[0] == "T", 20.Seconds(), "the host is frozen");
    }

    /// <summary>SIGCONT.</summary>
    internal void Thaw() => Signals.Send(_process.Id, Signals.Continue);

    /// <summary>SIGTERM.</summary>
    internal void Terminate() => Signals.Send(_process.Id, Signals.Terminate);

    /// <summary>SIGKILL; returns when it is gone.</summary>
    internal async Task KillAsync()
    {
        _isKilled = true;
        Signals.Send(_process.Id, Signals.Kill);
        await _process.WaitForExitAsync().Within(s_patience, "the host is gone");
    }

    /// <summary>Waits until it has ended and gives its exit status.</summary>
    internal async Task<int> ExitAsync(TimeSpan limit)
    {
        await _process.WaitForExitAsync().Within(limit, $"the host has ended\n{Output}");
        return _process.ExitCode;
    }

    public async ValueTask DisposeAsync()
    {
        if (_isDisposed)
        {
            return;
        }

        _control?.Dispose();
        try
        {
            if (_isKilled)
            {
                return;
            }

            if (!_process.HasExited)
            {
                Terminate();
            }

            int status = await ExitAsync(s_patience);
            Assert.True(status == 0, $"The host ended with {status}.\n{Output}");
            string? fault = s_faults.FirstOrDefault(words => Output.Contains(words, StringComparison.OrdinalIgnoreCase));
            Assert.True(fault is null, $"The host reported \"{fault}\".\n{Output}");
        }
        finally
        {
            KillAtOnce();
        }
    }

    private static ProcessStartInfo Describe(int maxOpenFiles, string[] arguments)
    {
        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Name;
        string assembly = Path.GetFullPath(Path.Combine(
            AppContext.BaseDirectory, "../../Ioxide.ChaosHost", configuration, "Ioxide.ChaosHost.dll"));
        Assert.True(File.Exists(assembly), $"{assembly} was not built.");
        string[] command = maxOpenFiles == 0
            ? ["dotnet", assembly, .. arguments]
            : ["/bin/sh", "-c", "ulimit -n $0 && exec dotnet \"$@\"", $"{maxOpenFiles}", assembly, .. arguments];
        var start = new ProcessStartInfo(command[0], command[1..])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };

        // Tools that listen on a socket of their own would take descriptors from the few that there are.
        start.Environment["DOTNET_EnableDiagnostics"] = "0";
        start.Environment["DOTNET_ENVIRONMENT"] = "Production";
        return start;
    }

    private IEnumerable<string> Descriptors()
        => Directory.GetFiles($"/proc/{_process.Id}/fd").Select(TargetOf).Where(target => target.Length > 0);

    private static string TargetOf(string path)
    {
        try
        {
            return new FileInfo(path).LinkTarget ?? "";
        }
        catch (IOException)
        {
            // It was closed since the listing.
            return "";
        }
    }

    private string[] StatFields()
    {
        string stat = File.ReadAllText($"/proc/{_process.Id}/stat");
        return stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
    }

    private void KillAtOnce()
    {
        _isDisposed = true;
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        _process.Dispose();
    }

    private void Take(string? line)
    {
        const string Listening = "listening ";
        if (line is null)
        {
            return;
        }

        _lines.Enqueue(line);
        if (line.StartsWith(Listening, StringComparison.Ordinal))
        {
            _endPoints.Add(IPEndPoint.Parse(line[Listening.Length..]));
        }
        else if (line == "ready")
        {
            _isReady.TrySetResult();
        }
    }
}
