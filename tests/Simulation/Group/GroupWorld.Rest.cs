using System.Collections.Frozen;

namespace Ioxide.Simulation;

/// <summary>What must hold when all reactors have ended, and what runs must have reached.</summary>
internal sealed partial class GroupWorld
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    // Those that are the kernel's own come in runs of one reactor.
    private static readonly FrozenDictionary<string, int> s_marks = Marks.Number(
    [
        "accept: handed to the reactor with the fewest", "balance: even", "handler: on another reactor and back",
        "post: from a reactor to another", "post: from another thread", "post: refused, the reactor has ended", "rescue: clients of a stuck reactor",
        "stop: a client in a queue is served", "stop: in the middle", "stop: with clients in queues", "stop: with connections open",
        "turn: in the middle of another's", "turn: while another waits", "unbind: from outside", "unbind: while the others serve",
    ]);

    /// <inheritdoc/>
    internal override void Marked(string mark)
    {
    }

    internal override void ClosedOverClients(int count)
    {
        if (Drawn.Faults.AcceptError == 0 && !IsCutShort)
        {
            Violated($"a listener was closed over {count} clients in its queue");
        }
    }

    private protected override void CheckRest()
    {
        // What belongs to a reactor that has ended goes on on the thread pool.
        SpinWait.SpinUntil(RunRest, s_patience);
        Expect(_application.Running, $"handlers that never ended: {Describe()}");
        Expect(_posts.Waiting, "callbacks that never ran");
        Expect(_kernel.InFlight, "operations that the kernel still runs");
        Expect(_kernel.AcceptorCount, "acceptors counted");
        foreach (Member member in _members)
        {
            CheckRest(member.Reactor);
        }

        _isClosingRing = true;
        foreach (Member member in _members)
        {
            member.Reactor.End.CloseRing();
        }

        Expect(_kernel.OpenDescriptors, "descriptors left open");
        foreach (GroupPeer peer in _peers.Values)
        {
            CheckPeer(peer);
        }
    }

    private void CheckRest(Reactor reactor)
    {
        Expect(reactor.Operations.InFlight, $"operations counted as in flight on reactor {reactor.Id}");
        Expect(reactor.Load.Open, $"connections counted as open on reactor {reactor.Id}");
        Expect(reactor.Load.Total, $"connections counted as open, or on their way to reactor {reactor.Id}");
        Expect(reactor.Load.Lingering.Count, $"connections counted as lingering on reactor {reactor.Id}");
        Expect(reactor.Timers.Count, $"timers of reactor {reactor.Id}");
        Expect(reactor.QueuedWork, $"pieces of work posted to reactor {reactor.Id}");
        if (!IsCutShort && !_application.HasOutlivedReactor)
        {
            Expect(reactor.Snapshot().BuffersTaken, $"receive buffers not returned to reactor {reactor.Id}");
            BlockPool small = reactor.Memory.SmallBlocks;
            BlockPool large = reactor.Memory.LargeBlocks;
            Expect(small.CreatedCount - small.HomeCount, $"small blocks not returned to reactor {reactor.Id}");
            Expect(large.CreatedCount - large.HomeCount, $"large blocks not returned to reactor {reactor.Id}");
        }
    }

    private bool RunRest()
    {
        ActElsewhere(RunOneElsewhere);
        while (_events.TryDequeue(out Action? action, out _))
        {
            action();
        }

        return _elsewhere.IsEmpty && _application.Running == 0;
    }

    /// <summary>Where nobody broke the connection, the client was served, every byte came back, and then the end.</summary>
    private void CheckPeer(GroupPeer peer)
    {
        if (!peer.IsOver && !IsCutShort)
        {
            Violated($"{peer} is not over");
        }

        bool isBroken = peer.HasReset || peer.Socket is null || IsCutShort
            || (peer.Home is null && Drawn.Faults.AcceptError > 0);
        if (isBroken)
        {
            return;
        }

        if (peer.Home is null)
        {
            Violated($"{peer} was connected, and never served");
        }
        else if (peer.Received != peer.Total || !peer.HasSeenEnd)
        {
            Violated($"{peer} did not get back all that it sent, and the end");
        }
    }
}
