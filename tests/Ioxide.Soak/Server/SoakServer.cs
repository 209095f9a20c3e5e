using System.Diagnostics;
using System.Runtime;
using System.Runtime.InteropServices;

namespace Ioxide.Soak;

/// <summary>
/// The process under load: a web application that stays, one that is restarted, and a raw listener. Takes lines
/// <c>NUMBER COMMAND</c>, answers <c>NUMBER TEXT</c>, and ends when its standard input does.
/// </summary>
internal sealed class SoakServer
{
    /// <summary>Enough for every load and every other fault, and too few for <see cref="DescriptorPressure"/>.</summary>
    internal const int MaxOpenFiles = 800;

    private const int MainReactorCount = 2;
    private const int OtherReactorCount = 1;

    private static readonly SemaphoreSlim s_restarting = new(1);

    private readonly Site _main;
    private readonly RawSite _raw;
    private readonly Lock _writing = new();
    private Site _second;
    private long _unobserved;

    private SoakServer(Site main, Site second, RawSite raw)
    {
        _main = main;
        _second = second;
        _raw = raw;
    }

    internal static async Task<int> RunAsync()
    {
        // A terminal sends an interrupt to the whole group; the driver decides when this process ends.
        using var interrupted = PosixSignalRegistration.Create(PosixSignal.SIGINT, signal => signal.Cancel = true);
        // The first exception that is logged would load a dozen assemblies, ten mebibytes, at some time of the run.
        _ = new StackTrace(fNeedFileInfo: true).ToString();
        AppDomain.CurrentDomain.AssemblyLoad += static (_, loaded) => Console.Error.WriteLine($"info: loaded {loaded.LoadedAssembly}");
        // Before anything accepts: the kernel reads the limit when an accept is armed.
        Libc.LimitOpenFiles(MaxOpenFiles);
        SoakServer server = new(
            await Site.StartAsync(0, MainReactorCount), await Site.StartAsync(0, OtherReactorCount), await RawSite.StartAsync());
        TaskScheduler.UnobservedTaskException += (_, unobserved) =>
        {
            Interlocked.Increment(ref server._unobserved);
            Console.Error.WriteLine($"fail: unobserved: {unobserved.Exception}");
        };
        server.Write($"ready {server._main.Port} {server._second.Port} {server._raw.Port}");
        List<Task> running = [];
        while (await Console.In.ReadLineAsync() is { } line)
        {
            running.RemoveAll(task => task.IsCompleted);
            running.Add(server.AnswerAsync(line));
        }

        await Task.WhenAll(running);
        await server._second.DisposeAsync();
        await server._main.DisposeAsync();
        await server._raw.DisposeAsync();
        return 0;
    }

    private async Task AnswerAsync(string line)
    {
        // The reader of the commands goes on at once.
        await Task.Yield();
        string[] words = line.Split(' ');
        string answer;
        try
        {
            answer = await RunAsync(words[1]);
        }
        catch (Exception exception)
        {
            // The driver reports it.
            answer = $"failed: {exception.Message}";
        }

        Write($"{words[0]} {answer}");
    }

    private async Task<string> RunAsync(string command)
    {
        switch (command)
        {
            case "ledger":
                return TakeLedger().Format();
            case "collect":
                CollectAll();
                return "done";
            case "storm":
                Storm();
                return "done";
            case "restart-host":
                await OneByOneAsync(RestartSecondAsync);
                return "done";
            case "restart-listener":
                await OneByOneAsync(_raw.RestartAsync);
                return "done";
            default:
                return "unknown";
        }
    }

    private static async Task OneByOneAsync(Func<Task> restartAsync)
    {
        await s_restarting.WaitAsync();
        try
        {
            await restartAsync();
        }
        finally
        {
            s_restarting.Release();
        }
    }

    private async Task RestartSecondAsync()
    {
        int port = _second.Port;
        await _second.DisposeAsync();
        _second = await Site.StartAsync(port, OtherReactorCount);
    }

    private Ledger TakeLedger()
    {
        IEnumerable<Reactor> reactors = _main.Group.Reactors.Concat(_second.Group.Reactors).Concat(_raw.Group.Reactors);
        ReactorSnapshot[] snapshots = [.. reactors.Select(reactor => reactor.Snapshot())];
        return new(
            snapshots.Sum(snapshot => snapshot.Connections),
            snapshots.Sum(snapshot => snapshot.OperationsInFlight),
            snapshots.Sum(snapshot => snapshot.BuffersTaken),
            snapshots.Sum(snapshot => snapshot.QueuedWork),
            Interlocked.Read(ref _unobserved) + _raw.UnhandledCount,
            GC.GetGCMemoryInfo(GCKind.Any).TotalCommittedBytes,
            GC.GetTotalMemory(forceFullCollection: false),
            snapshots.Sum(snapshot => snapshot.PooledBytes),
            GC.CollectionCount(0),
            GC.CollectionCount(1),
            GC.CollectionCount(2));
    }

    /// <summary>Leaves only what is alive, and hands free memory back to the kernel.</summary>
    private static void CollectAll()
    {
        for (int round = 0; round < 2; round++)
        {
            GCSettings.LargeObjectHeapCompactionMode = GCLargeObjectHeapCompactionMode.CompactOnce;
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            GC.WaitForPendingFinalizers();
        }
    }

    /// <summary>Collections of every generation, one after the other, with garbage in between.</summary>
    private static void Storm()
    {
        const int CollectionCount = 40;
        const int GarbageBytes = 20_000;
        for (int i = 0; i < CollectionCount; i++)
        {
            GC.KeepAlive(new byte[GarbageBytes]);
            GC.Collect(i % (GC.MaxGeneration + 1), GCCollectionMode.Forced, blocking: true, compacting: i % 2 == 0);
        }
    }

    private void Write(string line)
    {
        lock (_writing)
        {
            Console.Out.WriteLine(line);
            Console.Out.Flush();
        }
    }
}
