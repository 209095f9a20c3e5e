using System.Diagnostics;

namespace Ioxide;

/// <summary>Looks from outside whether the reactors turn, and reports one that does not.</summary>
/// <remarks>
/// A blocked handler cannot report itself. It costs the reactor nothing: it reads when the turn started. It has a thread,
/// because handlers that block are what keeps a timer of the thread pool from running.
/// </remarks>
internal sealed class Watchdog : IDisposable
{
    private static readonly TimeSpan s_reportInterval = TimeSpan.FromSeconds(1);

    private readonly ReactorGroup _group;
    private readonly TimeSpan _threshold;
    private readonly Stall[] _stalls;
    private readonly ManualResetEvent _isDisposed = new(initialState: false);
    private readonly Thread _thread;

    internal Watchdog(ReactorGroup group)
    {
        _group = group;
        _threshold = group.Options.StallThreshold;
        _stalls = new Stall[group.Reactors.Count];
        _thread = new Thread(Watch) { IsBackground = true, Name = "Ioxide watchdog" };
    }

    internal void Start() => _thread.Start();

    /// <summary>Ends the thread, without waiting for it: a report may be what stops the group.</summary>
    public void Dispose() => _isDisposed.Set();

    private void Watch()
    {
        TimeSpan interval = TimeSpan.FromMilliseconds(Math.Clamp(_threshold.TotalMilliseconds / 4, 10, 250));
        while (!_isDisposed.WaitOne(interval))
        {
            Look();
        }

        _isDisposed.Dispose();
    }

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
                reactor.Tell(events => events.ReactorStalled(reactor.Id, duration, reactor.Activity));
            }
        }
    }

    private struct Stall
    {
        internal long TurnStarted;
        internal long Reported;
    }
}
