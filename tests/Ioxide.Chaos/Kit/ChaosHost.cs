using System.Diagnostics;
using System.Net;
using System.Text.RegularExpressions;

namespace Ioxide.Chaos;

/// <summary>
/// One run of <c>tests/Ioxide.ChaosHost</c>, and a connection to ask it about itself. Disposing it asks it to stop, and fails where it
/// did not end with 0 or reported a fault of the runtime. It also ends with this process, because its standard input does.
/// </summary>
internal sealed partial class ChaosHost : IAsyncDisposable
{
    private static readonly string[] s_faults = ["threw an exception that was not awaited", "has ended because of an exception", "unhandled exception"];

    private readonly HostProcess _process;
    private Peer? _control;
    private bool _isKilled;
    private bool _isDisposed;

    private ChaosHost(HostProcess process, long startedAt) => (_process, StartedAt) = (process, startedAt);

    internal IReadOnlyList<IPEndPoint> EndPoints { get; private set; } = [];

    internal IPEndPoint EndPoint => EndPoints[0];

    /// <summary>Everything that it printed so far, on either stream, a line each.</summary>
    internal IReadOnlyCollection<string> Lines => _process.Lines;

    internal long StartedAt { get; }

    internal string Output => _process.Output;

    /// <summary>Starts one and waits until it serves.</summary>
    /// <param name="arguments">See the host's <c>Program.cs</c>.</param>
    internal static Task<ChaosHost> StartAsync(params string[] arguments) => StartAsync(maxOpenFiles: 0, arguments);

    /// <inheritdoc cref="StartAsync(string[])"/>
    internal static Task<ChaosHost> StartAsync(ServerKind kind, params string[] arguments)
        => StartAsync(maxOpenFiles: 0, kind == ServerKind.Raw ? [.. arguments, "--raw=true"] : arguments);

    /// <summary>Starts one that may have only so many descriptors, and waits until it serves.</summary>
    internal static async Task<ChaosHost> StartAsync(int maxOpenFiles, string[] arguments)
    {
        long startedAt = Stopwatch.GetTimestamp();
        string[] under = maxOpenFiles == 0 ? [] : HostProcess.UnderOpenFiles(maxOpenFiles);
        ChaosHost host = new(HostProcess.Start("Ioxide.ChaosHost", arguments, under), startedAt);
        try
        {
            // It names every address before.
            await host._process.MatchesAsync(Ready());
            host.EndPoints = [.. (await host._process.MatchesAsync(Listening())).Select(static match => IPEndPoint.Parse(match.Groups[1].Value))];
            return host;
        }
        catch
        {
            host._process.Kill();
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
        HostStats stats = Stats();
        try
        {
            await Waits.Eventually(() => isExpected(stats = Stats()), limit, what);
            return stats;
        }
        catch (TimeoutException exception)
        {
            throw new TimeoutException($"{exception.Message}. {stats}", exception);
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
    internal TimeSpan ProcessorTime() => _process.ProcessorTime();

    /// <summary>SIGSTOP; returns when it has stopped.</summary>
    internal Task FreezeAsync() => _process.FreezeAsync();

    /// <summary>SIGCONT.</summary>
    internal void Thaw() => _process.Signal(Signals.Continue);

    /// <summary>SIGTERM.</summary>
    internal void Terminate() => _process.Signal(Signals.Terminate);

    /// <summary>SIGKILL; returns when it is gone.</summary>
    internal Task KillAsync()
    {
        _isKilled = true;
        _process.Signal(Signals.Kill);
        return _process.ExitAsync();
    }

    /// <summary>Waits until it has ended and gives its exit status.</summary>
    internal Task<int> ExitAsync() => _process.ExitAsync();

    public async ValueTask DisposeAsync()
    {
        if (_isDisposed)
        {
            return;
        }

        _isDisposed = true;
        _control?.Dispose();
        try
        {
            if (_isKilled)
            {
                return;
            }

            int status = await _process.StopAsync();
            Assert.True(status == 0, $"The host ended with {status}.\n{Output}");
            Assert.False(_process.Lines.Any(IsFault), $"The host reported a fault.\n{Output}");
        }
        finally
        {
            _process.Kill();
        }
    }

    /// <summary>
    /// A client's reset is none: Kestrel reports it as the application's exception where a read of the body learns of it before Kestrel does.
    /// </summary>
    private static bool IsFault(string line)
        => s_faults.Any(words => line.Contains(words, StringComparison.OrdinalIgnoreCase))
            && !line.Contains("ConnectionResetException", StringComparison.Ordinal);

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

    [GeneratedRegex("^ready$")]
    private static partial Regex Ready();

    [GeneratedRegex(@"^listening (\S+)$")]
    private static partial Regex Listening();
}
