namespace Ioxide;

/// <summary>One deadline on a reactor, such as a connection's idle limit: it can be set, moved and stopped any number of times.</summary>
/// <remarks>
/// Setting and stopping are O(1) and allocate nothing. It keeps nothing alive when it is not set, and needs no disposal. When the
/// reactor ends, it is never due. Threads: the reactor's.
/// </remarks>
public sealed class ReactorTimer
{
    private readonly Reactor _reactor;
    private readonly Entry _entry;

    /// <param name="reactor">The reactor on which it is set and on which the callback runs.</param>
    /// <param name="callback">
    /// Runs once each time that the deadline passes, on the reactor, as work that was posted does (<see cref="Reactor.Post"/>). An exception
    /// that it throws is reported to <see cref="ReactorEvents.UnhandledException"/>.
    /// </param>
    /// <param name="state">Handed to the callback.</param>
    public ReactorTimer(Reactor reactor, Action<object?> callback, object? state)
    {
        ArgumentNullException.ThrowIfNull(reactor);
        ArgumentNullException.ThrowIfNull(callback);
        _reactor = reactor;
        _entry = new Entry(reactor, callback, state);
    }

    /// <summary>Whether the callback will run unless the timer is stopped or set anew.</summary>
    public bool IsSet => _entry.IsScheduled || _entry.IsDue;

    /// <summary>Sets the deadline, in place of one that was set before.</summary>
    /// <param name="delay">From 0 to 24 days. The callback runs up to 2 ms late on an idle machine, never early.</param>
    /// <exception cref="ArgumentOutOfRangeException">The delay is negative or too long.</exception>
    /// <exception cref="InvalidOperationException">The caller is on another thread.</exception>
    public void Set(TimeSpan delay)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(delay, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(delay.TotalMilliseconds, int.MaxValue, nameof(delay));
        Stop();
        if (!_reactor.HasEnded)
        {
            _reactor.Timers.Add(_entry, _reactor.DueTick(delay));
        }
    }

    /// <summary>The callback does not run any more, also where the deadline has passed and it was about to.</summary>
    /// <exception cref="InvalidOperationException">The caller is on another thread.</exception>
    public void Stop()
    {
        _reactor.RequireCurrent();
        _reactor.Timers.Remove(_entry);
        _entry.IsDue = false;
    }

    private sealed class Entry(Reactor reactor, Action<object?> callback, object? state) : TimerEntry
    {
        private static readonly Action<object?, object?, long, long> s_run = static (entry, _, _, _) => ((Entry)entry!).Run();

        /// <summary>The deadline has passed, and the callback waits for its turn.</summary>
        internal bool IsDue { get; set; }

        internal override void OnDue()
        {
            IsDue = true;
            reactor.Enqueue(new WorkItem(s_run, this, Owner: WorkOwner.ReactorBound));
        }

        private void Run()
        {
            if (IsDue)
            {
                IsDue = false;
                callback(state);
            }
        }
    }
}
