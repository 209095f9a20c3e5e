using System.Runtime.CompilerServices;

namespace Ioxide;

/// <summary>Brings what awaits it onto the reactor, posted unless it runs there already. Does nothing where there is none.</summary>
/// <remarks>
/// Code that starts on the thread pool leaves the reactor again with the end of each nested await: a task that completes on a thread
/// with a context runs nothing in place that awaited it without one. Code that starts on the reactor stays there. Where the reactor
/// has ended it goes on, on the thread pool.
/// </remarks>
internal readonly struct ReactorEntry(Reactor? reactor) : ICriticalNotifyCompletion
{
    private static readonly SendOrPostCallback s_run = static continuation => ((Action)continuation!)();

    public bool IsCompleted => reactor is null or { IsCurrent: true };

    public ReactorEntry GetAwaiter() => this;

    public void GetResult()
    {
    }

    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    public void UnsafeOnCompleted(Action continuation) => reactor!.SynchronizationContext.Post(s_run, continuation);
}
