namespace Ioxide;

/// <summary>What a group of reactors tells its host. Override what matters; the base does nothing.</summary>
/// <remarks>Threads: a reactor's or the group's watchdog. An override must not block. What it throws is an event <c>HostCodeThrew</c> of the provider <c>Ioxide</c>.</remarks>
public abstract class ReactorEvents
{
    /// <summary>
    /// A reactor has not turned for <see cref="ReactorOptions.StallThreshold"/>: a handler blocks it. Reported again after 1, 2, 4
    /// seconds and so on, up to once a minute, while it lasts.
    /// </summary>
    /// <param name="reactorId">Which reactor.</param>
    /// <param name="stalledFor">For how long so far.</param>
    /// <param name="activity">
    /// What was running, and may still run on its own thread: a connection, or what the host noted. Only its
    /// <see cref="object.ToString"/> may be called here.
    /// </param>
    public virtual void ReactorStalled(int reactorId, TimeSpan stalledFor, object? activity)
    {
    }

    /// <summary>
    /// A reactor has not turned for five times <see cref="ReactorOptions.StallThreshold"/> and counts as stuck. Reported once per stall.
    /// </summary>
    /// <param name="reactorId">Which reactor.</param>
    /// <param name="stalledFor">For how long so far.</param>
    /// <param name="activity">As in <see cref="ReactorStalled"/>.</param>
    /// <param name="isRelieved">
    /// Whether other reactors take its new connections until it turns. False where every reactor is stuck or has ended, or there is
    /// only one: new connections then wait.
    /// </param>
    public virtual void ReactorStuck(int reactorId, TimeSpan stalledFor, object? activity, bool isRelieved)
    {
    }

    /// <summary>A stall that was reported is over: the reactor turns, and takes its new connections itself again.</summary>
    /// <param name="reactorId">Which reactor.</param>
    /// <param name="stalledFor">How long it lasted, up to 250 ms more than it did.</param>
    public virtual void ReactorRecovered(int reactorId, TimeSpan stalledFor)
    {
    }

    /// <summary>
    /// A stop does not wait for a reactor any longer, because it does not end. What it owns is freed when it turns again; until then
    /// its connections stay open.
    /// </summary>
    /// <param name="reactorId">Which reactor.</param>
    /// <param name="stalledFor">For how long it has not turned; zero where it turns and still does not end.</param>
    /// <param name="activity">As in <see cref="ReactorStalled"/>.</param>
    public virtual void ReactorAbandoned(int reactorId, TimeSpan stalledFor, object? activity)
    {
    }

    /// <summary>
    /// A handler has blocked a reactor's thread in a wait for <see cref="ReactorOptions.StallThreshold"/>. The reactor turns inside the wait, and
    /// the application's code on it runs on the thread pool meanwhile. Reported again as <see cref="ReactorStalled"/> is.
    /// </summary>
    /// <param name="reactorId">Which reactor.</param>
    /// <param name="blockedFor">For how long so far.</param>
    /// <param name="activity">As in <see cref="ReactorStalled"/>.</param>
    public virtual void ReactorBlocked(int reactorId, TimeSpan blockedFor, object? activity)
    {
    }

    /// <summary>
    /// A reactor has stopped while a handler still blocks its thread. The thread ends when the handler returns; until then the reactor's
    /// memory is kept.
    /// </summary>
    /// <param name="reactorId">Which reactor.</param>
    /// <param name="blockedFor">For how long so far.</param>
    /// <param name="activity">As in <see cref="ReactorStalled"/>.</param>
    public virtual void StoppedUnderHandler(int reactorId, TimeSpan blockedFor, object? activity)
    {
    }

    /// <summary>A listener stopped accepting for a while, because descriptors or memory ran out. At most once a second.</summary>
    public virtual void AcceptPaused(int reactorId, string endPoint, string errorName, TimeSpan retryAfter)
    {
    }

    /// <summary>The host refuses a call that a feature needs. The feature is left out; everything else goes on.</summary>
    /// <param name="reactorId">Which reactor found out. Others may tell the same.</param>
    /// <param name="feature">What is left out, to stand at the start of a sentence.</param>
    /// <param name="callName">The system call, with its command or option where it has several.</param>
    /// <param name="errorName">The error's name, such as <c>EPERM</c>.</param>
    /// <param name="substitute">What is done in place of it, part of a sentence.</param>
    public virtual void FeatureRefused(int reactorId, string feature, string callName, string errorName, string substitute)
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
