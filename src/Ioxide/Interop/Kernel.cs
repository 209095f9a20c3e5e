using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace Ioxide;

/// <summary>What the runtime asks of the kernel and of the clock. Here it is Linux; tests put another one in its place.</summary>
/// <remarks>
/// The queues of a ring are plain memory, so entries, completions and buffers pass no seam. What passes it are system
/// calls, one or two a turn, and a virtual call beside one of them is not measurable (bench/RESULTS.md).
/// </remarks>
internal unsafe partial class Kernel
{
    internal static readonly Kernel Linux = new();

    private static readonly ConcurrentBag<object> s_kept = [];

    private int _acceptorCount;

    protected Kernel()
    {
    }

    /// <summary>Acceptors of the process, each of which may take a descriptor at any moment.</summary>
    internal int AcceptorCount => Volatile.Read(ref _acceptorCount);

    internal void AddAcceptors(int count) => Interlocked.Add(ref _acceptorCount, count);

    /// <summary>Ticks of <see cref="Stopwatch"/>.</summary>
    internal virtual long Timestamp() => Stopwatch.GetTimestamp();

    /// <summary>Lets other threads run.</summary>
    internal virtual void Yield() => Thread.Yield();

    /// <summary>As <see cref="WaitHandle.WaitAny(WaitHandle[], int)"/> or its sibling for all; for application code that blocks on a reactor.</summary>
    internal virtual int WaitHandles(nint[] handles, bool waitAll, int timeoutMs)
        => PlainWait.For(handles, waitAll, timeoutMs);

    internal virtual void Sleep(int milliseconds) => Thread.Sleep(milliseconds);

    /// <summary>Completes after the time, for code of other threads that looks at a reactor now and then.</summary>
    internal virtual Task DelayAsync(TimeSpan delay) => Task.Delay(delay);

    /// <summary>The context of a thread pool that is played, or null where it is the process's own.</summary>
    internal virtual SynchronizationContext? ThreadPoolContext => null;

    /// <summary>Runs the callback on the thread pool. An exception that it throws ends the process.</summary>
    internal void QueueToThreadPool<TState>(Action<TState> callback, TState state)
    {
        if (ThreadPoolContext is { } context)
        {
            Play(context, callback, state);
            return;
        }

        ThreadPool.UnsafeQueueUserWorkItem(callback, state, preferLocal: false);
    }

    private static void Play<TState>(SynchronizationContext context, Action<TState> callback, TState state)
        => context.Post(_ => callback(state), null);

    /// <summary>Keeps an object, and the memory that it owns, for as long as the kernel or a thread may still use it: for good.</summary>
    internal virtual void KeepForGood(object owner) => s_kept.Add(owner);

    /// <summary>An invariant is broken, and going on could let the kernel write into memory that others use.</summary>
    [DoesNotReturn]
    internal virtual void Fail(string what) => Breach.Fail(what);
}
