namespace Ioxide;

/// <summary>One thread, one ring, one loop, and everything that lives on it: connections, buffers, timers, services.</summary>
/// <remarks>
/// A reactor owns its state; no other thread touches it. Code on its thread calls it directly, other threads post.
/// Members name the threads that may call them; the default is the reactor's own.
/// </remarks>
[DebuggerDisplay("{ReactorDescription.Describe(this),nq}")]
public sealed partial class Reactor
{
    /// <summary>A reactor is stuck when it has not turned for this many times <see cref="ReactorOptions.StallThreshold"/>.</summary>
    internal const int StuckFactor = 5;

    private const int MaxPooledDelays = 256;

    [ThreadStatic]
    private static Reactor? s_current;

    private readonly WorkQueue _work = new();
    private readonly Dictionary<Type, object> _services = [];
    private readonly Stack<DelayOperation> _delays = new();
    private volatile bool _isStuck;

    internal Reactor(ReactorGroup group, int id, ReactorOptions options)
    {
        Group = group;
        Id = id;
        Options = options;
        Kernel = group.Kernel;
        Clock = new TurnClock(Kernel);
        Ran = new TurnRecord(this, options.SlowTurnListener);
        SynchronizationContext = new ReactorSynchronizationContext(this);
        RuntimeContext = new RuntimeContext(this);
        Blocked = new BlockedWait(this, _work);
        Scheduler = new ReactorScheduler(this);
        Trimmer = new Trimmer(this);
        Work = new WorkRuns(this, _work);
        End = new ReactorEnd(this, _work);
        Wait = new TurnWait(this, _work);
        Thread = new ReactorThread(this);
        Load = new ReactorLoad(this, group.Reactors.Count);
        Memory = new ReactorMemory(this);
        Operations = new OperationTable(Kernel);
        Timers = new TimerWheel(NowTick());
        Ring = Ring.Create(
            new RingOptions(
                (uint)options.SqEntries, (uint)options.CqEntries, options.RestrictOperations),
            Kernel);
        try
        {
            _wakeTarget = new WakeTarget(this);
        }
        catch
        {
            Ring.Dispose();
            throw;
        }
    }

    /// <summary>The reactor of the calling thread, or null on any other thread.</summary>
    public static Reactor? Current => s_current;

    /// <summary>The reactor's number in its group, from 0. Threads: any.</summary>
    public int Id { get; }

    /// <summary>The group that owns this reactor. Threads: any.</summary>
    public ReactorGroup Group { get; }

    /// <summary>Whether the calling thread is this reactor's. Threads: any.</summary>
    public bool IsCurrent => ReferenceEquals(s_current, this);

    /// <summary>Brings awaits back to this reactor. Current on the reactor's thread. Threads: any.</summary>
    public SynchronizationContext SynchronizationContext { get; }

    /// <summary>Runs scheduled work of pipes on this reactor; after it has ended, on the thread pool. Threads: any.</summary>
    public PipeScheduler Scheduler { get; }

    internal ReactorOptions Options { get; }

    /// <summary>Answers the reactor's system calls and provides its clock.</summary>
    internal Kernel Kernel { get; }

    internal Ring Ring { get; }

    /// <summary>What the kernel made of the options of the ring, for the log.</summary>
    internal (string Modes, uint SqEntries, uint CqEntries) RingFigures => (Ring.Describe(), Ring.Sq.Capacity, Ring.Cq.Capacity);

    internal OperationTable Operations { get; }

    internal TimerWheel Timers { get; }

    /// <summary>Times the turns. Threads: any, where its members say so.</summary>
    internal TurnClock Clock { get; }

    /// <summary>Which application code the current turn has run.</summary>
    internal TurnRecord Ran { get; }

    /// <summary>Releases memory after a burst.</summary>
    internal Trimmer Trimmer { get; }

    /// <summary>What connections send with. Threads: see its members.</summary>
    internal ReactorMemory Memory { get; }

    /// <summary>What connections receive into. Made when the reactor begins to turn.</summary>
    internal ReceiveBuffers Buffers { get; private set; } = null!;

    internal ReactorThread Thread { get; }

    /// <summary>How a turn ends.</summary>
    internal TurnWait Wait { get; }

    internal WorkRuns Work { get; }

    internal ReactorEnd End { get; }

    internal ReactorCounters Counters { get; } = new();

    internal ReactorLoad Load { get; }

    /// <summary>Posted work that has not run yet. A reading from another thread is a snapshot.</summary>
    internal int QueuedWork => _work.Count;

    internal long Stalls { get; set; }

    /// <summary>The reactor is stuck, and others accept its new connections. Set by the watchdog; read by any thread.</summary>
    internal bool IsStuck
    {
        get => _isStuck;
        set => _isStuck = value;
    }

    /// <summary>Completes when the thread has released everything. Threads: any.</summary>
    internal Task Ended => End.Over;

    /// <summary>The reactor turns no more. Threads: any.</summary>
    [Experimental("IOX1001")]
    public bool HasEnded => End.HasEnded;

