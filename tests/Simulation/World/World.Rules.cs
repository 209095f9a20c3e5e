namespace Ioxide.Simulation;

/// <summary>What the kernel saw, where only the world knows whether it was right.</summary>
internal sealed partial class World
{
    internal override void StarvedWasPassed(StreamSocket socket)
    {
        // A reader that pauses leaves the queue, and is armed when it goes on.
        if (Plan.Connection.MaxReadBufferSize is null)
        {
            Violated($"{socket.Peer}: it waited for a buffer, and another that came later got one first");
        }
    }

    internal override void ReadStarted() => Schedule(WorldEventKind.Disk, delayNs: _dice.Below(20_000));

    internal override void ClosedOverClients(int count)
    {
        if (_isUnbound && !_isStopping && !_isRingBroken && Plan.Faults.DescriptorLimit == Plan.ManyDescriptors)
        {
            Violated($"a listener that was unbound left {count} clients in its queue");
        }
    }

    /// <summary>Who closed a connection with input that it did not read lingers, and so the peer gets all of the answer.</summary>
    /// <remarks>Not where the connection's options shut both directions down at the end of the output, as sockets in Kestrel do.</remarks>
    private void CheckLoss(Peer peer)
    {
        if (peer.Socket!.WasSentToWhenShut)
        {
            Expect(Plan.Connection.ShutsDownBothDirections ? 0 : 1, $"resets of {peer} by a shutdown that its options do not ask for");
            return;
        }

        if (peer.LostBytes > 0 && peer.HasLeftInput && peer.Ending != Ending.Aborts && !peer.HasLingeredLong && Reactor.Load.Lingering.Dropped == 0
            && Plan.Connection.LingerTimeout > TimeSpan.Zero)
        {
            Violated($"{peer}: {peer.LostBytes} bytes of the answer were lost, because what it sent was not read");
        }
    }
}
