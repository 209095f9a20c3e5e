namespace Ioxide;

/// <summary>What a group of reactors tells its host. Override what matters; the base does nothing.</summary>
/// <remarks>Threads: a reactor's or the group's watchdog. An override must not block. What it throws is an event <c>HostCodeThrew</c> of the provider <c>Ioxide</c>.</remarks>
public abstract class ReactorEvents
{
    /// <summary>A reactor has not turned for a while: a handler blocks it. Told again each second while it lasts.</summary>
    /// <param name="reactorId">Which reactor.</param>
    /// <param name="stalledFor">For how long so far.</param>
    /// <param name="activity">
    /// What was running, and may still run on its own thread: a connection, or what the host noted. Only its
    /// <see cref="object.ToString"/> may be called here.
    /// </param>
    public virtual void ReactorStalled(int reactorId, TimeSpan stalledFor, object? activity)
    {
    }

    /// <summary>A listener stopped accepting for a while, because descriptors or memory ran out. At most once a second.</summary>
    public virtual void AcceptPaused(int reactorId, string endPoint, string errorName, TimeSpan retryAfter)
    {
    }

    /// <summary>Code on a reactor threw and nobody awaited it. The reactor goes on.</summary>
    public virtual void UnhandledException(int reactorId, Exception exception)
    {
    }

    /// <summary>A reactor ended by an error. Its connections are closed; the other reactors go on.</summary>
    public virtual void ReactorFaulted(int reactorId, Exception exception)
    {
    }
}
