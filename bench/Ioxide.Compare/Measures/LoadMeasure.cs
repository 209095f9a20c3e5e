using System.Net.Sockets;
using Ioxide.Compare.Loads;
using Ioxide.Compare.Servers;

namespace Ioxide.Compare.Measures;

/// <summary>Warm servers under a steady load, one at a time.</summary>
internal sealed class LoadMeasure(Session session, ILoad load) : IMeasure
{
    private static readonly TimeSpan s_slice = TimeSpan.FromSeconds(2);

    /// <summary>A server that others keep from its CPU may answer nothing in a slice; one that answers nothing in this is refused.</summary>
    private static readonly TimeSpan s_longestSlice = TimeSpan.FromSeconds(32);

    /// <summary>Slices that must agree before a server counts as warm.</summary>
    private const int SteadySliceCount = 3;

    private const double SteadySpread = 0.10;

    /// <summary>A server that compiled more methods than so many since the slice before is not warm.</summary>
    private const int SteadyMethodCount = 20;

    /// <summary>Longer than the 100 ms without a new method after which the runtime starts to compile again.</summary>
    private static readonly TimeSpan s_restLook = TimeSpan.FromMilliseconds(300);

    private const int MaxRestLooks = 10;

    /// <summary>A noisy machine never agrees with itself; warming up ends after so many times the least time, if nothing is compiled.</summary>
    private const int MaxWarmupFactor = 4;

    /// <summary>A server that still compiles is waited for so long.</summary>
    private const double MaxCompilingSeconds = 60;

    /// <summary>Where the load's CPUs are this busy and the server's are not, the load was the limit.</summary>
    private const double LimitingLoadUse = 0.95;

    private const double LimitedServerUse = 0.85;

    /// <summary>Above this share a round says more of the machine than of the server.</summary>
    private const double MaxOtherUse = 0.10;

    /// <summary>Below this share of the rate a round has no like.</summary>
    private const double LeastRateHeld = 0.95;

    /// <summary>What says nothing about the server where the load was the limit.</summary>
    private static readonly Metric[] s_withheld =
    [
        Metric.RequestsPerSecond, Metric.MegabytesPerSecond, Metric.P50Us, Metric.P90Us, Metric.P99Us, Metric.P999Us, Metric.MeanUs,
    ];

    public async Task RunAsync(CancellationToken cancellation)
    {
        using ServerSet servers = await ServerSet.StartAsync(session, cancellation);
        using var stats = new HostStatsClient();
        foreach (ServerProcess server in servers.All)
        {
            await WarmUpAsync(server, stats, cancellation);
        }

        ILoad rounds = load;
        if (session.Workload.AtRate is { } atRate)
        {
            double rate = await ChooseRateAsync(servers, cancellation);
            session.Run.Rate = rate;
            rounds = atRate(rate);
            Session.Note($"{rate:N0} requests per second");
        }

        for (int number = 1; number <= session.Options.RoundCount; number++)
        {
            foreach (ServerProcess server in servers.All)
            {
                await RunRoundAsync(server, number, rounds, stats, cancellation);
            }
        }

        // Counted over a whole load: beside so many connections the requests of a low rate would not show.
        if (session.Options.CountSystemCalls && session.Workload.RatePerCpu is null)
        {
            foreach (ServerProcess server in servers.All)
            {
                await CountSystemCallsAsync(server, rounds, cancellation);
            }
        }
    }

    /// <summary>A round that the machine disturbs is discarded and run again; any other refused one is kept as such.</summary>
    private async Task RunRoundAsync(
        ServerProcess server, int number, ILoad rounds, HostStatsClient stats, CancellationToken cancellation)
    {
        try
        {
            (Dictionary<Metric, double> values, string? disturbance) = await session.Quiet.RunAsync(
                () => MeasureAsync(server, rounds, stats, cancellation),
                static values => values.TryGetValue(Metric.OtherUse, out double others) && others > MaxOtherUse ? $"others used {others:0.00} of the server's CPUs" : null,
                reason => session.Discard(server.Side, number, reason));
            session.WarnIfDisturbed(server.Side, number, disturbance);
            session.Report(server.Side, number, values, Withhold(values));
            if (values.TryGetValue(Metric.RateHeld, out double held) && held < LeastRateHeld)
            {
                session.Warn($"{server.Side.Name}: round {number} held {held:0.00} of the rate, so its numbers are of a lighter load");
            }
        }
        catch (RefusedException exception)
        {
            session.Refuse(server.Side, number, exception.Message);
        }
    }

    /// <summary>What the command line says; else the board's share for the server's CPUs; else half of what stock can do.</summary>
    private async Task<double> ChooseRateAsync(ServerSet servers, CancellationToken cancellation)
        => session.Options.Rate > 0 ? session.Options.Rate
            : session.Workload.RatePerCpu is double share ? Math.Round(share * session.Options.ServerCpus.Cpus.Count, 2)
            : Math.Round(await FindPeakAsync(servers, cancellation) / 2);

