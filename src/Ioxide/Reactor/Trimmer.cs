namespace Ioxide;

/// <summary>Releases memory after a burst: looks at a reactor's pools every few seconds while one is above its start size.</summary>
/// <remarks>
/// <para>Blocks and send vectors that stayed idle for a whole interval are dropped by halves. Receive buffers with the kernel cannot be taken
/// back one by one: after <see cref="BufferRing.QuietLooks"/> looks a smaller group replaces theirs (<see cref="ReceiveBuffers"/>).</para>
/// <para>The timer is armed only while something is above its start size, so that an idle reactor sleeps. Runs no application code.
/// Threads: <see cref="Ask"/> any; the rest the reactor's.</para>
/// </remarks>
internal sealed class Trimmer(Reactor reactor) : TimerEntry
{
    // Below this length, shrinking a queue gains nothing.
    internal const int LeastQueueCapacity = 1024;

    private bool _isAsked;

    /// <summary>Number of looks at the pools so far. A reading from another thread is a snapshot.</summary>
    internal long Looks { get; private set; }

    /// <summary>Releases the room that a burst took in a queue that is empty.</summary>
    internal static void Shrink<T>(Queue<T> queue)
    {
        if (queue.Count == 0 && queue.Capacity > LeastQueueCapacity)
        {
            queue.TrimExcess();
        }
    }

    /// <summary>Something has grown above its start size. Costs one read while the timer is armed.</summary>
    internal void Ask()
    {
        if (Volatile.Read(ref _isAsked) || Interlocked.Exchange(ref _isAsked, true))
        {
            return;
        }

        if (reactor.IsCurrent)
        {
            Start();
        }
        else
        {
            reactor.Enqueue(this, static trimmer => trimmer.Start());
        }
    }

    internal override void OnDue()
    {
        // Before the look: later growth asks again.
        Interlocked.Exchange(ref _isAsked, false);
        Looks++;
        reactor.TrimQueues();
        if (reactor.Memory.Trim() | reactor.Buffers.Trim())
        {
            Ask();
        }
    }

    private void Start()
    {
        // Growth after the end of the reactor is freed with the reactor.
        if (!IsScheduled && !reactor.HasEnded)
        {
            reactor.Timers.Add(this, reactor.DueTick(reactor.Options.TrimInterval));
        }
    }
}
