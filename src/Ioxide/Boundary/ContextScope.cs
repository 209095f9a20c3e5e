namespace Ioxide;

/// <summary>While it exists, code on a reactor's thread runs under another context: the application's or the runtime's.</summary>
/// <remarks>
/// <para><see cref="Reactor.EnterApplication"/> is the one boundary between the runtime and the application: every call of application code on a
/// reactor is inside one. Awaits of the application resume on the reactor, and the ring turns while the application blocks.</para>
/// <para><see cref="Reactor.EnterRuntime"/> is the way back: it surrounds runtime code that the application calls and that awaits something of its
/// own. Its awaits stay on the reactor, whatever blocks there.</para>
/// <para>What the application leaves in the thread's <see cref="ExecutionContext"/> ends with the scope, as on the thread pool: a request
/// whose code is no async method would hand its activity and its <see cref="AsyncLocal{T}"/> values to the next request of the reactor.</para>
/// <para>Does nothing on other threads, and as <c>default</c>. Not across an await: it belongs around the call that starts asynchronous code.</para>
/// </remarks>
[Experimental("IOX1001")]
public readonly ref struct ContextScope : IDisposable
{
    private readonly SynchronizationContext? _before;
    private readonly ExecutionContext? _flowBefore;
    private readonly bool _isSet;

    /// <param name="context">Null for no context.</param>
    /// <param name="isOfRuntime">Only the runtime's own code runs inside, which leaves nothing in the execution context.</param>
    internal ContextScope(SynchronizationContext? context, bool isOfRuntime = false)
    {
        _before = SynchronizationContext.Current;
        _flowBefore = isOfRuntime ? null : ExecutionContext.Capture();
        _isSet = true;
        SynchronizationContext.SetSynchronizationContext(context);
    }

    /// <summary>Brings back the context and the execution context from before.</summary>
    public void Dispose()
    {
        if (!_isSet)
        {
            return;
        }

        SynchronizationContext.SetSynchronizationContext(_before);
        if (_flowBefore is not null && !ReferenceEquals(ExecutionContext.Capture(), _flowBefore))
        {
            ExecutionContext.Restore(_flowBefore);
        }
    }
}
