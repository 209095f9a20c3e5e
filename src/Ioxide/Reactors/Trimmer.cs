namespace Ioxide;

/// <summary>Releases memory after a burst: looks at a reactor's pools every few seconds while one is above its start size.</summary>
/// <remarks>
/// <para>Blocks and send vectors that stayed idle for a whole interval are dropped by halves. Receive buffers with the kernel cannot be taken
/// back one by one: after <see cref="BufferRing.QuietLooks"/> looks a smaller group replaces theirs (see Reactor.Trim.cs).</para>
/// <para>The timer is armed only while something is above its start size, so that an idle reactor sleeps. Runs no application code.
/// Threads: <see cref="Ask"/> any; the rest the reactor's.</para>
/// </remarks>
internal sealed class Trimmer(Reactor reactor) : TimerEntry
{
    private static readonly Action<object?, object?, long, long> s_start = static (trimmer, _, _, _) => ((Trimmer)trimmer!).Start();

    private bool _isAsked;

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
            reactor.Enqueue(new WorkItem(s_start, this));
        }
    }

    internal override void OnDue()
    {
        // Before the look: later growth asks again.
        Interlocked.Exchange(ref _isAsked, false);
        if (reactor.Trim())
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
