using System.Globalization;

namespace Ioxide;

/// <summary>Threads that run against each other, each with its own <see cref="StoreBuffer"/>. A failure names the seed.</summary>
internal sealed class Race
{
    // A race that lasts longer waits for what never comes. Far above what a busy machine takes.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(int.Parse(
        Environment.GetEnvironmentVariable("IOXIDE_PATIENCE_SECONDS") ?? "60", CultureInfo.InvariantCulture));

    private static readonly int s_firstSeed = int.Parse(Environment.GetEnvironmentVariable("IOXIDE_SEED") ?? "1", CultureInfo.InvariantCulture);

    private static long s_started;

    private readonly int _seed;
    private readonly Action<Random>[] _parts;
    private int _ready;
    private Exception? _failure;

    private Race(int seed, Action<Random>[] parts)
    {
        _seed = seed;
        _parts = parts;
    }

    /// <summary>Runs the parts, each on a thread of its own, and throws what one of them threw. The collector stays away.</summary>
    /// <param name="number">Which of the test's races; the seed follows from it.</param>
    /// <param name="parts">Each gets a random generator of its own.</param>
    internal static void Run(int number, params Action<Random>[] parts)
    {
        var race = new Race(s_firstSeed + number, parts);
        using (var heap = new StillHeap())
        {
            System.Threading.Volatile.Write(ref s_started, Stopwatch.GetTimestamp());
            Thread[] threads = [.. Enumerable.Range(0, parts.Length).Select(race.StartThread)];

            // Each of their loops gives up by itself, so that none of them outlives what it uses.
            Array.ForEach(threads, static thread => thread.Join());
        }

        Assert.True(race._failure is null, $"seed {race._seed} (IOXIDE_SEED={race._seed}): {race._failure}");
    }

    /// <summary>Waits for another thread. Each look is an access, so that stores of this one become visible meanwhile.</summary>
    internal static void Until(Func<bool> condition, string what)
    {
        while (!condition())
        {
            StoreBuffer.Here?.Pause();
            Yield(what);
        }
    }

    /// <summary>Lets other threads run. Throws where the race lasts too long.</summary>
    internal static void Yield(string what)
    {
        Thread.Yield();
        if (Stopwatch.GetElapsedTime(System.Threading.Volatile.Read(ref s_started)) > s_patience)
        {
            throw new TimeoutException($"It waits for ever for {what}.");
        }
    }

    private Thread StartThread(int part)
    {
        var thread = new Thread(() => RunPart(part)) { IsBackground = true };
        thread.Start();
        return thread;
    }

    private void RunPart(int part)
    {
        var random = new Random((_seed * 31) + part);
        try
        {
            // Its end may throw too: what is held back until then becomes visible there.
            using StoreBuffer buffer = StoreBuffer.Begin((_seed * 131) + part);
            System.Threading.Interlocked.Increment(ref _ready);

            // One that could not begin does not come.
            while (System.Threading.Volatile.Read(ref _ready) < _parts.Length && System.Threading.Volatile.Read(ref _failure) is null)
            {
                Thread.Yield();
            }

            _parts[part](random);
        }
        catch (Exception exception)
        {
            System.Threading.Interlocked.CompareExchange(ref _failure, exception, null);
        }
    }
}
