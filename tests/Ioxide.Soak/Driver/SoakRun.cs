using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;

namespace Ioxide.Soak;

/// <summary>
/// One run: loads and faults for a while, a rest in which nobody is connected and the server must hold nothing, and so on.
/// </summary>
internal sealed class SoakRun : IDisposable
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_betweenFaults = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_hungLimit = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_leaveLimit = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_restLimit = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_shortestLoad = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_longestLoad = TimeSpan.FromSeconds(30);

    private readonly SoakOptions _options;
    private readonly ServerProcess _server;
    private readonly SampleLog _log;
    private readonly Counters _counters = new();
    private readonly Gate _gate = new();
    private readonly Load[] _loads;
    private readonly FaultDeck _deck;
    private readonly CancellationTokenSource _stop = new();
    private readonly SortedDictionary<string, int> _faults = new(StringComparer.Ordinal);
    private readonly List<string> _unrest = [];
    private readonly Stopwatch _clock = new();
    private string _heldAtRest = "";
    private string _fault = "";
    private volatile bool _isResting;

    private SoakRun(SoakOptions options, ServerProcess server, Target target, SampleLog log)
    {
        _options = options;
        _server = server;
        _log = log;
        LoadSurroundings surroundings = new(target, _counters, _gate, server);
        _loads = [.. LoadMix.Make(surroundings, options.Seed)];
        _deck = new(surroundings, options.Seed);
    }

    /// <summary>Runs it and gives the exit status.</summary>
    internal static async Task<int> RunAsync(SoakOptions options)
    {
        Directory.CreateDirectory(options.Output);
        Console.WriteLine(Text($"soak: {options.Duration.TotalMinutes:0.###} minutes, seed {options.Seed}"));
        await using ServerProcess server = new();
        using SampleLog log = new(Path.Combine(options.Output, "soak.csv"));
        using SoakRun run = new(options, server, await server.ReadyAsync(), log);
        using var interrupted = PosixSignalRegistration.Create(PosixSignal.SIGINT, run.Stop);
        using var terminated = PosixSignalRegistration.Create(PosixSignal.SIGTERM, run.Stop);
        return await run.RunAsync();
    }

    public void Dispose()
    {
        _stop.Dispose();
        _gate.Dispose();
    }

    private void Stop(PosixSignalContext signal)
    {
        signal.Cancel = true;
        _stop.Cancel();
    }

    private async Task<int> RunAsync()
    {
        _heldAtRest = await HeldByNobodyAsync();
        Console.WriteLine($"at rest: {_heldAtRest}");
        using CancellationTokenSource over = new();
        Task[] loads = [.. _loads.Select(load => load.RunAsync())];
        _clock.Start();
        Task sampling = SampleAsync(over.Token);
        Task faults = PlayFaultsAsync();
        TimeSpan period = TimeSpan.FromTicks(
            Math.Clamp((_options.Duration / 6).Ticks, s_shortestLoad.Ticks, s_longestLoad.Ticks));
        try
        {
            do
            {
                _gate.Open();
                await DelayAsync(Min(period, _options.Duration - _clock.Elapsed), _stop.Token);
                await RestAsync();
            }
            while (!_stop.IsCancellationRequested && _clock.Elapsed < _options.Duration);
        }
        catch (Exception exception) when (IsOfServer(exception))
        {
            _unrest.Add($"the server does not answer: {exception.Message}");
            await LeaveAsync();
        }

        _clock.Stop();
        _gate.End();
        await over.CancelAsync();
        try
        {
            await Task.WhenAll([.. loads, sampling, faults]).WaitAsync(s_leaveLimit);
        }
        catch (TimeoutException)
        {
            _counters.AddHung("workers that did not end");
        }

        return Conclude(await _server.StopAsync());
    }

    /// <summary>What the server holds before the first client came.</summary>
    private async Task<string> HeldByNobodyAsync()
    {
        long started = Environment.TickCount64;
        Ledger ledger;
        do
        {
            await Task.Delay(100);
            ledger = await _server.LedgerAsync();
        }
        while (ledger.Connections > 0 && Environment.TickCount64 - started < s_restLimit.TotalMilliseconds);
        if (ledger.Connections > 0)
        {
            _unrest.Add($"before the first client: {ledger.Held}");
        }

        return ledger.Held;
    }

    /// <summary>Sends everyone away, waits until the server holds nothing of them, and looks at it.</summary>
    private async Task RestAsync()
    {
        _isResting = true;
        await LeaveAsync();
        long started = Environment.TickCount64;
        string held;
        while ((held = (await _server.LedgerAsync()).Held) != _heldAtRest)
        {
            if (Environment.TickCount64 - started > s_restLimit.TotalMilliseconds)
            {
                _unrest.Add(Text($"at {_clock.Elapsed.TotalSeconds:F0} s: {held}"));
                Console.WriteLine($"not at rest: {_unrest[^1]}");
                break;
            }

            await Task.Delay(20);
        }

        await _server.CommandAsync("collect");
        _log.Add(await LookAsync(isQuiet: true, requests: 0, p99Ms: null));
        _isResting = false;
    }

    private async Task LeaveAsync()
    {
        try
        {
            await _gate.CloseAsync().WaitAsync(s_leaveLimit);
        }
        catch (TimeoutException)
        {
            _counters.AddHung("workers that did not leave");
        }
    }

    private async Task PlayFaultsAsync()
    {
        List<Task> running = [];
        while (await _gate.EnterAsync())
        {
            _gate.Leave();
            await _gate.PauseAsync(s_betweenFaults);
            if (_gate.IsOpen && await _gate.EnterAsync())
            {
                running.RemoveAll(fault => fault.IsCompleted);
                running.Add(PlayFaultAsync());
            }
        }

        await Task.WhenAll(running);
    }

    /// <summary>Plays one inside the gate, so that no rest begins before it is over.</summary>
    private async Task PlayFaultAsync()
    {
        (Fault fault, Random random) = _deck.Deal();
        _faults[fault.Name] = _faults.GetValueOrDefault(fault.Name) + 1;
        _fault = fault.Name;
        try
        {
            await fault.RunAsync(random);
        }
        catch (Exception exception) when (IsOfServer(exception))
        {
            _counters.AddError($"fault '{fault.Name}'", exception);
        }
        finally
        {
            _gate.Leave();
        }
    }

    private async Task SampleAsync(CancellationToken over)
    {
        long requestsBefore = 0;
        TimeSpan before = _clock.Elapsed;
        while (!over.IsCancellationRequested)
        {
            bool wasResting = _isResting;
            await DelayAsync(s_second, over);
            foreach (Load load in _loads)
            {
                if (load.Lane.CutIfHung(s_hungLimit))
                {
                    _counters.AddHung(load.Lane.Name);
                }
            }

            try
            {
                long requests = _counters.Requests;
                TimeSpan now = _clock.Elapsed;
                double rate = (requests - requestsBefore) / (now - before).TotalSeconds;
                (requestsBefore, before) = (requests, now);
                Sample sample = await LookAsync(isQuiet: false, rate, _counters.Latency.TakePercentileMs(0.99));
                _log.Add(sample with { IsResting = wasResting || _isResting });
            }
            catch (Exception exception) when (IsOfServer(exception))
            {
                if (!over.IsCancellationRequested)
                {
                    _counters.AddHung($"a look at the server: {exception.Message}");
                    await _stop.CancelAsync();
                }

                return;
            }
        }
    }

    private async Task<Sample> LookAsync(bool isQuiet, double requests, double? p99Ms)
    {
        Ledger ledger = await _server.LedgerAsync();
        (int descriptors, int sockets) = _server.Descriptors();
        (long resident, long files) = _server.ResidentBytes();
        string fault = Interlocked.Exchange(ref _fault, "");
        return new(
            _clock.Elapsed.TotalSeconds, isQuiet, isQuiet, requests, _counters.WrongBytes, _counters.Errors,
            resident, files, descriptors, sockets, ledger, p99Ms, fault);
    }

    private int Conclude(int? status)
    {
        IReadOnlyList<Sample> samples = _log.All();
        TimeSpan duration = _clock.Elapsed;
        Verdict verdict = new();
        verdict.Tell(Text($"{_counters.Requests:#,##0} answers in {duration.TotalMinutes:F1} minutes, each byte checked: ") +
            string.Join(", ", _counters.ByLoad.Select(load => Text($"{load.Key} {load.Value:#,##0}"))));
        verdict.Tell("faults: " + string.Join(", ", _faults.Select(fault => $"{fault.Key} {fault.Value}")) +
            Text($"; {_counters.TurnedAway} connections turned away by restarts"));
        double[] p99 = [.. samples.Where(sample => !sample.IsResting).Select(sample => sample.P99Ms).OfType<double>().Order()];
        if (p99.Length > 0)
        {
            verdict.Tell(Text($"p99 of a second: median {p99[p99.Length / 2]:F1} ms, highest {p99[^1]:F1} ms"));
        }

        verdict.RequireNone("wrong bytes", _counters.WrongBytes);
        verdict.RequireNone("hung", _counters.Hung);
        verdict.RequireNone("connections that ended unasked", _counters.Errors);
        verdict.RequireNone("lines that the server logged as errors", _server.ErrorLines);
        verdict.RequireNone("exceptions that nobody handled", samples.Count > 0 ? samples[^1].Ledger.Unobserved : 0);
        verdict.Require(
            _unrest.Count == 0,
            _unrest.Count == 0
                ? Text($"at rest {samples.Count(sample => sample.IsQuiet)} times, each time: {_heldAtRest}")
                : $"not at rest: {string.Join("; ", _unrest)}");
        verdict.Require(status == 0, Text($"exit status of the server: {(status is null ? "killed" : status)}"));
        verdict.JudgeSlopes(samples, duration);

        string caption = Text($"Seed {_options.Seed}, Linux {Environment.OSVersion.Version}, .NET {Environment.Version}, ") +
            Text($"{Environment.ProcessorCount} processors for server and clients.");
        File.WriteAllText(Path.Combine(_options.Output, "soak.svg"), Plot.Draw(samples, Verdict.WarmUp(duration), caption));
        if (_server.ErrorLines > 0 || status != 0)
        {
            foreach (string line in _server.LastLines)
            {
                Console.WriteLine($"server: {line}");
            }
        }

        foreach (string line in verdict.Lines)
        {
            Console.WriteLine(line);
        }

        Console.WriteLine(verdict.HasPassed ? "PASS" : "FAIL");
        return verdict.HasPassed ? 0 : 1;
    }

    /// <summary>The process is gone, or does not answer.</summary>
    private static bool IsOfServer(Exception exception)
        => exception is TimeoutException or InvalidOperationException or IOException or System.ComponentModel.Win32Exception;

    private static async Task DelayAsync(TimeSpan duration, CancellationToken over)
    {
        try
        {
            await Task.Delay(Max(duration, TimeSpan.Zero), over);
        }
        catch (OperationCanceledException)
        {
            // The caller looks at the token.
        }
    }

    private static TimeSpan Min(TimeSpan one, TimeSpan other) => one < other ? one : other;

    private static TimeSpan Max(TimeSpan one, TimeSpan other) => one > other ? one : other;

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
