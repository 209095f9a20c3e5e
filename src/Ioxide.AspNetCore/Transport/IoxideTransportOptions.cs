namespace Ioxide.AspNetCore;

/// <summary>
/// Options of the transport. They are bound to the configuration section <c>Ioxide</c>, validated when the host starts, and read once.
/// Where an option means the same as one of <c>SocketTransportOptions</c>, it has the same name and default.
/// </summary>
public sealed class IoxideTransportOptions
{
    private static readonly TimeSpan s_maxStopDelay = TimeSpan.FromDays(1);

    private Kernel _kernel = Kernel.Linux;

    /// <summary>The number of reactors, 0 to 64. Defaults to 0: one per processor that the process may use (affinity and CPU quota).</summary>
    public int ReactorCount { get; set; }

    /// <summary>Whether each reactor's thread is pinned to one processor. Defaults to false.</summary>
    public bool PinThreads { get; set; }

    /// <summary>Which thread runs handlers. Defaults to <see cref="ApplicationScheduling.Adaptive"/>.</summary>
    public ApplicationScheduling ApplicationScheduling { get; set; } = ApplicationScheduling.Adaptive;

    /// <summary>
    /// Whether the host fails to start where io_uring is unavailable. Defaults to false: the sockets transport serves, and one warning is
    /// logged.
    /// </summary>
    public bool RequireIoUring { get; set; }

    /// <summary>The most connections that may wait to be accepted, per reactor. Defaults to 512.</summary>
    public int Backlog { get; set; } = 512;

    /// <summary>Whether TCP_NODELAY is set, so that small writes are sent at once. Defaults to true.</summary>
    public bool NoDelay { get; set; } = true;

    /// <summary>
    /// The most received bytes of one connection that may wait for the application before receiving pauses. Defaults to 1 MiB; null or 0
    /// means no limit.
    /// </summary>
    public long? MaxReadBufferSize { get; set; } = 1024 * 1024;

    /// <summary>
    /// The most bytes of one connection that may wait to be sent before a flush waits. Defaults to 64 KiB; null or 0 means no limit.
    /// </summary>
    public long? MaxWriteBufferSize { get; set; } = 64 * 1024;

