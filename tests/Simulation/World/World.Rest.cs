namespace Ioxide.Simulation;

/// <summary>What must hold when the reactor has ended.</summary>
internal sealed partial class World
{
    private protected override void CheckRest()
    {
        // What belongs to a reactor that has ended goes on on the thread pool.
        SpinWait.SpinUntil(RunRest, s_patience);
        Expect(
            Application.Running,
            $"handlers that never ended: {string.Join(", ", _peers.Values.Where(static peer => peer.Stage != "not started" && !peer.Stage.StartsWith("ended", StringComparison.Ordinal)))}");
        Expect(Application.Untold, "connections whose end was not told");
        if (!_isRingBroken)
        {
            Expect(Application.OwnersAlive, "owners of memory that were never told");
            Expect(Reactor.Operations.InFlight, "operations counted as in flight");
            Expect(Reactor.Load.Open, "connections counted as open");
            Expect(Reactor.Load.Lingering.Count, "connections counted as lingering");
            Expect(_kernel.InFlight, "operations that the kernel still runs");
        }

        // Each answer of another kind is one client's, and no reason to stop accepting for a while.
        if (Plan.Faults.DescriptorLimit == Plan.ManyDescriptors && Reactor.Counters.AcceptPauses > _kernel.ShortAccepts)
        {
            Violated($"accepting paused {Reactor.Counters.AcceptPauses} times, and ran short of something {_kernel.ShortAccepts} times");
        }

        MarkWhere(Reactor.Load.Lingering.Dropped > 0, "linger: cut short");
        MarkWhere(Reactor.Counters.SendPauses > 0, "send: waits for memory");
        if (!Application.HasOutlivedReactor && !IsCutShort && !HasEndedBlocked)
        {
            Expect(Reactor.Snapshot().BuffersTaken, "receive buffers not returned");
            Expect(Reactor.Buffers.Retired.Count(static ring => !ring.IsReleased), "groups of receive buffers that retired and were never released");
            Expect(Reactor.Memory.SmallBlocks.CreatedCount - Reactor.Memory.SmallBlocks.HomeCount, "small blocks not returned");
            Expect(Reactor.Memory.LargeBlocks.CreatedCount - Reactor.Memory.LargeBlocks.HomeCount, "large blocks not returned");
        }

        Expect(Reactor.Timers.Count, "timers");
        Expect((int)(_posted - _ranPosted), "pieces of posted work that never ran");
        if (!_kernel.IsRingUntouched)
        {
            Violated("the queues of the ring were written to when the reactor had ended");
        }

        CloseRing();
        if (!_isRingBroken)
        {
            Expect(_kernel.OpenDescriptors, "descriptors left open");
        }

        if (Violation is null)
        {
            foreach (Peer peer in _peers.Values)
            {
                CheckPeer(peer);
            }
        }
    }

    private bool RunRest()
    {
        RunOneElsewhere();
        return Application.Running == 0 && _elsewhere.IsEmpty;
    }

    /// <summary>Where nobody broke the connection, every byte came back, and then the end.</summary>
    private void CheckPeer(Peer peer)
    {
        bool isBroken = peer.HasReset || peer.Socket is null || IsCutShort || HasEndedBlocked || _isUnbound
            || Application.WasCutShort(peer) || (Plan.Connection.SendTimeout is not null && peer.HasSeenReset);
        if (isBroken)
        {
            return;
        }

        CheckLoss(peer);
        bool isSilent = (peer.Behaviour & Behaviour.FinishesFirst) != 0;
        long expected = isSilent ? 0 : peer.Ending == Ending.AtEnd ? peer.Total : peer.EndsAtByte;
        if (peer.Ending is Ending.Aborts)
        {
            return;
        }

        bool mayBeReset = peer.Ending != Ending.AtEnd && peer.HasSeenReset;
        if (peer.Received != expected && !(mayBeReset && peer.KeepsTalking))
        {
            Violated($"{peer}: {peer.Received} of {expected} bytes came back ({peer.Behaviour}, {peer.Ending}, reset {peer.HasSeenReset})");
        }
        else if (!peer.HasSeenEnd && !mayBeReset)
        {
            Violated($"{peer}: all bytes came back and no end ({peer.Behaviour}, {peer.Ending}, reset {peer.HasSeenReset})");
        }
    }

    private void MarkWhere(bool wasReached, string mark)
    {
        if (wasReached)
        {
            Mark(mark);
        }
    }
}
