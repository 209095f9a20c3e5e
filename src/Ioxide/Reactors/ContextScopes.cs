namespace Ioxide;

/// <summary>As long as it lives the code on a reactor's thread runs under another context: who has control, the application or the runtime.</summary>
/// <remarks>
/// <para><see cref="Reactor.HandOver"/> is the one boundary between the runtime and the application: every place that calls application code on
/// a reactor stands in one. What the application awaits there comes back, and where it blocks the ring turns.</para>
/// <para><see cref="Reactor.TakeOver"/> is the way back: around runtime code that the application called and that awaits something of its
/// own. Its awaits stay on the reactor, whatever blocks there.</para>
/// <para>Does nothing on other threads, and as <c>default</c>. Not across an await: it belongs around the call that starts asynchronous code.</para>
/// </remarks>
internal readonly ref struct ContextScope : IDisposable
{
    private readonly SynchronizationContext? _before;
    private readonly bool _isSet;

    /// <param name="context">Null: none.</param>
    internal ContextScope(SynchronizationContext? context)
    {
        _before = SynchronizationContext.Current;
        _isSet = true;
        SynchronizationContext.SetSynchronizationContext(context);
    }

    public void Dispose()
    {
        if (_isSet)
        {
            SynchronizationContext.SetSynchronizationContext(_before);
        }
    }
}
