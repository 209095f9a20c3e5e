namespace Ioxide.Pg;

/// <summary>Starts the driver's work on a reactor from another thread.</summary>
internal static class ReactorWork
{
    /// <summary>Runs work on a reactor, from any thread.</summary>
    internal static Task<T> OnReactorAsync<T>(Reactor reactor, Func<Task<T>> work)
    {
        var completion = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        bool isQueued = reactor.TryEnqueue(WorkItem.Of(work, completion, static (work, completion) => _ = RunAsync(work, completion)));
        if (!isQueued)
        {
            completion.SetException(new ObjectDisposedException(nameof(Reactor), $"Reactor {reactor.Id} has ended."));
        }

        return completion.Task;
    }

    private static async Task RunAsync<T>(Func<Task<T>> work, TaskCompletionSource<T> completion)
    {
        try
        {
            completion.SetResult(await work().ConfigureAwait(true));
        }
        catch (Exception exception)
        {
            completion.SetException(exception);
        }
    }
}
