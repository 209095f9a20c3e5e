namespace Ioxide.Pg;

/// <summary>Work of attempts to connect that runs once at a time, for all that ask meanwhile.</summary>
/// <remarks>Threads: any; the work has a thread of its own.</remarks>
internal sealed class SharedRun<T>(Func<T> work)
{
    private RuntimeLock _lock;
    private TaskCompletionSource<T>? _result;

    /// <summary>Joins the run that is under way, or starts one.</summary>
    internal Task<T> GetAsync(CancellationToken cancellationToken)
    {
        TaskCompletionSource<T> result;
        bool isNew = false;
        using (_lock.Hold())
        {
            if (_result is null or { Task.IsCompleted: true })
            {
                _result = new TaskCompletionSource<T>();
                ConnectThread.NoteSeen(_result.Task);
                isNew = true;
            }

            result = _result;
        }

        if (isNew)
        {
            ConnectThread.RunAsync(work).ContinueWith(
                static (run, result) => ((TaskCompletionSource<T>)result!).SetFromTask(run),
                result,
                CancellationToken.None,
                TaskContinuationOptions.ExecuteSynchronously,
                TaskScheduler.Default);
        }

        return result.Task.WaitAsync(cancellationToken);
    }
}
