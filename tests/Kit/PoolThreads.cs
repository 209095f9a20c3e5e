namespace Ioxide.TestKit;

/// <summary>Threads that the thread pool makes at once, until disposed; one caller at a time.</summary>
/// <remarks>
/// Where handlers block the pool's threads, the framework adds one per half second at best, and fewer on a busy machine. Tests whose
/// handlers wait for each other ask for the threads, so that they wait for the handlers and not for the pool's growth.
/// </remarks>
internal sealed class PoolThreads : IDisposable
{
    private readonly int _workers;
    private readonly int _completions;

    internal PoolThreads(int count)
    {
        ThreadPool.GetMinThreads(out _workers, out _completions);
        Set(_workers + count);
    }

    public void Dispose() => Set(_workers);

    private void Set(int workers)
    {
        if (!ThreadPool.SetMinThreads(workers, _completions))
        {
            throw new InvalidOperationException($"The thread pool refuses {workers} threads.");
        }
    }
}
