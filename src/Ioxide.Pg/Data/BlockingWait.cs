namespace Ioxide.Pg.Data;

/// <summary>A synchronous method that waits for an asynchronous one, on any thread: on a reactor the ring turns meanwhile.</summary>
internal static class BlockingWait
{
    internal static TResult For<TState, TResult>(TState state, Func<TState, ValueTask<TResult>> start)
    {
        Task<TResult> task;
        using (Reactor.TakeOverHere())
        {
            // The runtime's own way: it is completed by the reactor itself, so that an exhausted thread pool does not matter.
            task = start(state).AsTask();
        }

        using ContextScope scope = Reactor.HandOverHere();
        return task.GetAwaiter().GetResult();
    }
}
