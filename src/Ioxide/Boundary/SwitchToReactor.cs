namespace Ioxide;

/// <summary>Moves its awaiter onto the reactor, by a post unless it runs there already. Does nothing if there is no reactor.</summary>
/// <param name="reactor">Null to stay where the code runs.</param>
/// <remarks>
/// Code that starts on the thread pool leaves the reactor again with the end of each nested await: a task that completes on a thread with a
/// context resumes no awaiter without one in place. Code that starts on the reactor stays there. If the reactor has ended, the code continues
/// on the thread pool.
/// </remarks>
[Experimental("IOX1001")]
public readonly struct SwitchToReactor(Reactor? reactor) : ICriticalNotifyCompletion
{
    private static readonly SendOrPostCallback s_run = static continuation => ((Action)continuation!)();

    /// <summary>The calling thread is the reactor's already, or there is no reactor.</summary>
    public bool IsCompleted => reactor is null or { IsCurrent: true };

    /// <summary>It is its own awaiter.</summary>
    public SwitchToReactor GetAwaiter() => this;

    /// <summary>Ends the await; it never throws.</summary>
    public void GetResult()
    {
    }

    /// <inheritdoc/>
    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    /// <inheritdoc/>
    public void UnsafeOnCompleted(Action continuation) => reactor!.SynchronizationContext.Post(s_run, continuation);
}
