namespace Ioxide;

/// <summary>Runs what is posted to a reactor: at the beginning of its turn, and awaits directly behind the completion that ended them.</summary>
/// <remarks>Threads: the reactor's.</remarks>
internal sealed class WorkRuns(Reactor reactor, WorkQueue work)
{
    // The limit of posted work per turn, for each queue.
    private const int MaxPerTurn = 1024;

    // The limit behind one completion. The awaits of one operation through several layers post one item each.
    private const int MaxPerCompletion = 8;

    /// <summary>A handler may have blocked, and the reactor ended below it: other threads take late work then.</summary>
    private bool IsOurs => !reactor.Blocked.HasOutlivedReactor;

    /// <summary>Runs what is posted so far.</summary>
    /// <returns>How much of it other threads had posted.</returns>
    internal int RunPosted()
    {
        // Work posted meanwhile waits for the next turn, so neither queue can delay the other or the sockets.
        int local = Math.Min(work.LocalCount, MaxPerTurn);
        int remote = work.RemoteCountUpTo(MaxPerTurn);
        int posted = remote;
        for (; local > 0 && IsOurs && work.TryDequeueLocal(out WorkItem item); local--)
        {
            Run(item);
        }

        for (; remote > 0 && IsOurs && reactor.Blocked.LetsRemoteWorkRun && work.TryDequeueRemote(out WorkItem item); remote--)
        {
            Run(item);
        }

        return posted;
    }

    /// <summary>Resumes the awaits that a completion ended, before the next completion.</summary>
    /// <remarks>
    /// So an await takes the pooled objects that the one before it gave back. What goes beyond the limit waits for the next turn, and so does
    /// everything behind other work: who yields or posts lets a turn pass.
    /// </remarks>
    internal void RunBehindCompletion()
    {
        for (int left = MaxPerCompletion; left > 0 && IsOurs && work.TryDequeueResumption(out WorkItem item); left--)
        {
            Run(item);
        }
    }

    internal void Run(in WorkItem item)
    {
        if (item.Owner != WorkOwner.Runtime)
        {
            RunOfApplication(item);
            return;
        }

        reactor.RunGuarded(item);
    }

    private void RunOfApplication(in WorkItem item)
    {
        reactor.Blocked.Took(item);
        if (reactor.IsBlocked || reactor.HasEnded)
        {
            reactor.Blocked.RunOnPool(item);
            return;
        }

        using ContextScope scope = reactor.EnterApplication();
        reactor.RunGuarded(item);
    }
}
