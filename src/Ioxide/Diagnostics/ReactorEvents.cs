namespace Ioxide;

/// <summary>Notifications from a group of reactors to its host. Override what matters; the base does nothing.</summary>
/// <remarks>
/// Threads: a reactor's or the group's watchdog. An override must not block. An exception that it throws becomes an event <c>HostCodeThrew</c> of the
/// provider <c>Ioxide</c>.
/// </remarks>
public abstract class ReactorEvents
{
    /// <summary>
    /// Code has held a reactor up for <see cref="ReactorOptions.StallThreshold"/>: on a processor, or blocked in a call. Time without a processor,
    /// collections and compilation do not count. While it lasts, reported again after 1, 2, 4
    /// seconds and so on, up to once per minute.
    /// </summary>
    /// <param name="reactorId">The reactor's number.</param>
    /// <param name="stalledFor">How long it has stalled so far.</param>
    /// <param name="activity">
    /// What was running, and may still run on its own thread: a connection, or the host's note. Only its
    /// <see cref="object.ToString"/> may be called here.
    /// </param>
    public virtual void ReactorStalled(int reactorId, TimeSpan stalledFor, object? activity)
    {
    }

    /// <summary>
    /// Code has held a reactor up for five times <see cref="ReactorOptions.StallThreshold"/>: it counts as stuck. Reported once per stall.
    /// </summary>
    /// <param name="reactorId">The reactor's number.</param>
    /// <param name="stalledFor">How long it has stalled so far.</param>
    /// <param name="activity">As in <see cref="ReactorStalled"/>.</param>
    /// <param name="isRelieved">
    /// Whether other reactors take its new connections until it turns. False if every reactor is stuck or has ended, or there is
    /// only one: new connections then wait.
    /// </param>
    public virtual void ReactorStuck(int reactorId, TimeSpan stalledFor, object? activity, bool isRelieved)
    {
    }

    /// <summary>A reported stall is over: the reactor turns and accepts its own new connections again.</summary>
    /// <param name="reactorId">The reactor's number.</param>
    /// <param name="stalledFor">How long it lasted, at most 250 ms too long.</param>
    public virtual void ReactorRecovered(int reactorId, TimeSpan stalledFor)
    {
    }

    /// <summary>
    /// A turn lasts for <see cref="ReactorOptions.StallThreshold"/> because the reactor's thread has no processor: the host is busy, or a CPU quota
    /// is used up. No code of the application is to blame. Reported at most once per minute for all reactors together.
    /// </summary>
    /// <param name="reactorId">The reactor's number.</param>
    /// <param name="turnTime">How long the turn has lasted so far.</param>
    /// <param name="processorTime">How much of it the thread was on a processor.</param>
    /// <param name="throttledTime">
    /// How long the control group of the process was throttled since the group of reactors started; zero without a quota.
    /// </param>
    public virtual void ReactorShortOfProcessor(int reactorId, TimeSpan turnTime, TimeSpan processorTime, TimeSpan throttledTime)
    {
    }

    /// <summary>
    /// A stop no longer waits for a reactor, because the reactor does not end. Its resources are freed when it turns again; until then
    /// its connections stay open.
    /// </summary>
    /// <param name="reactorId">The reactor's number.</param>
    /// <param name="stalledFor">How long it has not turned; zero if it turns and still does not end.</param>
    /// <param name="activity">As in <see cref="ReactorStalled"/>.</param>
    public virtual void ReactorAbandoned(int reactorId, TimeSpan stalledFor, object? activity)
    {
    }

    /// <summary>
    /// A handler has blocked a reactor's thread in a wait for <see cref="ReactorOptions.StallThreshold"/>. The reactor turns inside the wait;
    /// its application code runs on the thread pool meanwhile. Reported again like <see cref="ReactorStalled"/>.
    /// </summary>
    /// <param name="reactorId">The reactor's number.</param>
    /// <param name="blockedFor">How long it has blocked so far.</param>
    /// <param name="activity">As in <see cref="ReactorStalled"/>.</param>
    public virtual void ReactorBlocked(int reactorId, TimeSpan blockedFor, object? activity)
    {
    }

    /// <summary>
    /// A reactor has stopped while a handler still blocks its thread. The thread ends when the handler returns; until then the reactor's
    /// memory is kept.
    /// </summary>
    /// <param name="reactorId">The reactor's number.</param>
    /// <param name="blockedFor">How long it has blocked so far.</param>
    /// <param name="activity">As in <see cref="ReactorStalled"/>.</param>
    public virtual void StoppedUnderHandler(int reactorId, TimeSpan blockedFor, object? activity)
    {
    }

    /// <summary>A listener paused accepting because descriptors or memory ran out. Reported at most once per second.</summary>
    public virtual void AcceptPaused(int reactorId, string endPoint, string errorName, TimeSpan retryAfter)
    {
    }

    /// <summary>The host refuses a call that a feature needs. Only that feature is left out.</summary>
    /// <param name="reactorId">The reactor that found out. Others may report the same.</param>
    /// <param name="feature">The feature that is left out, worded as the start of a sentence.</param>
    /// <param name="callName">The system call, with its command or option if it has several.</param>
    /// <param name="errorName">The error's name, such as <c>EPERM</c>.</param>
    /// <param name="substitute">What is used instead, as part of a sentence.</param>
    public virtual void FeatureRefused(int reactorId, string feature, string callName, string errorName, string substitute)
    {
    }

    /// <summary>Code on a reactor threw, and no await observed the exception. The reactor continues.</summary>
    public virtual void UnhandledException(int reactorId, Exception exception)
    {
    }

    /// <summary>A reactor ended with an error. Its connections are closed; the other reactors continue.</summary>
    public virtual void ReactorFaulted(int reactorId, Exception exception)
    {
    }
}
