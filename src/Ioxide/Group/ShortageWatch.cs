namespace Ioxide;

/// <summary>Reports that reactors have no processor, at most once per minute for all of them.</summary>
/// <remarks>Threads: the watchdog's.</remarks>
internal sealed class ShortageWatch(TimeSpan threshold)
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMinutes(1);

    private readonly TimeSpan _throttledBefore = CpuQuota.RecentlyThrottled();
    private long? _reportedAt;

    internal void Look(Reactor reactor, in TurnTimes turn)
    {
        if (!turn.IsShortOfProcessor(threshold) || (_reportedAt is { } reported && Stopwatch.GetElapsedTime(reported) < s_pause))
        {
            return;
        }

        _reportedAt = Stopwatch.GetTimestamp();
        TimeSpan lasted = turn.Lasted;
        TimeSpan onProcessor = lasted - turn.Waiting - turn.Blocked;
        TimeSpan throttled = CpuQuota.RecentlyThrottled() - _throttledBefore;
        IoxideEventSource.Log.ReactorShortOfProcessor(reactor.Id, (long)lasted.TotalMilliseconds, (long)turn.Waiting.TotalMilliseconds);
        reactor.RaiseEvent(events => events.ReactorShortOfProcessor(reactor.Id, lasted, onProcessor, throttled));
    }
}
