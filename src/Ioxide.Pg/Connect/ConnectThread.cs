namespace Ioxide.Pg;

/// <summary>What an attempt to connect does for milliseconds, on a thread of its own: it would hold up a reactor.</summary>
/// <remarks>
/// Not on the thread pool: callers that block in <c>Open</c> may hold all its threads, and wait for this work. A new thread costs about 0.1 ms, a
/// handshake several.
/// </remarks>
internal static class ConnectThread
{
    private const TaskCreationOptions OwnThread = TaskCreationOptions.LongRunning | TaskCreationOptions.DenyChildAttach;

    /// <summary>Runs the work on a new thread. A cancelled caller leaves it to its end.</summary>
    internal static Task<T> RunAsync<T>(Func<T> work, CancellationToken cancellationToken)
        => RunAsync(work).WaitAsync(cancellationToken);

    /// <inheritdoc cref="RunAsync(Action)"/>
    internal static Task<T> RunAsync<T>(Func<T> work)
    {
        Task<T> run = Task.Factory.StartNew(work, CancellationToken.None, OwnThread, TaskScheduler.Default);
        NoteSeen(run);
        return run;
    }

    /// <summary>Runs the work on a new thread.</summary>
    internal static Task RunAsync(Action work)
        => Task.Factory.StartNew(work, CancellationToken.None, OwnThread, TaskScheduler.Default);

    /// <summary>Its error is no unobserved one: all who have asked for it may have given up before.</summary>
    internal static void NoteSeen(Task run)
        => run.ContinueWith(
            static run => _ = run.Exception,
            CancellationToken.None,
            TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
}
