namespace Ioxide;

/// <summary>Who controls the reactor's thread: the ways into the application's code and back.</summary>
public sealed partial class Reactor
{
    /// <summary>The context of the runtime's own code on this reactor: its awaits resume here, whatever blocks. Threads: any.</summary>
    [Experimental("IOX1001")]
    public SynchronizationContext RuntimeContext { get; }

    /// <summary>A handler that blocks this reactor's thread.</summary>
    internal BlockedWait Blocked { get; }

    /// <summary>How to go on with code that calls the application from the middle of its work, if the application blocks there.</summary>
    /// <remarks>Threads: the reactor's. Set it before each such call, to the default value after. It is posted once, as the wait begins.</remarks>
    [Experimental("IOX1001")]
    public WorkItem Continuation { get => Blocked.Resume; set => Blocked.Resume = value; }

    /// <summary>A handler blocks this reactor's thread now: application code must not be called here. Other threads see a snapshot.</summary>
    [Experimental("IOX1001")]
    public bool IsBlocked => Blocked.IsOngoing;

    /// <summary>
    /// Surrounds application code. It does nothing while the reactor is blocked: awaits that end inside it resume elsewhere, and application code
    /// must not be called directly. It does nothing after the reactor has ended either: no ring would turn while that code blocks. Threads: any.
    /// </summary>
    [Experimental("IOX1001")]
    public ContextScope EnterApplication() => IsCurrent && !IsBlocked && !HasEnded ? new ContextScope(SynchronizationContext) : default;

    /// <summary>As <see cref="EnterApplication"/>, for the calling thread's reactor, if there is one.</summary>
    [Experimental("IOX1001")]
    public static ContextScope EnterApplicationHere() => s_current is { } reactor ? reactor.EnterApplication() : default;

    /// <summary>As <see cref="EnterRuntime"/>, for the calling thread's reactor, if there is one.</summary>
    [Experimental("IOX1001")]
    public static ContextScope EnterRuntimeHere() => s_current is { } reactor ? reactor.EnterRuntime() : default;

    /// <summary>Surrounds runtime code that the application calls and that awaits something of its own. Threads: any.</summary>
    [Experimental("IOX1001")]
    public ContextScope EnterRuntime() => IsCurrent ? new ContextScope(RuntimeContext, isOfRuntime: true) : default;
}
