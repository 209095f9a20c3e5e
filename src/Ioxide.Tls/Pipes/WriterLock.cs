using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Tls;

/// <summary>The lock of a writer's state, and the application's code that waits for its end: none is called inside.</summary>
/// <remarks>A wait inside turns no ring. A mutable struct: the field of its <see cref="TlsWriter"/>. Threads: any.</remarks>
internal struct WriterLock
{
    private RuntimeLock _lock;
    private OutsidePiece? _done;
    private bool _isOffloaded;

    /// <summary>Holds the lock until the result is disposed.</summary>
    [UnscopedRef]
    internal Section Hold() => new(ref this);

    /// <summary>Outside memory is no longer read: its owners are disposed behind the section.</summary>
    /// <param name="done">A chain, or null.</param>
    internal void Release(OutsidePiece? done)
    {
        Debug.Assert(done is null || _done is null);
        _done = done ?? _done;
    }

    /// <summary>The kernel took over: listeners of metrics are told behind the section.</summary>
    internal void NoteOffload() => _isOffloaded = true;

    /// <summary>The writer's state belongs to this thread.</summary>
    internal readonly ref struct Section
    {
        private readonly ref WriterLock _owner;
        private readonly ContextScope _scope;

        internal Section(ref WriterLock owner)
        {
            _owner = ref owner;
            _scope = Reactor.EnterRuntimeHere();
            owner._lock.Enter();
        }

        public void Dispose()
        {
            OutsidePiece? done = _owner._done;
            bool isHandedOver = _owner._isOffloaded;
            _owner._done = null;
            _owner._isOffloaded = false;
            _owner._lock.Exit();
            _scope.Dispose();
            OutsidePiece.Release(done);
            if (isHandedOver)
            {
                HostCalls.CallOut(static metrics => metrics.NoteKernelSession("transmit"), TlsMetrics.Shared);
            }
        }
    }
}