    /// <summary>Whether the calling thread is the reactor's and a new operation would still be submitted and completed.</summary>
    internal bool CanStart => IsCurrent && !End.HasBegun;

    /// <summary>Runs the callback on this reactor, later in this turn or in a later one, never inside this call.</summary>
    /// <param name="callback">If it throws, the exception is reported to <see cref="ReactorEvents.UnhandledException"/>.</param>
    /// <param name="state">Passed to the callback.</param>
    /// <remarks>
    /// Threads: any. Callbacks of one thread run in the order in which it posted them. Allocates nothing. While a handler blocks the reactor,
    /// callbacks wait until the handler returns: a handler that blocks until such a callback has run waits forever.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The reactor has ended.</exception>
    [ApplicationSide]
    public void Post(Action<object?> callback, object? state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        if (!TryEnqueue(WorkItem.Of(callback, state, static (callback, state) => callback(state), WorkOwner.ReactorBound)))
        {
            throw new ObjectDisposedException(nameof(Reactor), $"Reactor {Id} has ended.");
        }
    }

    /// <summary>Completes on this reactor after the delay, up to 2 ms late on an idle machine, never early.</summary>
    /// <param name="delay">From 0 to 24 days.</param>
    /// <param name="cancellationToken">Ends the delay with an <see cref="OperationCanceledException"/>.</param>
    /// <remarks>Threads: any. Await the result exactly once. Allocates nothing on the reactor once warm.</remarks>
    public ValueTask DelayAsync(TimeSpan delay, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(delay, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(delay.TotalMilliseconds, int.MaxValue, nameof(delay));
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        DelayOperation operation = IsCurrent && _delays.TryPop(out DelayOperation? pooled) ? pooled : new DelayOperation(this);
        return operation.StartAsync(DueTick(delay), cancellationToken);
    }

    /// <summary>Opens a connection on this reactor. See <see cref="ReactorGroup.ConnectAsync"/>.</summary>
    /// <remarks>Threads: any. The connection belongs to this reactor; the await resumes in its own context.</remarks>
    public ValueTask<RingConnection> ConnectAsync(
        EndPoint endPoint, RingConnectionOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(endPoint);
        return ConnectOperation.StartAsync(this, endPoint, options ?? RingConnectionOptions.Default, cancellationToken);
    }

    /// <summary>Stores one object of a type for this reactor, such as its database pool.</summary>
    /// <remarks>When the reactor ends, it disposes an <see cref="IDisposable"/> on its thread.</remarks>
    /// <exception cref="InvalidOperationException">An object of this type exists already, or the caller is on another thread.</exception>
    public void AddService<T>(T service)
        where T : class
    {
        ArgumentNullException.ThrowIfNull(service);
        RequireCurrent();
        if (!_services.TryAdd(typeof(T), service))
        {
            throw new InvalidOperationException($"Reactor {Id} has a service of type {typeof(T)} already.");
        }
    }

    /// <summary>The object stored for this reactor, or null.</summary>
    /// <exception cref="InvalidOperationException">The caller is on another thread.</exception>
    public T? GetService<T>()
        where T : class
    {
        RequireCurrent();
        return _services.TryGetValue(typeof(T), out object? service) ? (T)service : null;
    }

    internal IEnumerable<object> Services => _services.Values;

    /// <summary>Reads the counters. Threads: any.</summary>
    public ReactorSnapshot Snapshot() => ReactorSnapshot.Of(this);

    /// <inheritdoc/>
    public override string ToString() => $"Reactor {Id}";

    /// <summary>Queues work for this reactor: later in this turn or in a later one, never inside this call. False if it has ended.</summary>
    /// <remarks>Threads: any. Work of one thread and one owner runs in the order in which it was queued. Allocates nothing.</remarks>
    [Experimental("IOX1001")]
    public bool TryEnqueue(in WorkItem item)
    {
        if (HasEnded)
        {
            return false;
        }

        if (IsCurrent)
        {
            _work.EnqueueLocal(item);
            return true;
        }

        if (_work.EnqueueRemote(item))
        {
            _wakeTarget.Wake();
        }

        if (HasEnded)
        {
            // The reactor ended in between and will not look again.
            End.RunLateWork();
        }

        return true;
    }

    internal void Recycle(DelayOperation operation)
    {
        if (IsCurrent && _delays.Count < MaxPooledDelays)
        {
            _delays.Push(operation);
        }
    }

    /// <summary>The tick at which a delay that starts now ends; rounded up, so that no delay ends early.</summary>
    internal long DueTick(TimeSpan delay)
    {
        long now = Kernel.Timestamp();
        double ticks = (now / (double)Stopwatch.Frequency * 1000.0) + delay.TotalMilliseconds;
        return (long)Math.Ceiling(ticks);
    }

    internal long NowTick() => Kernel.Timestamp() / (Stopwatch.Frequency / 1000);

    internal void RequireCurrent()
    {
        if (!IsCurrent)
        {
            throw new InvalidOperationException(
                $"This member belongs to the thread of reactor {Id}. Call it there, for example by {nameof(Post)}.");
        }
    }
}
