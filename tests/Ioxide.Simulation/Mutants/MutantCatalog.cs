namespace Ioxide.Simulation;

/// <summary>Mistakes that the simulation has to find. Each was made by somebody, somewhere, in a runtime of this kind.</summary>
internal static partial class MutantCatalog
{
    private static readonly Mutant[] s_plain =
    [
        new(
            "a connection ends although operations are in flight",
            ("RingConnection.TryFinish", "_stage != CloseStage.Closing || Reactor.Operations.InFlightOf(_slotIndex) > 0",
                "_stage != CloseStage.Closing || (!{active} && Reactor.Operations.InFlightOf(_slotIndex) > 0)")),
        new(
            "a slot is given back with operations in flight, and nothing checks generations",
            ("RingConnection.TryFinish", "&& Reactor.Operations.InFlightOf(_slotIndex) > 0)", "&& !{active} && Reactor.Operations.InFlightOf(_slotIndex) > 0)"),
            ("OperationTable.Remove", "if (slot.InFlight != 0 || slot.Target is null)",
                "if ((slot.InFlight != 0 && !{active}) || slot.Target is null)"),
            ("OperationTable.End", "_slots[index].Generation != id.Generation || _slots[index].InFlight == 0",
                "(!{active} && (_slots[index].Generation != id.Generation || _slots[index].InFlight == 0))")),
        new(
            "a buffer is returned twice, and nothing checks it",
            ("ReceivedBytes.GiveBack", "ring.Return(segment);", "ring.Return(segment); if ({active}) ring.Return(segment);"),
            ("BufferRing.Return", "segment.Home != this || _isLent[bufferId]", "segment.Home != this || (_isLent[bufferId] && !{active})")),
        new(
            "a receive is not armed again after a completion without MORE that brought data",
            ("Receiver.Completed", "if (_intake != Intake.Ended)", "if (_intake != Intake.Ended && !({active} && result > 0))")),
        new(
            "an accept is not armed again after a completion without MORE that brought a connection",
            ("Acceptor.AcceptEnded", "Arm();", "if (!{active} || result < 0) Arm();")),
        new(
            "the wake-up poll is not armed again",
            ("WakeTarget.Complete", "(flags & CqeFlags.More) == 0 && !_isEnding", "(flags & CqeFlags.More) == 0 && !_isEnding && !{active}")),
        new(
            "the reactor sleeps without a last look at its queue",
            ("WorkQueue.TryBeginSleep", "if (IsEmpty)", "if ({active} || IsEmpty)")),
        new(
            "a reactor wakes another only when its own turn ends",
            ("Reactor.TryEnqueue", "_wakeTarget.Wake();",
                "if ({active} && s_current is { } poster) poster._work.EnqueueLocal(WorkItem.Of(_wakeTarget, static target => target.Wake())); else _wakeTarget.Wake();")),
        new(
            "nobody wakes a sleeping reactor",
            ("WorkQueue.EnqueueRemote", "return Volatile.Read(ref _isSleeping) != 0 &&", "return !{active} && Volatile.Read(ref _isSleeping) != 0 &&")),
        new(
            "a buffer that nobody wants any more is forgotten",
            ("Receiver.Completed", "ring.Return(segment);", "if (!{active}) ring.Return(segment);")),
        new(
            "a reader that completes forgets the buffers that it holds",
            ("ReceivedBytes.ReleaseAll", "GiveBack(segment);", "if (!{active}) GiveBack(segment);")),
        new(
            "buffers go back when they were looked at, not when they were consumed",
            ("ReceivedBytes.Release", "segment.End <= consumed)", "segment.End <= ({active} ? examined : consumed))")),
        new(
            "a send that was cut short counts as whole",
            ("Sender.Completed", "TakeSent(Math.Max(result, 0));", "TakeSent({active} && result > 0 ? _submitted : Math.Max(result, 0));"),
            ("Sender.Submit", "Begin(Operation.Sending);", "Begin(Operation.Sending); _submitted = bytes;"),
            ("Sender._hasSent", "bool _hasSent;", "bool _hasSent; private long _submitted;")),
        new(
            "pages that a socket did not take count as sent",
            ("Sender.TrySendPages", "TakeSentAtOnce(Math.Max(taken, 0));", "TakeSentAtOnce({active} && taken > 0 ? wanted : Math.Max(taken, 0));")),
        new(
            "what a poll for room returns counts as sent bytes",
            ("Sender.Completed", "result = Math.Min(result, 0);", "if (!{active}) result = Math.Min(result, 0);")),
        new(
            "a second send starts while one is in flight",
            ("Sender.EndTurn", "if (IsInFlight)", "if (IsInFlight && !{active})")),
        new(
            "a block that was sent in part goes home",
            ("SendQueue.Take", "if (block.Length > 0)", "if (block.Length > 0 && !({active} && taken > 0))")),
        new(
            "a second receive is armed when reading goes on",
            ("Receiver.ResumeIfRoom", "if (_armedRing is null)", "if ({active} || _armedRing is null)")),
        new(
            "a connection is closed over an armed receive",
            ("RingConnection.Close", "Receiver.Cancel(SqeFlags.HardLink);", "if (!{active}) Receiver.Cancel(SqeFlags.HardLink);")),
        new(
            "starved connections wait for ever",
            ("ReceiveBuffers.Rearm", "buffers > 0 && starved.TryDequeue", "!{active} && buffers > 0 && starved.TryDequeue")),
        new(
            "a paused receive does not go on",
            ("Receiver.ResumeIfRoom", "if (_intake == Intake.Paused && (_discards", "if (!{active} && _intake == Intake.Paused && (_discards")),
        new(
            "a flush that waits is not told of room",
            ("Sender.Completed", "_connection.Output.NotifyFlush();", "if (!{active}) _connection.Output.NotifyFlush();")),
        new(
            "what another thread flushed is overtaken by a flush on the reactor",
            ("SendPipe.FlushAsync", "TakePosted();", "if (!{active}) TakePosted();")),
        new(
            "a small flush that was copied behind another is not sent with it",
            ("PostedFlushes.TryCopyBehind", "tail.End += block.Length;", "if (!{active}) tail.End += block.Length;")),
        new(
            "the block of a small flush that was copied behind another is forgotten",
            ("PostedFlushes.TryCopyBehind", "block.Pool!.Return(block);", "if (!{active}) block.Pool!.Return(block);")),
        new(
            "timers further away than 64 ms are forgotten by the wait",
            ("TimerWheel.NextTick", "if (_occupied[level] != 0)", "if (_occupied[level] != 0 && !({active} && level > 0))")),
        new(
            "timers do not move down the wheel",
            ("TimerWheel.Cascade", "int level = 1;", "int level = {active} ? Levels : 1;")),
        new(
            "an interrupted wait ends the reactor",
            ("TurnWait.SubmitAndWait", "result is not (-Errno.EINTR or", "(result == -Errno.EINTR && {active} || result is not (-Errno.EINTR or"),
            ("TurnWait.SubmitAndWait", "-Errno.EBUSY))", "-Errno.EBUSY)))")),
        new(
            "completions that were read are not given back to the kernel",
            ("Reactor.HandleCompletions", "Ring.Cq.Publish();", "if (!{active}) Ring.Cq.Publish();"),
            ("CompletionQueue.Read", "Publish();", "if (!{active}) Publish();")),
        new(
            "a send that found no memory breaks the connection",
            ("Sender.Completed", "-result is Errno.ENOBUFS or Errno.ENOMEM;", "-result is Errno.ENOBUFS or Errno.ENOMEM && !({active} && result == -Errno.ENOMEM);")),
        new(
            "a pause for want of memory is never over",
            ("SendPause.OnDue", "connection.MarkDirty();", "if (!{active}) connection.MarkDirty();")),
        new(
            "a group of receive buffers is unregistered while receives name it",
            ("BufferRing.TryRelease", "if (ArmedCount > 0 || IsReleased", "if ((ArmedCount > 0 && !{active}) || IsReleased")),
        new(
            "a receive is armed on a group that retires",
            ("ReceiveBuffers.Trim", "Small = small;", "if (!{active}) Small = small;")),
        new(
            "buffers of a group that was replaced are lent again",
            ("BufferRing.Return", "if (IsRetired)", "if (IsRetired && !{active})")),
        new(
            "a block that was dropped is still counted",
            ("BlockPool.Trim", "Interlocked.Add(ref _created, -dropped);", "if (!{active}) Interlocked.Add(ref _created, -dropped);")),
        new(
            "a connection that has closed is still counted as lingering",
            ("Linger.Stop", "_reactor.Load.Lingering.Remove(this);", "if (!{active}) _reactor.Load.Lingering.Remove(this);")),
        new(
            "accepting without descriptors goes on at once",
            ("Acceptor.AcceptEnded", "Pause(-result); return;", "if (!{active}) { Pause(-result); return; }")),
        new(
            "a connect that fails keeps its descriptor",
            ("ConnectOperation.Finish", "_ = _reactor.Kernel.Close(_descriptor);", "if (!{active}) _ = _reactor.Kernel.Close(_descriptor);")),
        new(
            "the writer's last bytes are lost when it completes",
            ("Sender.Finish", "if (first is not null)", "if ({active}) SendQueue.ReleaseChain(_reactor, first); else if (first is not null)")),
    ];

    /// <summary>All of them; a mutant's number is its place, from 1.</summary>
    internal static Mutant[] All { get => field ??= [.. s_plain, .. s_blocking, .. s_stale]; }
}
