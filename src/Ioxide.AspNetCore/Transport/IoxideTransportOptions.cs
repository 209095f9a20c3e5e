namespace Ioxide.AspNetCore;

/// <summary>
/// Options of the transport. They are bound to the configuration section <c>Ioxide</c>, validated when the host starts, and read once.
/// Where an option means the same as one of <c>SocketTransportOptions</c>, it has the same name and default.
/// </summary>
public sealed class IoxideTransportOptions
{
    private static readonly TimeSpan s_maxStopDelay = TimeSpan.FromDays(1);

    private readonly ReactorOptions _reactors = new();
    private readonly RingListenOptions _listen = new()
    {
        FirstReadPatience = TimeSpan.FromSeconds(1),
        Connection = new()
        {
            ShutsDownBothDirections = true,
            ErrorFactory = ConnectionErrors.Make,
            FirstBytesPatience = TimeSpan.FromMilliseconds(100),
        },
    };

    /// <summary>The number of reactors, 0 to 64. Defaults to 0: one per processor that the process may use (affinity and CPU quota).</summary>
    public int ReactorCount { get => _reactors.ReactorCount; set => _reactors.ReactorCount = value; }

    /// <summary>Whether each reactor's thread is pinned to one processor. Defaults to false.</summary>
    public bool PinThreads { get => _reactors.PinThreads; set => _reactors.PinThreads = value; }

    /// <summary>Which thread runs handlers. Defaults to <see cref="ApplicationScheduling.Adaptive"/>.</summary>
    public ApplicationScheduling ApplicationScheduling { get; set; } = ApplicationScheduling.Adaptive;

    /// <summary>
    /// What serves endpoints. Defaults to <see cref="KernelChoice.Auto"/>: reactors on io_uring, else reactors on epoll, else Kestrel's sockets
    /// transport; one log line says which and why. Any other choice serves, or the host does not start. With
    /// <see cref="KernelChoice.Sockets"/>, what needs reactors all the same, such as a data source of <c>Ioxide.Pg</c>, gets them as with Auto.
    /// </summary>
    public KernelChoice Kernel { get; set; }

    /// <summary>
    /// Whether the host fails to start where io_uring is unavailable, as with <see cref="KernelChoice.IoUring"/>. Defaults to false.
    /// </summary>
    public bool RequireIoUring { get; set; }

    /// <summary>The most connections that may wait to be accepted, per reactor. Defaults to 512.</summary>
    public int Backlog { get => _listen.Backlog; set => _listen.Backlog = value; }

    /// <summary>Whether TCP_NODELAY is set, so that small writes are sent at once. Defaults to true.</summary>
    public bool NoDelay { get => _listen.Connection.NoDelay; set => _listen.Connection.NoDelay = value; }

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
    public TimeSpan LingerTimeout { get => _listen.Connection.LingerTimeout; set => _listen.Connection.LingerTimeout = value; }

    /// <summary>How new connections are distributed among the reactors. Defaults to <see cref="AcceptBalancing.Kernel"/>.</summary>
    public AcceptBalancing Balancing { get => _listen.Balancing; set => _listen.Balancing = value; }

    /// <summary>Whether another process of the same user may listen on the same port, for a handover without downtime. Defaults to false.</summary>
    public bool AllowPortSharing { get => _listen.AllowPortSharing; set => _listen.AllowPortSharing = value; }

    /// <summary>A reactor that code holds up for this long, on a processor or blocked, is reported as stalled. Defaults to 1 second.</summary>
    public TimeSpan StallThreshold { get => _reactors.StallThreshold; set => _reactors.StallThreshold = value; }

    /// <inheritdoc cref="ReactorOptions.ReactorStopTimeout"/>
    public TimeSpan ReactorStopTimeout { get => _reactors.ReactorStopTimeout; set => _reactors.ReactorStopTimeout = value; }

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
    public int SqEntries { get => _reactors.SqEntries; set => _reactors.SqEntries = value; }

    /// <inheritdoc cref="ReactorOptions.CqEntries"/>
    public int CqEntries { get => _reactors.CqEntries; set => _reactors.CqEntries = value; }

