using System.Runtime.Versioning;

namespace Ioxide;

/// <summary>The reactors of a process: starts them, distributes work over them, drains and stops them.</summary>
/// <remarks>One group serves all endpoints and all outbound connections. Threads: any, for every member.</remarks>
public sealed partial class ReactorGroup : IAsyncDisposable
{
    private readonly List<RingListener> _listeners = [];
    private readonly Lock _lock = new();
    private readonly Reactor[] _reactors;
    private readonly Watchdog _watchdog;
    private readonly SingleRun _stop = new();
    private int _next;

    private ReactorGroup(ReactorOptions options, Kernel kernel, RingUnavailableException? refusal = null)
    {
        Options = options;
        Kernel = kernel;
        RingRefusal = refusal;
        int count = options.ResolveReactorCount();
        _reactors = new Reactor[count];
        int made = 0;
        try
        {
            for (; made < count; made++)
            {
                _reactors[made] = new Reactor(this, made, options);
            }
        }
        catch
        {
            foreach (Reactor reactor in _reactors.AsSpan(0, made))
            {
                reactor.End.CloseRing();
            }

            throw;
        }

        _watchdog = new Watchdog(this);
    }

    /// <summary>The reactors, by number.</summary>
    public IReadOnlyList<Reactor> Reactors => _reactors;

    /// <summary>The options in use. Later changes have no effect.</summary>
    public ReactorOptions Options { get; }

    /// <summary>What the reactors run on: <see cref="KernelChoice.IoUring"/> or <see cref="KernelChoice.Epoll"/>.</summary>
    public KernelChoice RunsOn => Kernel.Choice;

    /// <summary>Why <see cref="KernelChoice.Auto"/> came to epoll; null where rings serve or epoll was asked for.</summary>
    public RingUnavailableException? RingRefusal { get; }

    /// <summary>
    /// Stops accepting, waits until every connection has ended or the token is cancelled, aborts the remaining ones, and ends the
    /// reactors. Afterwards every descriptor is closed.
    /// </summary>
    /// <remarks>
    /// A reactor whose thread is blocked is abandoned after <see cref="ReactorOptions.ReactorStopTimeout"/>, and
    /// <see cref="ReactorEvents.ReactorAbandoned"/> names what it runs. It ends when it turns again; only then are the rings and buffers of the
    /// group freed.
    /// </remarks>
    public Task StopAsync(CancellationToken cancellationToken = default) => _stop.Start(() => StopOnceAsync(cancellationToken));

    /// <summary>Stops at once: open connections are aborted.</summary>
    public async ValueTask DisposeAsync() => await StopAsync(new CancellationToken(canceled: true)).ConfigureAwait(false);

    internal Kernel Kernel { get; }

    internal void Add(RingListener listener)
    {
        lock (_lock)
        {
            _listeners.Add(listener);
        }
    }

    internal void Remove(RingListener listener)
    {
        lock (_lock)
        {
            _listeners.Remove(listener);
        }
    }

    /// <summary>Each reactor in turn, for callers on other threads. Skips stuck and ended reactors while there is another.</summary>
    [Experimental("IOX1001")]
    public Reactor NextReactor()
    {
        uint next = (uint)Interlocked.Increment(ref _next);
        for (uint skipped = 0; skipped < (uint)_reactors.Length; skipped++)
        {
            Reactor candidate = _reactors[(next + skipped) % (uint)_reactors.Length];
            if (candidate is { IsStuck: false, HasEnded: false })
            {
                return candidate;
            }
        }

        return _reactors[next % (uint)_reactors.Length];
    }

    /// <summary>The turning reactor with the fewest connections other than <paramref name="except"/>; null if there is none.</summary>
    internal Reactor? LeastLoaded(Reactor? except)
    {
        Reactor? best = null;
        int least = int.MaxValue;
        foreach (Reactor candidate in _reactors)
        {
            int load = candidate.Load.Total;
            if (load < least && !candidate.HasEnded && !candidate.IsStuck && !ReferenceEquals(candidate, except))
            {
                least = load;
                best = candidate;
            }
        }

        return best;
    }

    /// <summary>Accepts on all listeners of a stuck reactor. Threads: the watchdog's.</summary>
    internal void AcceptFor(Reactor stuck)
    {
        foreach (RingListener listener in Listeners())
        {
            listener.AcceptFor(stuck);
        }
    }

    private RingListener[] Listeners()
    {
        lock (_lock)
        {
            return [.. _listeners];
        }
    }

    private async Task StopOnceAsync(CancellationToken cancellationToken)
    {
        Reactor[] started = [.. _reactors.Where(reactor => reactor.Thread.Started.IsCompletedSuccessfully)];
        Task unbound = Task.WhenAll(Listeners().Select(listener => listener.UnbindAsync()));
        await unbound.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        Task guestsClosed = CloseGuestsAsync();
        await guestsClosed.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        try
        {
            // A reactor whose ring fails ends, and never says that it is empty.
            await Task.WhenAll(started.Select(reactor => Task.WhenAny(reactor.Load.WhenEmptyAsync(), reactor.Ended)))
                .WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // The time to drain is over; the rest is aborted below.
        }

        _watchdog.Dispose();
        foreach (Reactor reactor in started)
        {
            reactor.RequestStop();
        }

        await Task.WhenAll(started.Select(WaitForEndAsync)).ConfigureAwait(false);

        // What failed keeps no reactor turning; the caller gets it now.
        await Task.WhenAll(unbound, guestsClosed).ConfigureAwait(false);
    }

    /// <summary>Waits until the reactor has ended, and closes its ring; or abandons it: its thread then ends it when it turns again.</summary>
    private async Task WaitForEndAsync(Reactor reactor)
    {
        try
        {
            // A turning reactor has its own limit for the operations in flight.
            TimeSpan longest = Options.ReactorStopTimeout + (2 * ReactorEnd.Limit);
            if (await reactor.WaitWhileTurningAsync(reactor.Ended, Options.ReactorStopTimeout).WaitAsync(longest).ConfigureAwait(false))
            {
                reactor.End.CloseRing();
                return;
            }
        }
        catch (TimeoutException)
        {
            // It turns and does not end, which is reported below.
        }

        _ = reactor.Ended.ContinueWith(
            _ => reactor.End.CloseRing(), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        TimeSpan stalledFor = reactor.Clock.Read().Held;
        IoxideEventSource.Log.ReactorAbandoned(reactor.Id, (long)stalledFor.TotalMilliseconds);
        reactor.RaiseEvent(events => events.ReactorAbandoned(reactor.Id, stalledFor, reactor.Activity));
    }
}
