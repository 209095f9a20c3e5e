using System.Diagnostics.Tracing;

namespace Ioxide;

/// <summary>The connections of a reactor: open, in transit to it, lingering.</summary>
/// <remarks>Threads: the reactor's, where a member says nothing else.</remarks>
internal sealed class ReactorLoad(Reactor reactor, int reactorCount)
{
    private TaskCompletionSource? _whenEmpty;
    private int _open;
    private int _reserved;

    /// <summary>Open connections. A reading from another thread is a snapshot.</summary>
    internal int Open => Volatile.Read(ref _open);

    /// <summary>Connections that are open or in transit to this reactor. Threads: any.</summary>
    internal int Total => Open + Volatile.Read(ref _reserved);

    /// <summary>Connections that are over for the application and wait for their peer's FIN.</summary>
    internal LingerList Lingering { get; } = new(reactorCount);

    /// <summary>A connection is in transit from another reactor to this one. Threads: any.</summary>
    internal void Reserve() => Interlocked.Increment(ref _reserved);

    /// <summary>It has arrived, or never will. Threads: any.</summary>
    internal void ReleaseReservation() => Interlocked.Decrement(ref _reserved);

    internal void Opened(RingConnection connection)
    {
        Volatile.Write(ref _open, _open + 1);
        if (IoxideEventSource.Log.IsEnabled(EventLevel.Verbose, EventKeywords.None))
        {
            reactor.Announce(WorkItem.Of(
                reactor, connection.SlotIndex, static (reactor, slot) => IoxideEventSource.Log.ConnectionStart(reactor.Id, (int)slot)));
        }
    }

    internal void Closed(RingConnection connection)
    {
        if (IoxideEventSource.Log.IsEnabled(EventLevel.Verbose, EventKeywords.None))
        {
            reactor.Announce(WorkItem.Of(
                reactor,
                ((long)connection.CloseReason << 32) | (uint)connection.SlotIndex,
                static (reactor, end) => IoxideEventSource.Log.ConnectionStop(reactor.Id, (int)end, (int)(end >> 32))));
        }

        Volatile.Write(ref _open, _open - 1);
        if (_open == 0)
        {
            _whenEmpty?.TrySetResult();
        }
    }

    /// <summary>Completes when the reactor has no connection. Threads: any.</summary>
    internal Task WhenEmptyAsync()
    {
        var completion = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        bool isQueued = reactor.TryEnqueue(WorkItem.Of(this, completion, static (load, completion) =>
        {
            load._whenEmpty = completion;
            if (load._open == 0)
            {
                completion.TrySetResult();
            }
        }));
        return isQueued ? completion.Task : Task.CompletedTask;
    }
}
