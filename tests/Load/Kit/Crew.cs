namespace Ioxide.LoadKit;

/// <summary>Threads of their own for peers that block.</summary>
internal static class Crew
{
    /// <summary>Runs the work once on each of so many threads. Completes when all are done; fails with what they threw.</summary>
    internal static Task RunAsync(int threads, Action<int> work)
        => Task.WhenAll(Enumerable.Range(0, threads).Select(thread => Task.Factory.StartNew(
            () => work(thread), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)));

    /// <summary>Runs the work once for each index, on so many threads.</summary>
    internal static Task ForEachAsync(int count, int threads, Action<int> work)
    {
        int next = -1;
        return RunAsync(threads, _ =>
        {
            for (int index = Interlocked.Increment(ref next); index < count; index = Interlocked.Increment(ref next))
            {
                work(index);
            }
        });
    }
}
