namespace Ioxide;

/// <summary>Calls of the host's code that no connection asked for: notifications, loggers, listeners of events and metrics.</summary>
/// <remarks>It must not run on the stack of a handler that blocks, so it runs on the thread pool then.</remarks>
[Experimental("IOX1001")]
public static class HostCalls
{
    private const int NoReactorId = -1;

    internal static void ReportUnhandled(this Reactor reactor, Exception exception)
    {
        if (IoxideEventSource.Log.IsEnabled())
        {
            CallOut(static of => IoxideEventSource.Log.UnhandledException(of.Id, of.Exception.ToString()), (reactor.Id, Exception: exception));
        }

        reactor.RaiseEvent(events => events.UnhandledException(reactor.Id, exception));
    }

    /// <summary>A reactor ends because of an exception.</summary>
    internal static void ReportFault(this Reactor reactor, Exception fault)
    {
        if (IoxideEventSource.Log.IsEnabled())
        {
            CallOut(static of => IoxideEventSource.Log.ReactorFaulted(of.Id, of.Fault.ToString()), (reactor.Id, Fault: fault));
        }

        reactor.RaiseEvent(events => events.ReactorFaulted(reactor.Id, fault));
    }

    /// <summary>Notifies the host. An exception of its code ends neither a thread nor the process; event listeners see it.</summary>
    /// <remarks>Threads: a reactor's or the watchdog.</remarks>
    internal static void RaiseEvent(this Reactor reactor, Action<ReactorEvents> raise)
    {
        ReactorEvents events = reactor.Options.Events ?? StandardErrorEvents.Instance;
        if (reactor is { IsCurrent: true, IsBlocked: true })
        {
            reactor.Kernel.QueueToThreadPool(
                static work => CallHere(work.Raise, work.Events, work.Reactor), (Reactor: reactor, Events: events, Raise: raise));
            return;
        }

        using ContextScope scope = reactor.EnterRuntime();
        CallHere(raise, events, reactor);
    }

    /// <summary>Writes an event. Its listeners are application code.</summary>
    internal static void Announce(this Reactor reactor, in WorkItem item)
    {
        if (reactor.IsBlocked)
        {
            reactor.RunOnThreadPool(item);
        }
        else
        {
            item.Run();
        }
    }

    /// <summary>
    /// Calls application code that needs no reactor, such as a logger or a metrics listener: on this thread, or on the thread pool while a
    /// handler blocks this thread.
    /// </summary>
    /// <param name="call">What it throws ends neither the thread nor what the caller is at; event listeners see it.</param>
    /// <param name="state">Passed to the call.</param>
    /// <remarks>Threads: any.</remarks>
    public static void CallOut<TState>(Action<TState> call, TState state)
    {
        if (Reactor.Current is not { IsBlocked: true } reactor)
        {
            CallHere(call, state, Reactor.Current);
            return;
        }

        reactor.RunOnThreadPool(WorkItem.Of(
            call, new StrongBox<(TState State, Reactor Reactor)>((state, reactor)),
            static (call, work) => CallHere(call, work!.Value.State, work.Value.Reactor)));
    }

    private static void CallHere<TState>(Action<TState> call, TState state, Reactor? reactor)
    {
        try
        {
            call(state);
        }
        catch (Exception exception)
        {
            IoxideEventSource.Log.HostCodeThrew(reactor?.Id ?? NoReactorId, exception.ToString());
        }
    }
}
