using System.IO.Pipelines;

namespace Ioxide;

/// <summary>Brings the code behind an await back to the reactor that it started on.</summary>
/// <remarks>
/// Awaits of the runtime's own operations do not go through it: they resume on the reactor by themselves. It is there for
/// all others: <c>Task.Delay</c>, <c>Task.Run</c>, an HTTP client, <c>Task.Yield</c>.
/// </remarks>
internal sealed class ReactorSynchronizationContext(Reactor reactor) : SynchronizationContext
{
    private static readonly Action<object?, object?, long, long> s_run =
        static (callback, state, _, _) => ((SendOrPostCallback)callback!)(state);

    /// <summary>
    /// Queues the callback; it never runs inside this call. When the reactor has ended it runs on the thread pool, so that
    /// what an application still has to clean up is not lost.
    /// </summary>
    public override void Post(SendOrPostCallback d, object? state)
    {
        if (!reactor.TryEnqueue(new WorkItem(s_run, d, state)))
        {
            ThreadPool.UnsafeQueueUserWorkItem(static work => work.d(work.state), (d, state), preferLocal: false);
        }
    }

    /// <summary>Runs the callback and waits for it. On another reactor's thread that stalls this reactor.</summary>
    public override void Send(SendOrPostCallback d, object? state)
    {
        if (reactor.IsCurrent)
        {
            d(state);
            return;
        }

        var completion = new TaskCompletionSource();
        bool isQueued = reactor.TryEnqueue(new WorkItem(
            (_, _, _, _) =>
            {
                try
                {
                    d(state);
                    completion.SetResult();
                }
                catch (Exception exception)
                {
                    // The waiting caller gets it, as the contract of Send has it.
                    completion.SetException(exception);
                }
            },
            null));
        if (!isQueued)
        {
            throw new ObjectDisposedException(nameof(Reactor), $"Reactor {reactor.Id} has ended.");
        }

        completion.Task.GetAwaiter().GetResult();
    }

    public override SynchronizationContext CreateCopy() => this;
}

/// <summary>Runs what pipes schedule on a reactor: later in the same turn, or posted from another thread.</summary>
internal sealed class ReactorScheduler(Reactor reactor) : PipeScheduler
{
    private static readonly Action<object?, object?, long, long> s_run =
        static (action, state, _, _) => ((Action<object?>)action!)(state);

    public override void Schedule(Action<object?> action, object? state) => reactor.Enqueue(new WorkItem(s_run, action, state));
}
