using System.Collections.Frozen;

namespace Ioxide.Simulation;

/// <summary>What must hold when the reactor has ended, and what runs must have reached.</summary>
internal sealed partial class Http2World
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    private static readonly FrozenDictionary<string, int> s_marks = Marks.Number(
    [
        "answer: whole", "handler: blocks", "handler: leaves a read", "handler: waits for the reset", "handler: on another thread", "handler: resets", "handler: throws", "handler: throws in the middle",
        "peer: GOAWAY", "peer: half closed", "peer: reset a stream", "peer: reset the socket", "peer: smaller windows",
        "peer: waits for a stream's window", "peer: waits for the connection's window", "server: GOAWAY",
        "server: answered before the body was there", "server: asked to end", "server: credit for a stream",
        "server: waits for a stream's window", "server: waits for the connection's window", "stop: below a blocked handler", "stop: in the middle",
    ]);

    private protected override void CheckRest()
    {
        // What belongs to a reactor that has ended goes on on the thread pool; an engine's last step is on the machine's own.
        SpinWait.SpinUntil(RunRest, s_patience);
        Expect(_unclosed, "connections that were never closed");
        Expect(_served.Count(static served => !served.Run.IsCompletedSuccessfully), "engines that never ended");
        Expect(_handlers.Running, $"handlers that never ended: {Describe()}");
        Expect(_handlers.OwnersAlive, "pieces of memory that were never given back");
        Expect(_memory.Out, "blocks of bodies");
        Expect(Reactor.Operations.InFlight, "operations counted as in flight");
        Expect(Reactor.Load.Open, "connections counted as open");
        Expect(_kernel.InFlight, "operations that the kernel still runs");
        Expect(Reactor.Timers.Count, "timers");
        foreach (Served served in _served)
        {
            if (!IsCutShort && EngineDoor.Kept(served.Engine) is { } kept)
            {
                Violated($"at rest an engine keeps {kept}");
            }
        }

        // A client that was gone before it was accepted may be accepted when the reactor ends, which keeps what belongs to it.
        if (!IsCutShort && !_hasOutlivedReactor)
        {
            Expect(Reactor.Snapshot().BuffersTaken, "receive buffers not returned");
            Expect(Reactor.Memory.SmallBlocks.CreatedCount - Reactor.Memory.SmallBlocks.HomeCount, "small blocks not returned");
            Expect(Reactor.Memory.LargeBlocks.CreatedCount - Reactor.Memory.LargeBlocks.HomeCount, "large blocks not returned");
        }

        _isClosingRing = true;
        Reactor.End.CloseRing();
        Expect(_kernel.OpenDescriptors, "descriptors left open");
        foreach (Http2Peer peer in _peers.Values)
        {
            peer.CheckAnswers();
        }
    }

    private bool RunRest()
    {
        CloseEnded();
        RunOneLeft();
        while (_events.TryDequeue(out Action? action, out _))
        {
            action();
        }

        return _elsewhere.IsEmpty && _unclosed == 0 && _handlers.Running == 0 && _served.TrueForAll(static served => served.Run.IsCompleted);
    }
}