    /// <summary>Requests a second of the best stock side.</summary>
    private async Task<double> FindPeakAsync(ServerSet servers, CancellationToken cancellation)
    {
        double peak = 0;
        foreach (ServerProcess server in servers.All.Where(static server => server.Side.Kind == SideKind.Stock))
        {
            LoadResult result = await LoadAsync(server, load, s_slice, cancellation);
            peak = Math.Max(peak, result.Requests / result.Seconds);
        }

        return peak > 0 ? peak : throw new RefusedException("A rate is half of what a stock side can do, and none is here.");
    }

    /// <summary>Takes out what only says how fast the load is.</summary>
    /// <returns>Why. Null where the server was the limit.</returns>
    private string? Withhold(Dictionary<Metric, double> values)
    {
        double server = values[Metric.ServerUse];
        if (session.Workload.AtRate is not null || server >= LimitedServerUse
            || !values.TryGetValue(Metric.LoadUse, out double others) || others < LimitingLoadUse)
        {
            return null;
        }

        foreach (Metric metric in s_withheld.Where(values.ContainsKey))
        {
            values[metric] = double.NaN;
        }

        return $"the load was the limit: it used {others:0.00} of its CPUs, the server {server:0.00}";
    }

    /// <summary>Loads a server until tiered compilation has settled.</summary>
    /// <remarks>
    /// Each slice is followed by a rest: under load the compiler's thread waits for a CPU that the server's other threads
    /// keep busy, and a server would be measured for minutes in code that is not the final one.
    /// </remarks>
    private async Task WarmUpAsync(ServerProcess server, HostStatsClient stats, CancellationToken cancellation)
    {
        var speeds = new List<double>();
        double warmedSeconds = 0;
        long compiledBefore = 0;
        TimeSpan slice = s_slice;
        while (true)
        {
            double cpuBefore = server.CpuSeconds;
            LoadResult result = await LoadAsync(server, load, slice, cancellation, mayBeNothing: slice < s_longestSlice);
            if (result.Requests == 0)
            {
                slice *= 2;
                continue;
            }

            speeds.Add(Work(result) / Math.Max(0.01, server.CpuSeconds - cpuBefore));
            warmedSeconds += result.Seconds;
            await RestAsync(server, cancellation);

            long compiled = (await stats.ReadAsync(server, cancellation))?.CompiledMethods ?? 0;
            bool isCompiling = compiled - compiledBefore > SteadyMethodCount;
            compiledBefore = compiled;
            if (warmedSeconds < session.Options.WarmupSeconds)
            {
                continue;
            }

            double[] last = [.. speeds.TakeLast(SteadySliceCount)];
            bool agrees = last.Length == SteadySliceCount && (last.Max() - last.Min()) / last.Max() < SteadySpread;
            if (agrees && !isCompiling)
            {
                Session.Note($"{server.Side.Name}: steady after {warmedSeconds:0} s");
                return;
            }

            double longest = session.Options.WarmupSeconds * MaxWarmupFactor;
            if (warmedSeconds >= (isCompiling ? Math.Max(longest, MaxCompilingSeconds) : longest))
            {
                session.Warn($"{server.Side.Name}: not steady after {warmedSeconds:0} s{(isCompiling ? ", it still compiles" : "")}");
                return;
            }
        }
    }

    /// <summary>Waits until the server uses its CPUs no more, for a bounded time.</summary>
    private static async Task RestAsync(ServerProcess server, CancellationToken cancellation)
    {
        const double idleShare = 0.1;
        for (int look = 0; look < MaxRestLooks; look++)
        {
            double before = server.CpuSeconds;
            await Task.Delay(s_restLook, cancellation);
            if (server.CpuSeconds - before < s_restLook.TotalSeconds * idleShare)
            {
                return;
            }
        }
    }

