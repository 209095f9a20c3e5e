using System.Collections.Concurrent;

namespace Ioxide;

/// <summary>The runtime's calls of the kernel and the clock. This one is Linux; tests replace it.</summary>
/// <remarks>
/// The queues of a ring are plain memory, so entries, completions and buffers pass no seam. Only system calls do, one or two per turn;
/// the cost of a virtual call beside one of them is not measurable (bench/RESULTS.md).
/// </remarks>
internal unsafe partial class Kernel
{
    internal static readonly Kernel Linux = new();

    /// <summary>Linux without io_uring.</summary>
    internal static readonly Kernel Epoll = new EpollKernel();

    private static readonly ConcurrentBag<object> s_kept = [];

    private int _acceptorCount;

    protected Kernel()
    {
    }

    /// <summary>Acceptors of the process. Each may take a descriptor at any moment.</summary>
    internal int AcceptorCount => Volatile.Read(ref _acceptorCount);

    internal void AddAcceptors(int count) => Interlocked.Add(ref _acceptorCount, count);

    /// <summary>The kernel of a choice between <see cref="KernelChoice.IoUring"/> and <see cref="KernelChoice.Epoll"/>.</summary>
    internal static Kernel Of(KernelChoice choice) => choice == KernelChoice.Epoll ? Epoll : Linux;

    /// <summary>What its rings are made of.</summary>
    internal virtual KernelChoice Choice => KernelChoice.IoUring;

    /// <summary>The name of that for people and programs.</summary>
    internal string Name => Choice == KernelChoice.Epoll ? "epoll" : "io_uring";

    /// <summary>The call of <see cref="RingSetup"/>, for messages.</summary>
    internal virtual string SetupCall => "io_uring_setup";

    /// <summary>Ticks of <see cref="Stopwatch"/>.</summary>
    internal virtual long Timestamp() => Stopwatch.GetTimestamp();

    /// <summary>What the calling thread does with its time, or null for a kernel whose time is made up.</summary>
    internal virtual ThreadSchedule? OpenThreadSchedule() => new();

    /// <summary>Lets other threads run.</summary>
    internal virtual void Yield() => Thread.Yield();

    /// <summary>As <see cref="WaitHandle.WaitAny(WaitHandle[], int)"/> or WaitAll, for application code that blocks on a reactor.</summary>
    internal virtual int WaitHandles(nint[] handles, bool waitAll, int timeoutMs)
        => PlainWait.For(handles, waitAll, timeoutMs);

    /// <summary>A thread that waits for such code in a handle's queue.</summary>
    internal virtual QueuedWait MakeQueuedWait(string name, Action answered) => new(name, answered);

    internal virtual void Sleep(int milliseconds) => Thread.Sleep(milliseconds);

    /// <summary>Completes after the time, for code of other threads that polls a reactor.</summary>
    internal virtual Task DelayAsync(TimeSpan delay) => Task.Delay(delay);

    /// <summary>The context of a simulated thread pool, or null for the process's own.</summary>
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

    /// <inheritdoc cref="QueueToThreadPool{TState}"/>
    internal void QueueToThreadPool(IThreadPoolWorkItem item)
    {
        if (ThreadPoolContext is { } context)
        {
            Play(context, static item => item.Execute(), item);
            return;
        }

        ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false);
    }

    private static void Play<TState>(SynchronizationContext context, Action<TState> callback, TState state)
        => context.Post(_ => callback(state), null);

    /// <summary>Keeps an object and its memory for good, because the kernel or a thread may still use them.</summary>
    internal virtual void KeepForGood(object owner) => s_kept.Add(owner);

    /// <summary>An invariant is broken, and continuing could let the kernel write into memory that others use.</summary>
    /// <param name="what">What is broken.</param>
    /// <param name="state">The state of the object that found it, in one line.</param>
    [DoesNotReturn]
    internal virtual void Fail(string what, string state) => Breach.Fail(what, state);
}
