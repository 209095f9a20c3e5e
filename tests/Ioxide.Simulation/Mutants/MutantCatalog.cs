namespace Ioxide.Simulation;

/// <summary>Mistakes that the simulation has to find. Each was made by somebody, somewhere, in a runtime of this kind.</summary>
internal static partial class MutantCatalog
{
    private const string Acceptor = "Sockets/RingListener.Acceptor.cs";
    private const string Buffers = "Reactors/Reactor.Buffers.cs";
    private const string BufferRing = "Memory/BufferRing.cs";
    private const string Close = "Sockets/RingConnection.Close.cs";
    private const string Connect = "Sockets/ConnectOperation.cs";
    private const string Loop = "Reactors/Reactor.Loop.cs";
    private const string Operations = "Reactors/OperationTable.cs";
    private const string Pages = "Sockets/SendPipe.Pages.cs";
    private const string Posted = "Sockets/PostedFlushes.cs";
    private const string Pool = "Reactors/BlockPool.cs";
    private const string Queue = "Sockets/SendPipe.Queue.cs";
    private const string ReadPipe = "Sockets/ReceivePipe.cs";
    private const string Receive = "Sockets/ReceivePipe.Arm.cs";
    private const string Segments = "Sockets/ReceivePipe.Segments.cs";
    private const string Send = "Sockets/SendPipe.Send.cs";
    private const string SendTimers = "Sockets/SendPipe.Timers.cs";
    private const string Timers = "Reactors/TimerWheel.cs";
    private const string Trim = "Reactors/Reactor.Trim.cs";
    private const string Work = "Reactors/WorkQueue.cs";
    private const string WritePipe = "Sockets/SendPipe.cs";

