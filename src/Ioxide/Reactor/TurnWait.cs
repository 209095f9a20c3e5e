namespace Ioxide;

/// <summary>The end of a turn: one enter submits everything and waits for completions, unless there is work.</summary>
internal sealed class TurnWait(Reactor reactor, WorkQueue work)
{
    // A larger batch would fall out of the second-level cache before it is answered.
    private const uint MaxBatch = 64;

    // The longest delay that sends that do not complete at once add to a batched wait.
    private const uint BatchWaitUs = 20;

    private uint _quickSends;

    /// <summary>Milliseconds of the clock when this turn began. It costs no call, so it may be read in any state.</summary>
    internal long TimeOfTurn { get; private set; }

    /// <summary>A small send was submitted: it will most likely complete inside the same enter.</summary>
    internal void CountQuickSend() => _quickSends++;

    internal void SubmitAndWait()
    {
        uint minComplete = 0;
        long timeoutNs = 0;
        uint minimumWaitUs = 0;
        bool isAsleep = false;

        // Do not sleep while a starved connection can be armed: those armed before it may have nothing to receive.
        if (!reactor.End.IsRequested && !reactor.Buffers.CanArmStarved)
        {
            timeoutNs = reactor.Blocked.Limit(NextTimeoutNs());
            if (timeoutNs != 0 && work.TryBeginSleep())
            {
                isAsleep = true;
                minComplete = 1;
                if (_quickSends > 1 && (reactor.Ring.Features & RingFeatureFlags.MinimumTimeout) != 0)
                {
                    // One enter runs the pending work of 20 sockets, or of as many as it waits for. Small sends complete
                    // at once, so waiting for as many as were submitted costs no time and takes in as many requests.
                    minComplete = Math.Min(_quickSends, MaxBatch);
                    minimumWaitUs = BatchWaitUs;
                }
            }
        }

        _quickSends = 0;
        long before = reactor.Kernel.Timestamp();
        reactor.Ran.EndTurn(reactor.Clock, reactor.Clock.End(before));
        int result = reactor.Ring.SubmitAndWait(minComplete, timeoutNs, minimumWaitUs);
        if (isAsleep)
        {
            work.EndSleep();
        }

        long now = reactor.Kernel.Timestamp();
        TimeOfTurn = now / (Stopwatch.Frequency / 1000);
        reactor.Clock.Begin(now);
        if (result < 0 && result is not (-Errno.EINTR or -Errno.ETIME or -Errno.EAGAIN or -Errno.EBUSY))
        {
            throw Errno.ToIOException(-result, "wait for completions");
        }
    }

    private long NextTimeoutNs()
    {
        const long NanosecondsPerTick = 1_000_000;
        if (reactor.Timers.NextTick() is not { } tick)
        {
            return -1;
        }

        long nowNs = reactor.Kernel.Timestamp() * (1_000_000_000 / Stopwatch.Frequency);
        return Math.Max(0, (tick * NanosecondsPerTick) - nowNs);
    }
}