    private async Task<Dictionary<Metric, double>> MeasureAsync(
        ServerProcess server, ILoad rounds, HostStatsClient stats, CancellationToken cancellation)
    {
        StartOfLoad start = await StartOfLoad.ReadAsync(server, session.Options, stats, cancellation);
        LoadResult result = await LoadAsync(
            server, rounds, TimeSpan.FromSeconds(session.Options.Seconds), cancellation, onConnected: StartAgain);
        double cpuSeconds = server.CpuSeconds - start.CpuSeconds;
        double busySeconds = ProcessFacts.BusySeconds(session.Options.ServerCpus) - start.BusySeconds;
        double loadSeconds = ProcessFacts.BusySeconds(session.Options.LoadCpus) - start.LoadSeconds;
        HostStats? statsAfter = await stats.ReadAsync(server, cancellation);

        // What it still does, such as compiling, would be done in the next server's round.
        await RestAsync(server, cancellation);

        double cpuCount = session.Options.ServerCpus.Cpus.Count;
        var values = new Dictionary<Metric, double>
        {
            [session.Workload.CountsBytes ? Metric.MegabytesPerSecond : Metric.RequestsPerSecond] =
                Work(result) / result.Seconds,
            [Metric.ServerUse] = cpuSeconds / result.Seconds / cpuCount,
            [Metric.ResidentMb] = server.ResidentBytes / 1e6,
        };
        if (!session.Options.AreCpusShared)
        {
            values[Metric.LoadUse] = Math.Min(1, loadSeconds / result.Seconds / session.Options.LoadCpus.Cpus.Count);
            values[Metric.OtherUse] = Math.Max(0, busySeconds - cpuSeconds) / result.Seconds / cpuCount;
        }

        AddCost(values, result, cpuSeconds);
        AddIfKnown(values, Metric.P50Us, result.P50Us);
        AddIfKnown(values, Metric.P90Us, result.P90Us);
        AddIfKnown(values, Metric.P99Us, result.P99Us);
        AddIfKnown(values, Metric.P999Us, result.P999Us);
        AddIfKnown(values, Metric.P99AloneUs, result.P99AloneUs);
        AddIfKnown(values, Metric.P99Growth, result.P99Us / result.P99AloneUs);
        AddIfKnown(values, Metric.MeanUs, result.MeanUs);
        if (start.Stats is HostStats before && statsAfter is HostStats after)
        {
            long allocatedBytes = after.AllocatedBytes - before.AllocatedBytes;
            values[Metric.AllocatedPerRequest] = allocatedBytes / (double)result.Requests;
            values[Metric.Gen0Collections] = after.Gen0Collections - before.Gen0Collections;
        }

        return values;

        // On the load's own thread, which waits meanwhile: connections and handshakes are there and no longer count.
        void StartAgain()
        {
            RestAsync(server, cancellation).GetAwaiter().GetResult();
            start = StartOfLoad.ReadAsync(server, session.Options, stats, cancellation).GetAwaiter().GetResult();
        }
    }

    /// <summary>The main number: what the processor time buys, or at a rate what a request of it costs.</summary>
    private void AddCost(Dictionary<Metric, double> values, LoadResult result, double cpuSeconds)
    {
        if (session.Workload.AtRate is null)
        {
            values[session.Workload.CountsBytes ? Metric.MegabytesPerCpuSecond : Metric.RequestsPerCpuSecond] =
                Work(result) / Math.Max(0.01, cpuSeconds);
            return;
        }

        values[Metric.CpuUsPerRequest] = cpuSeconds * 1e6 / result.Requests;
        values[Metric.RateHeld] = session.Run.Rate is double rate ? result.Requests / result.Seconds / rate : double.NaN;
    }

    private async Task CountSystemCallsAsync(ServerProcess server, ILoad rounds, CancellationToken cancellation)
    {
        try
        {
            LoadResult? result = null;
            SystemCallCount count = await SystemCallCounter.CountAsync(
                server.Id,
                Path.Combine(session.Layout.ResultsFolder, $"syscalls-{server.Id}.txt"),
                async () => result = await LoadAsync(server, rounds, s_slice, cancellation),
                cancellation);
            Session.Note($"{server.Side.Name}: {count.Describe(result!.Requests)}");
            session.Report(server.Side, 0, new Dictionary<Metric, double> { [Metric.SystemCallsPerThousand] = count.Total * 1000.0 / result.Requests });
        }
        catch (RefusedException exception)
        {
            session.Report(
                server.Side, 0, new Dictionary<Metric, double> { [Metric.SystemCallsPerThousand] = double.NaN }, exception.Message);
        }
    }

    private async Task<LoadResult> LoadAsync(
        ServerProcess server, ILoad producer, TimeSpan duration, CancellationToken cancellation, bool mayBeNothing = false,
        Action? onConnected = null)
    {
        var target = new LoadTarget(server.Ports, session.Workload.Endpoint, session.ConnectionCount, session.Layout);
        target = onConnected is null ? target : target with { OnConnected = onConnected };
        try
        {
            LoadResult result = await producer.RunAsync(target, duration, cancellation);
            server.CheckAlive();
            return result.Requests > 0 || mayBeNothing
                ? result
                : throw new RefusedException(
                    $"no request was answered in {duration.TotalSeconds:0} s (others may use the server's CPU: try --seconds)");
        }
        catch (Exception exception) when (exception is RefusedException and not LateLoadException or SocketException or IOException)
        {
            server.CheckAlive();
            throw new RefusedException($"{server.Side.Name}: {exception.Message}");
        }
    }

    /// <summary>Requests, or megabytes where the bytes are the work.</summary>
    private double Work(LoadResult result) => session.Workload.CountsBytes ? result.Bytes / 1e6 : result.Requests;

    private static void AddIfKnown(Dictionary<Metric, double> values, Metric metric, double? value)
    {
        if (value is double known)
        {
            values[metric] = known;
        }
    }
}
