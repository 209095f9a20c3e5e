using System.Runtime.CompilerServices;

namespace Ioxide.Pg;

/// <summary>What an attempt to connect does for milliseconds, on a thread of its own: it would hold up a reactor.</summary>
/// <remarks>
/// Not on the thread pool: callers that block in <c>Open</c> may hold all its threads, and wait for this work. A new thread costs about 0.1 ms, a
/// handshake several.
/// </remarks>
internal static class ConnectThread
{
    /// <summary>Runs the work on a new thread. A cancelled caller leaves it to its end.</summary>
    internal static Task<T> RunAsync<T>(Func<T> work, CancellationToken cancellationToken)
        => RunAsync(work).WaitAsync(cancellationToken);

    /// <summary>Runs the work on a new thread.</summary>
    internal static Task<T> RunAsync<T>(Func<T> work) => Task.Factory.StartNew(
        work, CancellationToken.None, TaskCreationOptions.LongRunning | TaskCreationOptions.DenyChildAttach, TaskScheduler.Default);

    /// <summary>What follows the await runs on a new thread.</summary>
    internal static Switch SwitchAsync() => default;

    internal readonly struct Switch : ICriticalNotifyCompletion
    {
        public bool IsCompleted => false;

        public Switch GetAwaiter() => this;

        public void GetResult()
        {
        }

        public void OnCompleted(Action continuation) => Start(continuation);

        public void UnsafeOnCompleted(Action continuation) => Start(continuation);

        private static void Start(Action continuation)
            => new Thread(static work => ((Action)work!)()) { IsBackground = true, Name = "Ioxide connect" }.UnsafeStart(continuation);
    }
}
