namespace Ioxide.TestKit;

/// <summary>Runs test code on a reactor and brings back what it returned or threw.</summary>
internal static class ReactorRuns
{
    internal static Task<T> RunAsync<T>(this Reactor reactor, Func<T> function) => reactor.RunAsync(() => Task.FromResult(function()));

    internal static Task RunAsync(this Reactor reactor, Action action)
        => reactor.RunAsync(() =>
        {
            action();
            return true;
        });

    internal static Task RunAsync(this Reactor reactor, Func<Task> function)
        => reactor.RunAsync(async () =>
        {
            await function().ConfigureAwait(true);
            return true;
        });

    /// <summary>The function starts on the reactor; the returned task completes elsewhere.</summary>
    internal static Task<T> RunAsync<T>(this Reactor reactor, Func<Task<T>> function)
    {
        TaskCompletionSource<T> completion = Waits.Signal<T>();
        reactor.Post(
            async _ =>
            {
                try
                {
                    completion.SetResult(await function().ConfigureAwait(true));
                }
                catch (Exception exception)
                {
                    // The test that awaits it gets it.
                    completion.SetException(exception);
                }
            },
            null);
        return completion.Task;
    }
}
