namespace Ioxide.Pg.Data;

/// <summary>Waits synchronously for an asynchronous method, on any thread. On a reactor the ring turns meanwhile.</summary>
internal static class BlockingWait
{
    /// <summary>Waits for a method that a reactor completes.</summary>
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

    /// <summary>Waits until it is disposed.</summary>
    internal static void For(IAsyncDisposable disposable) => For(disposable, static async disposable =>
    {
        await disposable.DisposeAsync().ConfigureAwait(false);
        return true;
    });

    /// <summary>
    /// Waits for commands, which the reactor runs to their end: a caller outside would be resumed by a thread of the pool, and all of them may wait
    /// here.
    /// </summary>
    internal static TResult For<TState, TResult>(PgSession session, TState state, Func<TState, ValueTask<TResult>> start)
        => For((session.Connection.Reactor, state, start), static run => run.Reactor is { IsCurrent: false, HasEnded: false }
            ? new ValueTask<TResult>(ReactorWork.OnReactorAsync(run.Reactor, () => run.start(run.state).AsTask()))
            : run.start(run.state));
}
