namespace Ioxide;

/// <summary>As long as it lives the thread has no context.</summary>
/// <remarks>
/// Where a task completes, what awaits it by <c>ConfigureAwait(false)</c> goes on in place only on a thread without a context; on one
/// that has one the runtime sends it to the thread pool (Task's IsValidLocationForInlining). Libraries await so, and would leave the
/// reactor with each answer. What awaits with its context is posted there, as ever.
/// </remarks>
internal readonly ref struct WithoutContext : IDisposable
{
    private readonly SynchronizationContext? _context;

    public WithoutContext()
    {
        _context = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(null);
    }

    public void Dispose() => SynchronizationContext.SetSynchronizationContext(_context);
}
