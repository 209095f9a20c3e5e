namespace Ioxide.Pg.Data;

/// <summary>Waits synchronously for an asynchronous method, on any thread. On a reactor the ring turns meanwhile.</summary>
internal static class BlockingWait
{
    internal static TResult For<TState, TResult>(TState state, Func<TState, ValueTask<TResult>> start)
    {
        Task<TResult> task;
        using (Reactor.EnterRuntimeHere())
        {
            // The reactor itself completes the task, so an exhausted thread pool does not matter.
            task = start(state).AsTask();
        }

        using ContextScope scope = Reactor.EnterApplicationHere();
        return task.GetAwaiter().GetResult();
    }
}