    /// <summary>How long a closed connection stays half open while the peer still sends. Defaults to 2 seconds.</summary>
    public TimeSpan LingerTimeout { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>How new connections are distributed among the reactors. Defaults to <see cref="AcceptBalancing.Kernel"/>.</summary>
    public AcceptBalancing Balancing { get; set; }

    /// <summary>Whether another process of the same user may listen on the same port, for a handover without downtime. Defaults to false.</summary>
    public bool AllowPortSharing { get; set; }

    /// <summary>A reactor that code holds up for this long, on a processor or blocked, is reported as stalled. Defaults to 1 second.</summary>
    public TimeSpan StallThreshold { get; set; } = TimeSpan.FromSeconds(1);

    /// <inheritdoc cref="ReactorOptions.ReactorStopTimeout"/>
    public TimeSpan ReactorStopTimeout { get; set; } = new ReactorOptions().ReactorStopTimeout;

    /// <summary>
    /// How long the server continues to serve after a stop is requested, so that load balancers can remove it. During this time readiness
    /// checks fail and each connection ends after its next response. Defaults to 0, at most 1 day. The host's <c>ShutdownTimeout</c> is
    /// extended by this time.
    /// </summary>
    public TimeSpan StopDelay { get; set; }

    /// <summary>
    /// A signal on which the transport logs a dump: each reactor with its connections, listeners and operations. Defaults to
    /// <see cref="DumpSignal.None"/>: the signal then has its usual effect, which is to end the process.
    /// </summary>
    public DumpSignal DumpSignal { get; set; }

    /// <inheritdoc cref="ReactorOptions.SqEntries"/>
    public int SqEntries { get; set; } = new ReactorOptions().SqEntries;

    /// <inheritdoc cref="ReactorOptions.CqEntries"/>
    public int CqEntries { get; set; } = new ReactorOptions().CqEntries;

    /// <inheritdoc cref="ReactorOptions.ReceiveBufferSize"/>
    public int ReceiveBufferSize { get; set; } = new ReactorOptions().ReceiveBufferSize;

    /// <inheritdoc cref="ReactorOptions.ReceiveBufferCount"/>
    public int ReceiveBufferCount { get; set; } = new ReactorOptions().ReceiveBufferCount;

    /// <inheritdoc cref="ReactorOptions.MaxReceiveBufferCount"/>
    public int MaxReceiveBufferCount { get; set; } = new ReactorOptions().MaxReceiveBufferCount;

    /// <inheritdoc cref="ReactorOptions.BulkReceiveBufferSize"/>
    public int BulkReceiveBufferSize { get; set; } = new ReactorOptions().BulkReceiveBufferSize;

    /// <inheritdoc cref="ReactorOptions.MaxBulkReceiveBufferCount"/>
    public int MaxBulkReceiveBufferCount { get; set; } = new ReactorOptions().MaxBulkReceiveBufferCount;

    /// <inheritdoc cref="ReactorOptions.BusyPollMicroseconds"/>
    public int BusyPollMicroseconds { get; set; }

    /// <inheritdoc cref="ReactorOptions.RestrictOperations"/>
    public bool RestrictOperations { get; set; } = true;

    /// <inheritdoc cref="RingListenOptions.FirstReadPatience"/>
    internal TimeSpan FirstReadPatience { get; set; } = TimeSpan.FromSeconds(1);

    /// <inheritdoc cref="RingConnectionOptions.FirstBytesPatience"/>
    internal TimeSpan FirstBytesPatience { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <inheritdoc cref="ReactorOptions.Kernel"/>
    internal void UseKernel(Kernel kernel) => _kernel = kernel;

    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range, alone or combined with others.</exception>
    internal void Validate()
    {
        Defined(ApplicationScheduling, nameof(ApplicationScheduling));
        Defined(Balancing, nameof(Balancing));
        Defined(DumpSignal, nameof(DumpSignal));
        NoneOrNatural(MaxReadBufferSize, nameof(MaxReadBufferSize));
        NoneOrNatural(MaxWriteBufferSize, nameof(MaxWriteBufferSize));
        ArgumentOutOfRangeException.ThrowIfLessThan(StopDelay, TimeSpan.Zero, nameof(StopDelay));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(StopDelay, s_maxStopDelay, nameof(StopDelay));
        ToReactorOptions(events: null).Validate();
        ToListenOptions().Validate();
    }

    internal ReactorOptions ToReactorOptions(ReactorEvents? events) => new()
    {
        ReactorCount = ReactorCount,
        PinThreads = PinThreads,
        SqEntries = SqEntries,
        CqEntries = CqEntries,
        ReceiveBufferSize = ReceiveBufferSize,
        ReceiveBufferCount = ReceiveBufferCount,
        MaxReceiveBufferCount = MaxReceiveBufferCount,
        BulkReceiveBufferSize = BulkReceiveBufferSize,
        MaxBulkReceiveBufferCount = MaxBulkReceiveBufferCount,
        BusyPollMicroseconds = BusyPollMicroseconds,
        RestrictOperations = RestrictOperations,
        StallThreshold = StallThreshold,
        ReactorStopTimeout = ReactorStopTimeout,
        Kernel = _kernel,
        Events = events,
    };

    internal RingConnectionOptions ToConnectionOptions() => new()
    {
        MaxReadBufferSize = MaxReadBufferSize is 0 ? null : MaxReadBufferSize,
        MaxWriteBufferSize = MaxWriteBufferSize is 0 ? null : MaxWriteBufferSize,
        LingerTimeout = LingerTimeout,
        NoDelay = NoDelay,
        ResumeOnThreadPool = ApplicationScheduling == ApplicationScheduling.ThreadPool,
        ShutsDownBothDirections = true,
        ErrorFactory = ConnectionErrors.Make,
        FirstBytesPatience = FirstBytesPatience,
    };

    internal RingListenOptions ToListenOptions() => new()
    {
        Backlog = Backlog,
        Balancing = Balancing,
        AllowPortSharing = AllowPortSharing,
        FirstReadPatience = FirstReadPatience,
        Connection = ToConnectionOptions(),
    };

    private static void Defined<T>(T value, string name)
        where T : struct, Enum
    {
        if (!Enum.IsDefined(value))
        {
            throw new ArgumentOutOfRangeException(name, value, $"{name} must be one of: {string.Join(", ", Enum.GetNames<T>())}.");
        }
    }

    private static void NoneOrNatural(long? value, string name)
    {
        if (value < 0)
        {
            throw new ArgumentOutOfRangeException(name, value, $"{name} must be null or at least 0.");
        }
    }
}
