using System.Globalization;
using System.Runtime;

namespace Ioxide.LoadServer;

/// <summary>
/// Lines <c>NUMBER COMMAND</c> of standard input, answered by <c>NUMBER TEXT</c>: <c>stats</c> gives a <see cref="HostStats"/>,
/// <c>collect</c> one after a collection, <c>storm</c> collects over and over, <c>restart INDEX</c> restarts a site.
/// </summary>
internal sealed class ServerCommands
{
    private static readonly SemaphoreSlim s_restarting = new(1);
    private static long s_unhandled;

    private readonly IReadOnlyList<Site> _sites;

    internal ServerCommands(IReadOnlyList<Site> sites)
    {
        _sites = sites;
        TaskScheduler.UnobservedTaskException += static (_, unobserved) => CountUnhandled(unobserved.Exception);
        AppDomain.CurrentDomain.AssemblyLoad += static (_, loaded) => Console.Error.WriteLine($"info: loaded {loaded.LoadedAssembly}");
    }

    internal static void CountUnhandled(Exception exception)
    {
        Interlocked.Increment(ref s_unhandled);
        Console.Error.WriteLine($"fail: nobody handled {exception}");
    }

    /// <summary>Completes when standard input has ended. The console reads it blocking, so that takes a thread.</summary>
    internal Task AnswerToEndAsync() => Task.Factory.StartNew(
        () =>
        {
            while (Console.In.ReadLine() is { } line)
            {
                _ = Task.Run(() => AnswerAsync(line.Split(' ')));
            }
        },
        CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private async Task AnswerAsync(string[] words)
    {
        string answer;
        try
        {
            answer = await RunAsync(words[1], words);
        }
        catch (Exception exception)
        {
            // Who asked reports it.
            answer = $"failed: {exception.Message}";
        }

        Console.WriteLine($"{words[0]} {answer}");
    }

    private async Task<string> RunAsync(string command, string[] words)
    {
        switch (command)
        {
            case "stats":
                return Read();
            case "collect":
                CollectAll();
                return Read();
            case "storm":
                Storm();
                return "done";
            case "restart":
                await RestartAsync(_sites[int.Parse(words[2], CultureInfo.InvariantCulture)]);
                return "done";
            default:
                throw new ArgumentException($"No command is named {command}.", nameof(command));
        }
    }

    private string Read()
        => (HostStats.Read(_sites.Select(static site => site.Group)) with { Unhandled = Interlocked.Read(ref s_unhandled) }).ToJson();

    private static async Task RestartAsync(Site site)
    {
        await s_restarting.WaitAsync();
        try
        {
            await site.RestartAsync();
        }
        finally
        {
            s_restarting.Release();
        }
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
}
