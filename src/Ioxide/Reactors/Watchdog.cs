using System.Diagnostics;

namespace Ioxide;

/// <summary>Looks from outside whether the reactors turn, and reports one that does not.</summary>
/// <remarks>A blocked handler cannot report itself. It costs the reactor nothing: it reads when the turn started.</remarks>
internal sealed class Watchdog : IDisposable
{
    private static readonly TimeSpan s_reportInterval = TimeSpan.FromSeconds(1);

    private readonly ReactorGroup _group;
    private readonly TimeSpan _threshold;
    private readonly Timer _timer;
    private readonly Stall[] _stalls;

    internal Watchdog(ReactorGroup group)
    {
        _group = group;
        _threshold = group.Options.StallThreshold;
        _stalls = new Stall[group.Reactors.Count];
        _timer = new Timer(static watchdog => ((Watchdog)watchdog!).Look(), this, Timeout.Infinite, Timeout.Infinite);
    }

    internal void Start()
    {
        TimeSpan interval = TimeSpan.FromMilliseconds(Math.Clamp(_threshold.TotalMilliseconds / 4, 10, 250));
        _timer.Change(interval, interval);
    }

    public void Dispose() => _timer.Dispose();

    private void Look()
    {
        for (int index = 0; index < _stalls.Length; index++)
        {
            Reactor reactor = _group.Reactors[index];
            long started = reactor.TurnStarted;
            TimeSpan duration = started == 0 ? TimeSpan.Zero : Stopwatch.GetElapsedTime(started);
            if (duration < _threshold)
            {
                continue;
            }

            ref Stall stall = ref _stalls[index];
            bool isNew = stall.TurnStarted != started;
            if (isNew)
            {
                stall.TurnStarted = started;
                reactor.Stalls++;
            }

            if (isNew || Stopwatch.GetElapsedTime(stall.Reported) >= s_reportInterval)
            {
                stall.Reported = Stopwatch.GetTimestamp();
                IoxideEventSource.Log.ReactorStall(reactor.Id, (long)duration.TotalMilliseconds);
                reactor.Options.Events?.ReactorStalled(reactor.Id, duration, reactor.Activity);
            }
        }
    }

    private struct Stall
    {
        internal long TurnStarted;
        internal long Reported;
    }
}
