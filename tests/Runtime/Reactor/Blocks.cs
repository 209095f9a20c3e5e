using System.Collections.Concurrent;

namespace Ioxide.Tests;

/// <summary>Ways to block a thread until something has happened that needs the same reactor's thread.</summary>
internal static class Blocks
{
    internal static bool Until(string kind, Reactor reactor)
    {
        // It starts on the reactor and comes back to it: the blocked thread.
        Task work = WorkAsync(reactor);
        switch (kind)
        {
            case "Result":
                return work.ContinueWith(_ => true, TaskScheduler.Default).Result;
            case "Wait":
                return work.Wait(60.Seconds());
            case "GetResult":
                work.GetAwaiter().GetResult();
                return true;
            case "Delay":
                return reactor.DelayAsync(20.Milliseconds()).AsTask().Wait(60.Seconds());
            case "ManualResetEventSlim":
                using (var done = new ManualResetEventSlim())
                {
                    work.GetAwaiter().OnCompleted(done.Set);
                    return done.Wait(60.Seconds());
                }

            case "ManualResetEvent":
                using (var done = new ManualResetEvent(false))
                {
                    work.GetAwaiter().OnCompleted(() => done.Set());
                    return done.WaitOne(60.Seconds());
                }

            case "SemaphoreSlim":
                using (var done = new SemaphoreSlim(0))
                {
                    work.GetAwaiter().OnCompleted(() => done.Release());
                    return done.Wait(60.Seconds());
                }

            case "Lock":
                return UntilLock(work);
            case "Monitor":
                return UntilMonitor(work);
            case "MonitorWait":
                object condition = new();
                bool isDone = false;
                work.GetAwaiter().OnCompleted(() =>
                {
                    lock (condition)
                    {
                        isDone = true;
                        Monitor.Pulse(condition);
                    }
                });
                lock (condition)
                {
                    return isDone || Monitor.Wait(condition, 60.Seconds());
                }

            case "Join":
                var thread = new Thread(() => work.Wait()) { IsBackground = true };
                thread.Start();
                return thread.Join(60.Seconds());
            case "BlockingCollection":
                using (var items = new BlockingCollection<int>())
                {
                    work.GetAwaiter().OnCompleted(() => items.Add(1));
                    return items.TryTake(out _, 60_000);
                }

            default:
                using (var one = new ManualResetEvent(false))
                using (var two = new AutoResetEvent(false))
                {
                    work.GetAwaiter().OnCompleted(() => one.Set());
                    WorkAsync(reactor).GetAwaiter().OnCompleted(() => two.Set());
                    return WaitHandle.WaitAll([one, two], 60.Seconds());
                }
        }
    }

    private static async Task WorkAsync(Reactor reactor)
    {
        await Task.Yield();
        await reactor.DelayAsync(10.Milliseconds());
        await Task.Delay(5);
    }

    private static bool UntilLock(Task work)
    {
        var gate = new Lock();
        using var isHeld = new ManualResetEventSlim();
        ThreadPool.UnsafeQueueUserWorkItem(
            _ =>
            {
                lock (gate)
                {
                    isHeld.Set();
                    work.Wait();
                }
            },
            null);
        isHeld.Wait();
        lock (gate)
        {
            return work.IsCompleted;
        }
    }

    private static bool UntilMonitor(Task work)
    {
        object gate = new();
        using var isHeld = new ManualResetEventSlim();
        ThreadPool.UnsafeQueueUserWorkItem(
            _ =>
            {
                lock (gate)
                {
                    isHeld.Set();
                    work.Wait();
                }
            },
            null);
        isHeld.Wait();
        return Monitor.TryEnter(gate, 60.Seconds()) && work.IsCompleted;
    }
}
