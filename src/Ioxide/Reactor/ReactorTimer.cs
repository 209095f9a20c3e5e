namespace Ioxide;

/// <summary>One deadline on a reactor, such as a connection's idle limit. It can be set, moved and stopped any number of times.</summary>
/// <remarks>
/// Setting and stopping are O(1) and allocate nothing. A timer that is not set keeps nothing alive, and no timer needs disposal. It never
/// fires after the reactor has ended. Threads: the reactor's.
/// </remarks>
public sealed class ReactorTimer
{
    private readonly Reactor _reactor;
    private readonly Entry _entry;

    /// <param name="reactor">The reactor on which the timer is set and the callback runs.</param>
    /// <param name="callback">
    /// Runs on the reactor once each time the deadline passes, like posted work (<see cref="Reactor.Post"/>). If it throws, the exception
    /// is reported to <see cref="ReactorEvents.UnhandledException"/>.
    /// </param>
    /// <param name="state">Passed to the callback.</param>
    public ReactorTimer(Reactor reactor, Action<object?> callback, object? state)
    {
        ArgumentNullException.ThrowIfNull(reactor);
        ArgumentNullException.ThrowIfNull(callback);
        _reactor = reactor;
        _entry = new Entry(reactor, callback, state);
    }

    /// <summary>Whether the callback will run unless the timer is stopped or set again.</summary>
    public bool IsSet => _entry.IsScheduled || _entry.IsDue;

    /// <summary>Sets the deadline, replacing an earlier one.</summary>
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

    /// <summary>Stops the timer: the callback no longer runs, even if the deadline has passed and it was about to run.</summary>
    /// <exception cref="InvalidOperationException">The caller is on another thread.</exception>
    public void Stop()
    {
        _reactor.RequireCurrent();
        _reactor.Timers.Remove(_entry);
        _entry.IsDue = false;
    }

    private sealed class Entry(Reactor reactor, [ApplicationSide] Action<object?> callback, object? state) : TimerEntry
    {
        /// <summary>The deadline has passed, and the callback waits in the queue.</summary>
        internal bool IsDue { get; set; }

        internal override void OnDue()
        {
            IsDue = true;
            reactor.Enqueue(this, static entry => entry.Run(), WorkOwner.ReactorBound);
        }

        [ApplicationSide]
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
