using System.Collections.Concurrent;

namespace Ioxide.TestKit;

/// <summary>Exceptions of tasks that nobody awaited, in the whole process, from the start of one test on.</summary>
internal sealed class UnobservedExceptions : IDisposable
{
    private readonly ConcurrentQueue<Exception> _exceptions = new();

    private UnobservedExceptions() => TaskScheduler.UnobservedTaskException += Note;

    internal static UnobservedExceptions Watch()
    {
        Collect();
        return new();
    }

    internal void AssertNone()
    {
        Collect();
        if (!_exceptions.IsEmpty)
        {
            throw new AggregateException("Exceptions of tasks that nobody awaited.", _exceptions);
        }
    }

    public void Dispose() => TaskScheduler.UnobservedTaskException -= Note;

    /// <summary>A task tells when it is finalized.</summary>
    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }

    private void Note(object? sender, UnobservedTaskExceptionEventArgs unobserved) => _exceptions.Enqueue(unobserved.Exception);
}