    /// <inheritdoc cref="ReactorOptions.ReceiveBufferSize"/>
    public int ReceiveBufferSize { get => _reactors.ReceiveBufferSize; set => _reactors.ReceiveBufferSize = value; }

    /// <inheritdoc cref="ReactorOptions.ReceiveBufferCount"/>
    public int ReceiveBufferCount { get => _reactors.ReceiveBufferCount; set => _reactors.ReceiveBufferCount = value; }

    /// <inheritdoc cref="ReactorOptions.MaxReceiveBufferCount"/>
    public int MaxReceiveBufferCount { get => _reactors.MaxReceiveBufferCount; set => _reactors.MaxReceiveBufferCount = value; }

    /// <inheritdoc cref="ReactorOptions.BulkReceiveBufferSize"/>
    public int BulkReceiveBufferSize { get => _reactors.BulkReceiveBufferSize; set => _reactors.BulkReceiveBufferSize = value; }

    /// <inheritdoc cref="ReactorOptions.MaxBulkReceiveBufferCount"/>
    public int MaxBulkReceiveBufferCount { get => _reactors.MaxBulkReceiveBufferCount; set => _reactors.MaxBulkReceiveBufferCount = value; }

    /// <inheritdoc cref="ReactorOptions.BusyPollMicroseconds"/>
    public int BusyPollMicroseconds { get => _reactors.BusyPollMicroseconds; set => _reactors.BusyPollMicroseconds = value; }

    /// <inheritdoc cref="ReactorOptions.RestrictOperations"/>
    public bool RestrictOperations { get => _reactors.RestrictOperations; set => _reactors.RestrictOperations = value; }

    /// <inheritdoc cref="RingListenOptions.FirstReadPatience"/>
    internal TimeSpan FirstReadPatience { get => _listen.FirstReadPatience; set => _listen.FirstReadPatience = value; }

    /// <inheritdoc cref="RingConnectionOptions.FirstBytesPatience"/>
    internal TimeSpan FirstBytesPatience { get => _listen.Connection.FirstBytesPatience; set => _listen.Connection.FirstBytesPatience = value; }

    /// <inheritdoc cref="ReactorOptions.PlayedKernel"/>
    internal void UseKernel(Kernel? kernel) => _reactors.PlayedKernel = kernel;

    /// <summary>Whether endpoints may be served without reactors.</summary>
    internal bool MayUseSockets => !RequireIoUring && Kernel is KernelChoice.Auto or KernelChoice.Sockets;

    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range, alone or combined with others.</exception>
    internal void Validate()
    {
        Defined(Kernel, nameof(Kernel));
        if (RequireIoUring && Kernel is KernelChoice.Epoll or KernelChoice.Sockets)
        {
            throw new ArgumentOutOfRangeException(
                nameof(RequireIoUring), RequireIoUring,
                $"{nameof(Kernel)} is {Kernel}. Leave {nameof(Kernel)} at Auto, or set {nameof(RequireIoUring)} to false.");
        }

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

    internal ReactorOptions ToReactorOptions(ReactorEvents? events)
    {
        ReactorOptions options = _reactors.Clone();
        options.Events = events;
        options.Kernel = RequireIoUring ? KernelChoice.IoUring : Kernel == KernelChoice.Sockets ? KernelChoice.Auto : Kernel;
        return options;
    }

    internal RingConnectionOptions ToConnectionOptions() => ToListenOptions().Connection;

    internal RingListenOptions ToListenOptions()
    {
        RingListenOptions options = _listen.Clone();
        options.Connection.MaxReadBufferSize = MaxReadBufferSize is 0 ? null : MaxReadBufferSize;
        options.Connection.MaxWriteBufferSize = MaxWriteBufferSize is 0 ? null : MaxWriteBufferSize;
        options.Connection.ResumeOnThreadPool = ApplicationScheduling == ApplicationScheduling.ThreadPool;
        return options;
    }

    private static void Defined(Enum value, string name)
    {
        if (!Enum.IsDefined(value.GetType(), value))
        {
            throw new ArgumentOutOfRangeException(name, value, $"{name} must be one of: {string.Join(", ", Enum.GetNames(value.GetType()))}.");
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
