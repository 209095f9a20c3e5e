using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Text.RegularExpressions;

namespace Ioxide.LoadKit;

/// <summary>
/// One run of <c>tests/Load/Host</c>: its commands, and what the kernel tells of it. Disposing it asks it to stop, and fails where it did not
/// end with 0 or reported a fault of the runtime. It also ends with this process, because its standard input does.
/// </summary>
internal sealed partial class ServerProcess : IAsyncDisposable
{
    private static readonly string[] s_faults = ["threw an exception that was not awaited", "has ended because of an exception", "unhandled exception"];
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(20);

    private int _lastNumber;
    private bool _isKilled;
    private bool _isDisposed;

    private ServerProcess(HostProcess process, long startedAt) => (Process, StartedAt) = (process, startedAt);

    /// <summary>What it printed, its signals, and what the kernel tells of it.</summary>
    internal HostProcess Process { get; }

    internal IReadOnlyList<IPEndPoint> EndPoints { get; private set; } = [];

    internal IPEndPoint EndPoint => EndPoints[0];

    internal long StartedAt { get; }

    /// <summary>Starts one and waits until it serves.</summary>
    /// <param name="arguments">See the server's <c>Program.cs</c>.</param>
    internal static Task<ServerProcess> StartAsync(params string[] arguments) => StartAsync(maxOpenFiles: 0, arguments);

    /// <summary>Starts one that may have only so many descriptors, and waits until it serves.</summary>
    internal static async Task<ServerProcess> StartAsync(int maxOpenFiles, string[] arguments, params (string Name, string? Value)[] variables)
    {
        long startedAt = Stopwatch.GetTimestamp();
        string[] under = maxOpenFiles == 0 ? [] : HostProcess.UnderOpenFiles(maxOpenFiles);
        var process = HostProcess.Start("Ioxide.LoadServer", [.. arguments, $"--Ioxide:Kernel={TestKernel.Choice}"], under, variables: variables);
        try
        {
            // It names every address before.
            await process.MatchesAsync(Ready());
            Match[] addresses = await process.MatchesAsync(Listening());
            return new(process, startedAt) { EndPoints = [.. addresses.Select(static match => IPEndPoint.Parse(match.Groups[1].Value))] };
        }
        catch
        {
            process.Kill();
            throw;
        }
    }

    /// <summary>Has it do something.</summary>
    /// <returns>What it answered.</returns>
    /// <exception cref="TimeoutException">It did not answer.</exception>
    /// <exception cref="InvalidOperationException">It failed.</exception>
    internal async Task<string> CommandAsync(string command)
    {
        string number = Interlocked.Increment(ref _lastNumber).ToString(CultureInfo.InvariantCulture);
        Process.WriteLine($"{number} {command}");
        Match[] answers = await Process.MatchesAsync(new Regex($"^{number} (.*)$"), patience: s_patience);
        string answer = answers[0].Groups[1].Value;
        return answer.StartsWith("failed: ", StringComparison.Ordinal) ? throw new InvalidOperationException($"{command} {answer}") : answer;
    }

    /// <summary>What it tells of itself, after a collection if asked for, and what it has open.</summary>
    internal async Task<HostStats> StatsAsync(bool collects = false)
        => HostStats.FromJson(await CommandAsync(collects ? "collect" : "stats")) with { Sockets = Process.OpenDescriptors().Count(Descriptors.IsOfReactors) };

    /// <summary>Asks until the answer is as expected; fails with the last answer.</summary>
    internal async Task<HostStats> StatsWhereAsync(Func<HostStats, bool> isExpected, TimeSpan limit, string what)
    {
        const int PauseMs = 20;
        long started = Environment.TickCount64;
        while (true)
        {
            HostStats stats = await StatsAsync();
            if (isExpected(stats))
            {
                return stats;
            }

            if (Environment.TickCount64 - started > Waits.Generous(limit).TotalMilliseconds)
            {
                throw new TimeoutException($"Not within {limit}: {what}. {stats}");
            }

            await Task.Delay(PauseMs);
        }
    }

    /// <summary>Waits until connections, operations, buffers and descriptors are what they were.</summary>
    internal Task AssertAtBaseAsync(HostStats start) => StatsWhereAsync(
        stats => (stats.Connections, stats.Operations, stats.BuffersTaken, stats.Sockets) == (start.Connections, start.Operations, 0, start.Sockets),
        s_patience,
        $"{start.Connections} connections, {start.Operations} operations, 0 buffers taken, {start.Sockets} sockets, rings and counters open");

    /// <summary>SIGKILL; returns when it is gone.</summary>
    internal Task KillAsync()
    {
        _isKilled = true;
        Process.Signal(Signals.Kill);
        return Process.ExitAsync();
    }

    public async ValueTask DisposeAsync()
    {
        if (_isDisposed)
        {
            return;
        }

        _isDisposed = true;
        try
        {
            if (!_isKilled)
            {
                int status = await Process.StopAsync();
                Require(status == 0, $"ended with {status}");
                Require(!Process.Lines.Any(IsFault), "reported a fault");
            }
        }
        finally
        {
            Process.Kill();
        }
    }

    private void Require(bool isGood, string what)
    {
        if (!isGood)
        {
            throw new InvalidOperationException($"The server {what}.\n{Process.Output}");
        }
    }

    /// <summary>
    /// A client's reset is none: Kestrel reports it as the application's exception where a read of the body learns of it before Kestrel does.
    /// </summary>
    private static bool IsFault(string line)
        => s_faults.Any(words => line.Contains(words, StringComparison.OrdinalIgnoreCase))
            && !line.Contains("ConnectionResetException", StringComparison.Ordinal);

    [GeneratedRegex("^ready$")]
    private static partial Regex Ready();

    [GeneratedRegex(@"^listening (\S+)$")]
    private static partial Regex Listening();
}
