using System.Diagnostics;
using System.IO.Pipelines;

namespace Ioxide;

/// <summary>One thread, one ring, one loop, and everything that lives on it: connections, buffers, timers, services.</summary>
/// <remarks>
/// A reactor owns its state; no other thread touches it. Code on its thread calls it directly, other threads post.
/// Members name the threads that may call them; the default is the reactor's own.
/// It has 81 fields, a part of the type per concern, because one turn of the loop touches them all: in one object they cost no hop.
/// </remarks>
public sealed partial class Reactor
{
    [ThreadStatic]
    private static Reactor? s_current;

    private readonly WorkQueue _work = new();
    private readonly Dictionary<Type, object> _services = [];
    private readonly Stack<DelayOperation> _delays = new();
    private readonly int _processor;

    internal Reactor(ReactorGroup group, int id, ReactorOptions options, int processor)
    {
        Group = group;
        Id = id;
        Options = options;
        Kernel = options.Kernel;
        _processor = processor;
        _judge = options.StallJudge;
        SynchronizationContext = new ReactorSynchronizationContext(this);
        RuntimeContext = new RuntimeContext(this);
        Scheduler = new ReactorScheduler(this);
        Trimmer = new Trimmer(this);
        Lingering = new LingerList(group.Reactors.Count);
        SmallBlocks = new BlockPool(this, SmallBlockBytes);
        LargeBlocks = new BlockPool(this, LargeBlockBytes);
        Operations = new OperationTable(Kernel);
        Timers = new TimerWheel(NowTick());
        _lastWoken = Kernel.Timestamp();
        Ring = Ring.Create(
            new RingOptions(
                (uint)options.SqEntries, (uint)options.CqEntries, options.RestrictOperations),
            Kernel);
        _eventDescriptor = MakeEventDescriptor(Kernel);
        if (_eventDescriptor < 0)
        {
            Ring.Dispose();
            throw new RingUnavailableException(-_eventDescriptor, "eventfd2");
        }
    }

    private const int MaxPooledDelays = 256;

    /// <summary>Bytes of a block for small answers, which most are.</summary>
    internal const int SmallBlockBytes = 4096;

    /// <summary>Bytes of a block for an answer that has turned out to be large.</summary>
    internal const int LargeBlockBytes = 32 * 1024;

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

    /// <summary>Runs scheduled work of pipes on this reactor. Threads: any.</summary>
    public PipeScheduler Scheduler { get; }

    internal ReactorOptions Options { get; }

    /// <summary>Answers the reactor's system calls and provides its clock.</summary>
    internal Kernel Kernel { get; }

    internal Ring Ring { get; }

    /// <summary>What the kernel made of the options of the ring, for the log.</summary>
    internal (string Modes, uint SqEntries, uint CqEntries) RingFigures => (Ring.Describe(), Ring.Sq.Capacity, Ring.Cq.Capacity);

    internal OperationTable Operations { get; }

    internal TimerWheel Timers { get; }

    /// <summary>Releases memory after a burst.</summary>
    internal Trimmer Trimmer { get; }

    internal BlockPool SmallBlocks { get; }

    internal BlockPool LargeBlocks { get; }

    /// <summary>Runs the callback on this reactor, later in this turn or in a later one, never inside this call.</summary>
    /// <param name="callback">If it throws, the exception is reported to <see cref="ReactorEvents.UnhandledException"/>.</param>
    /// <param name="state">Passed to the callback.</param>
    /// <remarks>
    /// Threads: any. Callbacks of one thread run in the order in which it posted them. Allocates nothing. While a handler blocks the reactor,
    /// callbacks wait until the handler returns: a handler that blocks until such a callback has run waits forever.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The reactor has ended.</exception>
    public void Post(Action<object?> callback, object? state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        if (!TryEnqueue(new WorkItem(s_runAction, callback, state, Owner: WorkOwner.ReactorBound)))
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

    /// <inheritdoc/>
    public override string ToString() => $"Reactor {Id}";

    /// <summary>Queues work. Dropped silently only when the reactor has ended, where everything it owned is gone too.</summary>
    internal void Enqueue(in WorkItem item) => _ = TryEnqueue(item);

    internal bool TryEnqueue(in WorkItem item)
    {
        if (Volatile.Read(ref _hasEnded))
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
            Wake();
        }

        if (Volatile.Read(ref _hasEnded))
        {
            // The reactor ended in between and will not look again.
            RunWorkAfterEnd();
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

    /// <summary>Tried again, like creating a ring, where memory or the system's file table runs out temporarily.</summary>
    private static int MakeEventDescriptor(Kernel kernel)
    {
        int result = kernel.EventDescriptor();
        for (int attempt = 1; attempt < Ring.MemoryAttempts && (result is -Errno.ENOMEM or -Errno.ENFILE); attempt++)
        {
            kernel.Sleep(Ring.MemoryRetryMs);
            result = kernel.EventDescriptor();
        }

        return result;
    }

    internal void RequireCurrent()
    {
        if (!IsCurrent)
        {
            throw new InvalidOperationException(
                $"This member belongs to the thread of reactor {Id}. Call it there, for example by {nameof(Post)}.");
        }
    }

    private static readonly Action<object?, object?, long, long> s_runAction =
        static (callback, state, _, _) => ((Action<object?>)callback!)(state);
}
