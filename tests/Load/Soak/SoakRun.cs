using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Ioxide.Soak;

/// <summary>One run: loads and faults for a while, a rest in which nobody is connected and the server must hold nothing, and so on.</summary>
internal sealed class SoakRun : IDisposable
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_betweenFaults = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_leaveLimit = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_restLimit = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_shortestLoad = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_longestLoad = TimeSpan.FromSeconds(30);

    private readonly SoakOptions _options;
    private readonly ServerProcess _server;
    private readonly SampleLog _log;
    private readonly Counters _counters = new();
    private readonly Gate _gate = new();
    private readonly Worker[] _workers;
    private readonly FaultDeck _deck;
    private readonly CancellationTokenSource _stop = new();
    private readonly SortedDictionary<string, int> _faults = new(StringComparer.Ordinal);
    private readonly List<string> _unrest = [];
    private readonly Stopwatch _clock = new();
    private string _heldAtRest = "";
    private string _fault = "";
    private volatile bool _isResting;

    private SoakRun(SoakOptions options, ServerProcess server, SampleLog log)
    {
        _options = options;
        _server = server;
        _log = log;
        Surroundings surroundings = new(server, _counters, _gate);
        _workers = [.. LoadMix.Make(surroundings, options.Seed)];
        _deck = new(surroundings, options.Seed);
    }

    /// <summary>Runs it and gives the exit status.</summary>
    internal static async Task<int> RunAsync(SoakOptions options)
    {
        Directory.CreateDirectory(options.Output);
        Console.WriteLine($"soak: {options.Duration.TotalMinutes:0.###} minutes, seed {options.Seed}");

        if (await PrivatePostgres.TryStartAsync() is not { } started)
        {
            return 2;
        }

        await using PrivatePostgres database = started;

        // glibc keeps what each thread freed for that thread: the compiler's work space, some megabytes, once for every thread that
        // ever compiled. That looks like a leak in steps and would hide a real one.
        await using ServerProcess server = await ServerProcess.StartAsync(
            Surroundings.MaxOpenFiles,
            [$"--sites={Surroundings.Sites}", $"--database={database.ConnectionString}", "--headers-timeout=3", "--shutdown-timeout=10"],
            ("MALLOC_ARENA_MAX", "1"));
        using SampleLog log = new(Path.Combine(options.Output, "soak.csv"));
        using SoakRun run = new(options, server, log);
        using var interrupted = PosixSignalRegistration.Create(PosixSignal.SIGINT, run.Stop);
        using var terminated = PosixSignalRegistration.Create(PosixSignal.SIGTERM, run.Stop);
        return await run.RunAsync();
    }

    public void Dispose() => _stop.Dispose();

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
        Task loads = Crew.RunAsync(_workers.Length, index => _workers[index].Run());
        _clock.Start();
        Task sampling = SampleAsync(over.Token);
        Task faults = Task.Run(PlayFaultsAsync);
        TimeSpan period = TimeSpan.FromTicks(Math.Clamp((_options.Duration / 6).Ticks, s_shortestLoad.Ticks, s_longestLoad.Ticks));
        try
        {
            do
            {
                _gate.Open();
                var time = TimeSpan.FromTicks(Math.Clamp((_options.Duration - _clock.Elapsed).Ticks, 0, period.Ticks));

                // What nobody samples proves nothing.
                await Task.WhenAny(sampling, Task.Delay(time, _stop.Token));
                await RestAsync();
            }
            while (!sampling.IsCompleted && !_stop.IsCancellationRequested && _clock.Elapsed < _options.Duration);
        }
        catch (Exception exception) when (IsOfServer(exception))
        {
            _unrest.Add($"the server does not answer: {exception.Message}");
            Leave();
        }

        _clock.Stop();
        long ended = Stopwatch.GetTimestamp();
        _gate.End();
        await over.CancelAsync();
        try
        {
            await Task.WhenAll(loads, sampling, faults).WaitAsync(s_leaveLimit);
        }
        catch (TimeoutException)
        {
            _counters.AddHung("workers that did not end");
        }

        return Conclude(await EndServerAsync(), ended);
    }

    /// <summary>What the server holds for itself: listeners, sessions with the database, and a connection to one of its own sites.</summary>
    private async Task<string> HeldByNobodyAsync()
    {
        await PackageLoads.WarmUpAsync(_server.EndPoints[Surroundings.PackagesIndex]);
        long started = Environment.TickCount64;
        string held = "";
        string before;
        do
        {
            before = held;
            await Task.Delay(500);
            held = (await _server.StatsAsync()).Held;
        }
        while (held != before && Environment.TickCount64 - started < s_restLimit.TotalMilliseconds);
        if (held != before)
        {
            _unrest.Add($"before the first client: {before}, then {held}");
        }

        return held;
    }

    /// <summary>Sends everyone away, waits until the server holds nothing of them, and looks at it.</summary>
    private async Task RestAsync()
    {
        _isResting = true;
        Leave();
        long started = Environment.TickCount64;
        string held;
        while ((held = (await _server.StatsAsync()).Held) != _heldAtRest)
        {
            if (Environment.TickCount64 - started > s_restLimit.TotalMilliseconds)
            {
                _unrest.Add($"at {_clock.Elapsed.TotalSeconds:F0} s: {held}");
                Console.WriteLine($"not at rest: {_unrest[^1]}");
                break;
            }

            await Task.Delay(20);
        }

        _log.Add(await LookAsync(isQuiet: true, requests: 0, p99Ms: null, packagesP99Ms: null));
        _isResting = false;
    }

    private void Leave()
    {
        if (!_gate.Close(s_leaveLimit))
        {
            _counters.AddHung("workers that did not leave");
        }
    }

    private async Task PlayFaultsAsync()
    {
        List<Task> running = [];
        while (_gate.Enter())
        {
            _gate.Leave();
            _gate.Pause(s_betweenFaults);
            if (_gate.IsOpen && _gate.Enter())
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
        catch (Exception exception) when (exception is InvalidDataException || IsOfServer(exception))
        {
            _counters.Add($"fault '{fault.Name}'", exception);
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
            await Task.Delay(s_second, over).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            try
            {
                long requests = _counters.Requests;
                TimeSpan now = _clock.Elapsed;
                double rate = (requests - requestsBefore) / (now - before).TotalSeconds;
                (requestsBefore, before) = (requests, now);
                Sample sample = await LookAsync(isQuiet: false, rate, P99(_counters.Latencies), P99(_counters.PackageLatencies));
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

    /// <summary>In milliseconds, since the last look; null without a request.</summary>
    private static double? P99(Latencies latencies)
    {
        (int count, double[] ms) = latencies.Take(0.99);
        return count > 0 ? ms[0] : null;
    }

    private async Task<Sample> LookAsync(bool isQuiet, double requests, double? p99Ms, double? packagesP99Ms)
    {
        HostStats stats = await _server.StatsAsync(collects: isQuiet);

        // Assemblies that the runtime has loaded keep one or two descriptors each and do not count.
        string[] descriptors = [.. _server.Process.OpenDescriptors().Where(static target => !target.EndsWith(".dll", StringComparison.Ordinal))];
        int sockets = descriptors.Count(static target => target.StartsWith("socket:", StringComparison.Ordinal));
        string fault = Interlocked.Exchange(ref _fault, "");
        return new(
            _clock.Elapsed.TotalSeconds, isQuiet, isQuiet, requests, _counters.Wrong, _counters.Errors,
            _server.Process.ResidentBytes(), _server.Process.ResidentBytes("RssFile:"), descriptors.Length, sockets, stats, p99Ms, packagesP99Ms, fault);
    }

    /// <summary>Asks it to end; "0" is as it should be.</summary>
    private async Task<string> EndServerAsync()
    {
        try
        {
            await _server.DisposeAsync();
            return "0";
        }
        catch (Exception exception) when (IsOfServer(exception))
        {
            return exception.Message.Split('\n')[0];
        }
    }

    private int Conclude(string end, long ended)
    {
        IReadOnlyList<Sample> samples = _log.All();
        TimeSpan duration = _clock.Elapsed;
        int errorLines = _server.Process.Lines.Count(static line
            => line.StartsWith("fail:", StringComparison.Ordinal) || line.StartsWith("crit:", StringComparison.Ordinal));
        Verdict verdict = new();
        verdict.Tell($"{_counters.Requests:#,##0} answers in {duration.TotalMinutes:F1} minutes, each byte checked: " +
            string.Join(", ", _counters.ByLoad.Select(load => $"{load.Load} {load.Count:#,##0}")));
        verdict.Tell("faults: " + string.Join(", ", _faults.Select(fault => $"{fault.Key} {fault.Value}")) +
            $"; {_counters.TurnedAway} connections turned away by restarts");
        TellLatency("small requests", static sample => sample.P99Ms);
        TellLatency("requests to the site of all packages", static sample => sample.PackagesP99Ms);

        // Who is turned away without end has no error, and no answer either.
        TimeSpan late = duration / 3 > s_shortestLoad ? duration / 3 : s_shortestLoad;
        long since = ended - (long)(late.TotalSeconds * Stopwatch.Frequency);
        string[] silent = [.. LoadMix.Names.Where(load => !_counters.HasAnswerSince(load, since))];
        verdict.Require(
            silent.Length == 0,
            $"loads without an answer in the last {late.TotalMinutes:F1} minutes: {(silent.Length == 0 ? "none" : string.Join(", ", silent))}");
        verdict.RequireNone("answers with wrong bytes", _counters.Wrong);
        verdict.RequireNone("hung", _counters.Hung);
        verdict.RequireNone("connections that ended unasked", _counters.Errors);
        verdict.RequireNone("lines that the server logged as errors", errorLines);
        verdict.RequireNone("exceptions that nobody handled", samples.Count > 0 ? samples[^1].Stats.Unhandled : 0);
        verdict.Require(
            _unrest.Count == 0,
            _unrest.Count == 0
                ? $"at rest {samples.Count(sample => sample.IsQuiet)} times, each time: {_heldAtRest}"
                : $"not at rest: {string.Join("; ", _unrest)}");
        verdict.Require(end == "0", $"exit status of the server: {end}");
        verdict.JudgeSlopes(samples, duration);

        string caption = $"Seed {_options.Seed}, Linux {Environment.OSVersion.Version}, .NET {Environment.Version}, " +
            $"{Environment.ProcessorCount} processors for server and clients.";
        File.WriteAllText(Path.Combine(_options.Output, "soak.svg"), Plot.Draw(samples, Verdict.WarmUp(duration), caption));
        if (errorLines > 0 || end != "0")
        {
            // Its answers begin with a number.
            foreach (string line in _server.Process.Lines.Where(static line => line is not [>= '0' and <= '9', ..]).TakeLast(60))
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

        void TellLatency(string what, Func<Sample, double?> ofSecond)
        {
            double[] p99 = [.. samples.Where(sample => !sample.IsResting).Select(ofSecond).OfType<double>().Order()];
            if (p99.Length > 0)
            {
                verdict.Tell($"p99 of a second, {what}: median {p99[p99.Length / 2]:F1} ms, highest {p99[^1]:F1} ms");
            }
        }
    }

    private static bool IsOfServer(Exception exception)
        => exception is TimeoutException or InvalidOperationException or IOException or SocketException;
}
