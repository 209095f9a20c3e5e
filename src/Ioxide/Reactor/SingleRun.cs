namespace Ioxide;

/// <summary>Work that runs once: the first caller starts it, and all wait for its end.</summary>
/// <remarks>No lock is held over it, because the work may take one under which others call here. Threads: any.</remarks>
internal sealed class SingleRun
{
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _hasBegun;

    /// <summary>It was asked for. Set before the work begins.</summary>
    internal bool HasBegun => Volatile.Read(ref _hasBegun);

    /// <summary>Begins the work on the caller's thread, unless it has begun. The result ends with it.</summary>
    internal Task Start(Func<Task> work)
    {
        if (!Interlocked.Exchange(ref _hasBegun, true))
        {
            _ = work().ContinueWith(
                _ended.SetFromTask, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        }

        return _ended.Task;
    }
}