    private static readonly Mutant[] s_plain =
    [
        new(
            "a connection ends although operations are in flight",
            (Close, "_stage != CloseStage.Closing || Reactor.Operations.InFlightOf(_slotIndex) > 0",
                "_stage != CloseStage.Closing || (!{active} && Reactor.Operations.InFlightOf(_slotIndex) > 0)")),
        new(
            "a slot is given back with operations in flight, and nothing checks generations",
            (Close, "&& Reactor.Operations.InFlightOf(_slotIndex) > 0)", "&& !{active} && Reactor.Operations.InFlightOf(_slotIndex) > 0)"),
            (Operations, "if (slot.InFlight != 0 || slot.Target is null)",
                "if ((slot.InFlight != 0 && !{active}) || slot.Target is null)"),
            (Operations, "_slots[index].Generation != id.Generation || _slots[index].InFlight == 0",
                "(!{active} && (_slots[index].Generation != id.Generation || _slots[index].InFlight == 0))")),
        new(
            "a buffer is returned twice, and nothing checks it",
            (Segments, "            ring.Return(segment);\n", "            ring.Return(segment); if ({active}) ring.Return(segment);\n"),
            (BufferRing, "segment.Home != this || _isLent[bufferId]", "segment.Home != this || (_isLent[bufferId] && !{active})")),
        new(
            "a receive is not armed again after a completion without MORE that brought data",
            (Receive, "            if (_intake != Intake.Ended)\n", "            if (_intake != Intake.Ended && !({active} && result > 0))\n")),
        new(
            "an accept is not armed again after a completion without MORE that brought a connection",
            (Acceptor, "            reactor.Rearms++;\n            Arm();", "            reactor.Rearms++;\n            if (!{active} || result < 0) Arm();")),
        new(
            "the wake-up poll is not armed again",
            ("Reactors/WakeTarget.cs", "(flags & CqeFlags.More) == 0 && !_isEnding", "(flags & CqeFlags.More) == 0 && !_isEnding && !{active}")),
        new(
            "the reactor sleeps without a last look at its queue",
            (Work, "        if (IsEmpty)\n", "        if ({active} || IsEmpty)\n")),
        new(
            "nobody wakes a sleeping reactor",
            (Work, "return Volatile.Read(ref _isSleeping) != 0 &&", "return !{active} && Volatile.Read(ref _isSleeping) != 0 &&")),
        new(
            "a buffer that nobody wants any more is forgotten",
            (Segments, "            segment.Home!.Return(segment);\n            return;", "            if (!{active}) segment.Home!.Return(segment);\n            return;")),
        new(
            "a reader that completes forgets the buffers that it holds",
            (Segments, "            _head = segment.NextSegment;\n            GiveBack(segment);\n        }\n\n        _tail = null;\n",
                "            _head = segment.NextSegment;\n            if (!{active}) GiveBack(segment);\n        }\n\n        _tail = null;\n")),
        new(
            "buffers go back when they were looked at, not when they were consumed",
            (Segments, "segment.End <= consumed)", "segment.End <= ({active} ? examined : consumed))")),
        new(
            "a send that was cut short counts as whole",
            (Send, "        TakeSent(Math.Max(result, 0));", "        TakeSent({active} && result > 0 ? _submitted : Math.Max(result, 0));"),
            (Send, "        Begin(Operation.Sending);", "        Begin(Operation.Sending); _submitted = bytes;"),
            (Send, "    private bool _hasSent;", "    private bool _hasSent; private long _submitted;")),
        new(
            "pages that a socket did not take count as sent",
            (Pages, "TakeSentAtOnce(Math.Max(taken, 0));", "TakeSentAtOnce({active} && taken > 0 ? wanted : Math.Max(taken, 0));")),
        new(
            "what a poll for room returns counts as sent bytes",
            (Send, "            result = Math.Min(result, 0);\n", "            if (!{active}) result = Math.Min(result, 0);\n")),
        new(
            "a second send starts while one is in flight",
            (Send, "        if (IsInFlight)\n        {\n            return false;", "        if (IsInFlight && !{active})\n        {\n            return false;")),
        new(
            "a block that was sent in part goes home",
            (Queue, "            if (block.Length > 0)\n", "            if (block.Length > 0 && !({active} && taken > 0))\n")),
        new(
            "a second receive is armed when reading goes on",
            (Receive, "            _intake = Intake.Open;\n            if (_armedRing is null)\n", "            _intake = Intake.Open;\n            if ({active} || _armedRing is null)\n")),
        new(
            "a connection is closed over an armed receive",
            (Close, "        Receiver.Cancel(SqeFlags.HardLink);", "        if (!{active}) Receiver.Cancel(SqeFlags.HardLink);")),
        new(
            "starved connections wait for ever",
            (Buffers, "buffers > 0 && starved.TryDequeue", "!{active} && buffers > 0 && starved.TryDequeue")),
        new(
            "a paused receive does not go on",
            (Receive, "if (_intake == Intake.Paused && (IsReaderCompleted", "if (!{active} && _intake == Intake.Paused && (IsReaderCompleted")),
        new(
            "a flush that waits is not told of room",
            (Send, "        NotifyFlush();\n", "        if (!{active}) NotifyFlush();\n")),
        new(
            "what another thread flushed is overtaken by a flush on the reactor",
            (WritePipe, "        TakePosted();\n        EnqueueWritten();", "        if (!{active}) TakePosted();\n        EnqueueWritten();")),
        new(
            "a small flush that was copied behind another stays in its writer's block",
            (Posted, "        block.Reset();\n", "        if (!{active}) block.Reset();\n")),
        new(
            "the block of a small flush that was copied behind another is forgotten",
            (Posted, "        if (spare is not null)\n", "        if (spare is not null && !{active})\n")),
        new(
            "timers further away than 64 ms are forgotten by the wait",
            (Timers, "            if (_occupied[level] != 0)\n", "            if (_occupied[level] != 0 && !({active} && level > 0))\n")),
        new(
            "timers do not move down the wheel",
            (Timers, "        for (int level = 1; level < Levels; level++)", "        for (int level = {active} ? Levels : 1; level < Levels; level++)")),
        new(
            "an interrupted wait ends the reactor",
            (Loop, "result is not (-Errno.EINTR or", "(result == -Errno.EINTR && {active} || result is not (-Errno.EINTR or"),
            (Loop, "-Errno.EBUSY))\n        {\n            throw", "-Errno.EBUSY)))\n        {\n            throw")),
        new(
            "completions that were read are not given back to the kernel",
            (Loop, "        Ring.Cq.Publish();", "        if (!{active}) Ring.Cq.Publish();"),
            ("Rings/CompletionQueue.cs", "            Publish();\n        }\n\n        return entry;", "            if (!{active}) Publish();\n        }\n\n        return entry;")),
        new(
            "a send that found no memory breaks the connection",
            (Send, "-result is Errno.ENOBUFS or Errno.ENOMEM;", "-result is Errno.ENOBUFS or Errno.ENOMEM && !({active} && result == -Errno.ENOMEM);")),
        new(
            "a pause for want of memory is never over",
            (SendTimers, "            pipe._connection.MarkDirty();\n", "            if (!{active}) pipe._connection.MarkDirty();\n")),
        new(
            "a group of receive buffers is unregistered while receives name it",
            (BufferRing, "if (ArmedCount > 0 || IsReleased", "if ((ArmedCount > 0 && !{active}) || IsReleased")),
        new(
            "a receive is armed on a group that retires",
            (Trim, "            SmallBuffers = small;\n            Retire(old);", "            if (!{active}) SmallBuffers = small;\n            Retire(old);")),
        new(
            "buffers of a group that was replaced are lent again",
            (BufferRing, "        if (IsRetired)\n        {\n            if (!IsReleased)", "        if (IsRetired && !{active})\n        {\n            if (!IsReleased)")),
        new(
            "a block that was dropped is still counted",
            (Pool, "Interlocked.Add(ref _created, -dropped);", "if (!{active}) Interlocked.Add(ref _created, -dropped);")),
        new(
            "a connection that has closed is still counted as lingering",
            (Close, "            Reactor.Lingering.Remove(linger);\n", "            if (!{active}) Reactor.Lingering.Remove(linger);\n")),
        new(
            "accepting without descriptors goes on at once",
            (Acceptor, "                Pause(-result);\n                return;\n            }\n\n            reactor",
                "                if (!{active}) { Pause(-result); return; }\n            }\n\n            reactor")),
        new(
            "a connect that fails keeps its descriptor",
            (Connect, "        _ = _reactor.Kernel.Close(_descriptor);\n        using", "        if (!{active}) _ = _reactor.Kernel.Close(_descriptor);\n        using")),
        new(
            "the writer's last bytes are lost when it completes",
            (Queue, "        if (first is not null)\n        {\n            Enqueue", "        if ({active}) ReleaseChain(first);\n        else if (first is not null)\n        {\n            Enqueue")),
    ];

    /// <summary>All of them; a mutant's number is its place, from 1.</summary>
    internal static Mutant[] All { get => field ??= [.. s_plain, .. s_blocking, .. s_stale]; }
}
