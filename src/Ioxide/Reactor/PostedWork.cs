namespace Ioxide;

/// <summary>Queues work for a reactor and waits for it: where it runs if not in the loop, and what happens if it throws.</summary>
[Experimental("IOX1001")]
public static class PostedWork
{
    private static readonly TimeSpan s_lookInterval = TimeSpan.FromMilliseconds(10);

    /// <inheritdoc cref="Enqueue(Reactor, in WorkItem)"/>
    public static void Enqueue<T>(this Reactor reactor, T target, Action<T> run, WorkOwner owner = WorkOwner.Runtime)
        where T : class => _ = reactor.TryEnqueue(WorkItem.Of(target, run, owner));

    /// <summary>Queues work. Dropped silently only when the reactor has ended, where everything it owned is gone too. Threads: any.</summary>
    public static void Enqueue(this Reactor reactor, in WorkItem item) => _ = reactor.TryEnqueue(item);

    /// <inheritdoc cref="Reactor.TryEnqueue(in WorkItem)"/>
    public static bool TryEnqueue<T>(this Reactor reactor, T target, Action<T> run, WorkOwner owner = WorkOwner.Runtime)
        where T : class => reactor.TryEnqueue(WorkItem.Of(target, run, owner));

    /// <inheritdoc cref="EnqueueOrPool(Reactor, in WorkItem)"/>
    public static void EnqueueOrPool<T>(this Reactor reactor, T target, Action<T> run, WorkOwner owner = WorkOwner.Runtime)
        where T : class => reactor.EnqueueOrPool(WorkItem.Of(target, run, owner));

    /// <summary>Queues work that must not be lost: after the reactor has ended, it runs on the thread pool. Threads: any.</summary>
    public static void EnqueueOrPool(this Reactor reactor, in WorkItem item)
    {
        if (!reactor.TryEnqueue(item))
        {
            reactor.RunOnThreadPool(item);
        }
    }

    /// <summary>Waits for work that the reactor completes, but only while it turns. Threads: any but a reactor's.</summary>
    /// <param name="reactor">The reactor.</param>
    /// <param name="task">Completed by the reactor, at once or a few turns from now. What it throws, the wait throws.</param>
    /// <param name="limit">A turn that has held the reactor up for this long is not waited for. One that waits for a processor is.</param>
    /// <returns>False if the wait was given up. The task may still complete when the reactor turns again.</returns>
    public static async Task<bool> WaitWhileTurningAsync(this Reactor reactor, Task task, TimeSpan limit)
    {
        while (!task.IsCompleted)
        {
            await Task.WhenAny(task, reactor.Kernel.DelayAsync(s_lookInterval)).ConfigureAwait(false);
            if (!task.IsCompleted && reactor.Clock.Read().Held >= limit)
            {
                return false;
            }
        }

        await task.ConfigureAwait(false);
        return true;
    }

    internal static void RunOnThreadPool(this Reactor reactor, in WorkItem item)
        => reactor.Kernel.QueueToThreadPool(
            static work => work.Reactor.RunGuarded(work.Item), (Reactor: reactor, Item: item));

    internal static void RunGuarded(this Reactor reactor, in WorkItem item)
    {
        try
        {
            item.Run();
        }
        catch (Exception exception)
        {
            reactor.ReportUnhandled(exception);
        }
    }
}
