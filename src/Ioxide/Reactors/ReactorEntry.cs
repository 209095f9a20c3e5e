using System.Runtime.CompilerServices;

namespace Ioxide;

/// <summary>Moves its awaiter onto the reactor, by a post unless it runs there already. Does nothing if there is no reactor.</summary>
/// <remarks>
/// Code that starts on the thread pool leaves the reactor again with the end of each nested await: a task that completes on a thread with a
/// context resumes no awaiter without one in place. Code that starts on the reactor stays there. If the reactor has ended, the code continues
/// on the thread pool.
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
