using System.Runtime.ExceptionServices;

namespace Ioxide;

/// <summary>The context of application code on a reactor: resumes awaits there, and keeps the ring turning in blocked waits.</summary>
/// <remarks>
/// <para>Awaits of the runtime's own operations do not use it: they resume on the reactor themselves. It serves
/// all others: <c>Task.Delay</c>, <c>Task.Run</c>, an HTTP client, <c>Task.Yield</c>.</para>
/// <para>It is current only while the application has control (<see cref="Reactor.EnterApplication"/>). The runtime calls <see cref="Wait"/> on the
/// thread that blocks, for every managed wait that really blocks, but not for <c>Thread.Sleep</c> and system calls.
/// Source: SynchronizationContext.SetWaitNotificationRequired.</para>
/// </remarks>
internal sealed class ReactorSynchronizationContext : SynchronizationContext
{
    private readonly Reactor _reactor;

    internal ReactorSynchronizationContext(Reactor reactor)
    {
        _reactor = reactor;
        SetWaitNotificationRequired();
    }

    /// <summary>
    /// Queues the callback; it never runs inside this call. It runs on the thread pool while a handler blocks the reactor, and after the
    /// reactor has ended, so that the application's clean-up is not lost. An exception of the callback ends the process, as on the thread pool:
    /// most are those of <c>async void</c> methods, which no caller can catch.
    /// </summary>
    public override void Post(SendOrPostCallback d, object? state)
    {
        FlowingPost.Wrap(ref d, ref state);
        PostAsIs(d, state);
    }

    /// <summary>As <see cref="Post"/>, for a callback that brings its execution context itself.</summary>
    internal void PostAsIs(SendOrPostCallback d, object? state)
    {
        // What a ValueTask's source resumes comes as this (ManualResetValueTaskSourceCore, .NET 10). Anything else waits for the next turn, as
        // Task.Yield has to; so would this, if a later version posts it differently.
        bool resumesAwait = d.Target is Action<object?>;
        if (!_reactor.TryEnqueue(resumesAwait ? WorkItem.OfAwait(d, state, Run) : WorkItem.Of(d, state, Run, WorkOwner.Application)))
        {
            _reactor.Kernel.QueueToThreadPool(static work => work.d(work.state), (d, state));
        }
    }

    /// <summary>Runs the callback and waits for it.</summary>
    public override void Send(SendOrPostCallback d, object? state)
    {
        if (_reactor.IsCurrent)
        {
            d(state);
            return;
        }

        // What the callback throws, the waiting caller receives.
        var call = new Task(() => d(state));
        if (!_reactor.TryEnqueue(call, static call => call.RunSynchronously(TaskScheduler.Default), WorkOwner.Application))
        {
            throw new ObjectDisposedException(nameof(Reactor), $"Reactor {_reactor.Id} has ended.");
        }

        call.GetAwaiter().GetResult();
    }

    /// <inheritdoc/>
    public override int Wait(nint[] waitHandles, bool waitAll, int millisecondsTimeout)
        => _reactor.IsCurrent
            ? _reactor.Blocked.Wait(waitHandles, waitAll, millisecondsTimeout)
            : WaitHelper(waitHandles, waitAll, millisecondsTimeout);

    public override SynchronizationContext CreateCopy() => this;

    private static void Run(SendOrPostCallback callback, object? state)
    {
        try
        {
            callback(state);
        }
        catch (Exception exception)
        {
            ThreadPool.UnsafeQueueUserWorkItem(static thrown => thrown.Throw(), ExceptionDispatchInfo.Capture(exception), preferLocal: false);
        }
    }
}

/// <summary>The context of the runtime's own code on a reactor: its awaits resume on the reactor, whatever blocks there.</summary>
/// <remarks>
/// Current on the reactor's thread whenever the application has no control. It asks for no wait notification: half-changed state
/// must not be entered again.
/// </remarks>
internal sealed class RuntimeContext(Reactor reactor) : SynchronizationContext
{
    /// <summary>Whether the calling code is the runtime's own, on a reactor.</summary>
    internal static bool IsCurrent => Current is RuntimeContext;

    /// <summary>Queues the callback; it never runs inside this call. After the reactor has ended, it runs on the thread pool.</summary>
    public override void Post(SendOrPostCallback d, object? state)
    {
        if (!reactor.TryEnqueue(WorkItem.Of(d, state, static (callback, state) => callback(state))))
        {
            reactor.Kernel.QueueToThreadPool(static work => work.d(work.state), (d, state));
        }
    }

    public override SynchronizationContext CreateCopy() => this;
}

/// <summary>
/// Runs scheduled work of pipes on a reactor: later in the same turn, or posted from another thread. On the thread pool after the reactor has ended.
/// </summary>
internal sealed class ReactorScheduler(Reactor reactor) : PipeScheduler
{
    public override void Schedule(Action<object?> action, object? state)
        => reactor.EnqueueOrPool(WorkItem.Of(action, state, static (action, state) => action(state), WorkOwner.Application));
}
