using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace Ioxide;

/// <summary>What the runtime asks of the kernel and of the clock. Here it is Linux; tests put another one in its place.</summary>
/// <remarks>
/// The queues of a ring are plain memory, so entries, completions and buffers pass no seam. What passes it are system
/// calls, one or two a turn, and a virtual call beside one of them is not measurable (bench/RESULTS.md).
/// </remarks>
internal unsafe class Kernel
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
        => ReactorSynchronizationContext.WaitPlainly(handles, waitAll, timeoutMs);

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

    internal virtual int RingSetup(uint entries, RingParams* parameters) => Sys.RingSetup(entries, parameters);

    internal virtual int RingEnter(
        int fd, uint toSubmit, uint minComplete, EnterFlags flags, void* argument, nuint argumentSize)
        => Sys.RingEnter(fd, toSubmit, minComplete, flags, argument, argumentSize);

    internal virtual int RingRegister(int fd, RegisterOpcode opcode, void* argument, uint count)
        => Sys.RingRegister(fd, opcode, argument, count);

    internal virtual void* Map(nuint length, int protection, int flags, int fd, long offset, out int error)
        => Sys.Map(length, protection, flags, fd, offset, out error);

    internal virtual int Unmap(void* address, nuint length) => Sys.Unmap(address, length);

    internal virtual int Close(int fd) => Sys.Close(fd);

    internal virtual int Socket(int family, int type, int protocol) => Sys.Socket(family, type, protocol);

    internal virtual int Bind(int fd, byte* address, uint length) => Sys.Bind(fd, address, length);

    internal virtual int Listen(int fd, int backlog) => Sys.Listen(fd, backlog);

    internal virtual int Accept(int fd, int flags) => Sys.Accept(fd, flags);

    internal virtual int Shutdown(int fd, int how) => Sys.Shutdown(fd, how);

    internal int SetSocketOption(int fd, int level, int option, int value)
        => SetSocketOption(fd, level, option, &value, sizeof(int));

    internal virtual int SetSocketOption(int fd, int level, int option, void* value, uint length)
        => Sys.SetSocketOption(fd, level, option, value, length);

    internal int GetSocketOption(int fd, int level, int option, out int value)
    {
        int read = 0;
        uint length = sizeof(int);
        int result = GetSocketOption(fd, level, option, &read, &length);
        value = read;
        return result;
    }

    internal virtual int GetSocketOption(int fd, int level, int option, void* value, uint* length)
        => Sys.GetSocketOption(fd, level, option, value, length);

    internal virtual int GetSocketName(int fd, byte* address, uint* length) => Sys.GetSocketName(fd, address, length);

    internal virtual int GetPeerName(int fd, byte* address, uint* length) => Sys.GetPeerName(fd, address, length);

    internal virtual int EventDescriptor() => Sys.EventDescriptor();

    internal virtual int Write(int fd, void* buffer, nuint length) => Sys.Write(fd, buffer, length);

    internal virtual int Send(int fd, void* buffer, nuint length, uint flags) => Sys.Send(fd, buffer, length, flags);

    /// <summary>What <see cref="SendPages"/> needs; null where the kernel refuses a call of it.</summary>
    internal virtual PagePipe? OpenPagePipe(out CallRefusal refusal) => PagePipe.TryOpen(out refusal);

    internal virtual int SendPages(PagePipe pipe, int fd, void* memory, nuint length) => pipe.Send(fd, (byte*)memory, length);

    internal virtual int BytesAvailable(int fd) => Sys.BytesAvailable(fd);

    internal virtual int Duplicate(int fd) => Sys.Duplicate(fd);

    /// <inheritdoc cref="Sys.SetNonBlocking"/>
    internal virtual int SetNonBlocking(int fd, bool isNonBlocking) => Sys.SetNonBlocking(fd, isNonBlocking);

    /// <summary>Accepts what waits, or returns <c>-EAGAIN</c>, and leaves the listener in the mode in which it was.</summary>
    /// <remarks>Threads: one at a time for a listener; the mode is the open file's.</remarks>
    internal int AcceptNow(int fd, int flags)
    {
        int changed = SetNonBlocking(fd, isNonBlocking: true);
        if (changed < 0)
        {
            return changed;
        }

        int accepted = Accept(fd, flags);
        if (changed > 0)
        {
            _ = SetNonBlocking(fd, isNonBlocking: false);
        }

        return accepted;
    }

    internal virtual int SetCloseOnExec(int fd) => Sys.SetCloseOnExec(fd);

    /// <summary>Descriptors that the process has open, or <c>-errno</c>.</summary>
    internal virtual int CountDescriptors() => Sys.CountDescriptors();

    internal virtual int GetResourceLimit(int resource, ResourceLimit* limit) => Sys.GetResourceLimit(resource, limit);

    /// <summary>An invariant is broken, and going on could let the kernel write into memory that others use.</summary>
    [DoesNotReturn]
    internal virtual void Fail(string what) => Breach.Fail(what);
}
