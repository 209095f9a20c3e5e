using System.Diagnostics;

namespace Ioxide;

/// <summary>Checks from outside whether the reactors turn, reports a stalled one, and accepts for a stuck one.</summary>
/// <remarks>
/// A blocked handler cannot report itself. The watchdog costs the reactor nothing: it reads when the turn started. It has its own
/// thread, because blocking handlers would also keep a thread pool timer from running.
/// </remarks>
internal sealed class Watchdog : IDisposable
{
    // While a reactor is stuck, a connection that the kernel gave to it waits this long at most.
    private static readonly TimeSpan s_rescueInterval = TimeSpan.FromMilliseconds(10);

    private readonly ReactorGroup _group;
    private readonly TimeSpan _interval;
    private readonly StallWatch[] _stalls;
    private readonly StallWatch[] _blocks;
    private readonly ManualResetEvent _isDisposed = new(initialState: false);
    private readonly Thread _thread;

    internal Watchdog(ReactorGroup group)
    {
        _group = group;
        TimeSpan threshold = group.Options.StallThreshold;
        _interval = TimeSpan.FromMilliseconds(Math.Clamp(threshold.TotalMilliseconds / 4, 10, 250));
        long thresholdTicks = (long)(threshold.TotalSeconds * Stopwatch.Frequency);
        _stalls = [.. group.Reactors.Select(_ => new StallWatch(thresholdTicks, Stopwatch.Frequency))];
        _blocks = [.. group.Reactors.Select(_ => new StallWatch(thresholdTicks, Stopwatch.Frequency))];
        _thread = new Thread(Watch) { IsBackground = true, Name = "Ioxide watchdog" };
    }

    internal void Start() => _thread.Start();

    /// <summary>Ends the thread without waiting for it: a report may be stopping the group.</summary>
    public void Dispose() => _isDisposed.Set();

    private void Watch()
    {
        bool anyStuck = false;
        while (!_isDisposed.WaitOne(anyStuck && _interval > s_rescueInterval ? s_rescueInterval : _interval))
        {
            anyStuck = false;
            for (int index = 0; index < _stalls.Length; index++)
            {
                Look(_group.Reactors[index], _stalls[index]);
                LookForBlock(_group.Reactors[index], _blocks[index]);
                anyStuck |= _stalls[index].IsStuck;
            }
        }

        _isDisposed.Dispose();
    }

    /// <summary>A handler blocks in a wait: the reactor turns inside it, and its application code runs on the thread pool.</summary>
    private static void LookForBlock(Reactor reactor, StallWatch block)
    {
        long since = reactor.BlockedSince;
        long now = Stopwatch.GetTimestamp();
        StallNews news = block.Look(reactor.HasEnded ? 0 : since, now);
        if ((news & (StallNews.Began | StallNews.Repeated)) != 0)
        {
            TimeSpan duration = Stopwatch.GetElapsedTime(since, now);
            IoxideEventSource.Log.ReactorBlocked(reactor.Id, (long)duration.TotalMilliseconds);
            reactor.Tell(events => events.ReactorBlocked(reactor.Id, duration, reactor.BlockedActivity));
        }
    }

    private void Look(Reactor reactor, StallWatch stall)
    {
        long started = reactor.TurnStarted;
        long now = Stopwatch.GetTimestamp();
        StallNews news = stall.Look(reactor.HasEnded ? 0 : started, now);
        TimeSpan duration = started == 0 ? TimeSpan.Zero : Stopwatch.GetElapsedTime(started, now);
        reactor.IsStuck = stall.IsStuck;
        if (stall.IsStuck)
        {
            _group.AcceptFor(reactor);
        }

        if (news == StallNews.None)
        {
            return;
        }

        if (news.HasFlag(StallNews.Ended))
        {
            TimeSpan lasted = Stopwatch.GetElapsedTime(0, stall.Lasted);
            IoxideEventSource.Log.ReactorRecovered(reactor.Id, (long)lasted.TotalMilliseconds);
            reactor.Tell(events => events.ReactorRecovered(reactor.Id, lasted));
        }

        if (news.HasFlag(StallNews.Began))
        {
            reactor.Stalls++;
        }

        if ((news & (StallNews.Began | StallNews.Repeated)) != 0)
        {
            IoxideEventSource.Log.ReactorStall(reactor.Id, (long)duration.TotalMilliseconds);
            reactor.Tell(events => events.ReactorStalled(reactor.Id, duration, reactor.Activity));
        }

        if (news.HasFlag(StallNews.Stuck))
        {
            bool isRelieved = _group.LeastLoaded(except: reactor) is not null;
            IoxideEventSource.Log.ReactorStuck(reactor.Id, (long)duration.TotalMilliseconds);
            reactor.Tell(events => events.ReactorStuck(reactor.Id, duration, reactor.Activity, isRelieved));
        }
    }
}
