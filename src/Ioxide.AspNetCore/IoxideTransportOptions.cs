using System.ComponentModel.DataAnnotations;
using Microsoft.Extensions.Options;

namespace Ioxide.AspNetCore;

/// <summary>
/// Options of the transport. Names and defaults are those of <c>SocketTransportOptions</c> where the meaning is the same.
/// Bound to the configuration section <c>Ioxide</c>, checked when the host starts, read once.
/// </summary>
public sealed class IoxideTransportOptions
{
    private static readonly TimeSpan s_maxStopDelay = TimeSpan.FromDays(1);

    private Kernel _kernel = Kernel.Linux;

    /// <summary>Reactors, 0 to 64. Defaults to 0: one for each processor that the process may use (affinity and quota).</summary>
    [Range(0, ReactorOptions.MaxReactorCount)]
    public int ReactorCount { get; set; }

    /// <summary>Binds each reactor's thread to one allowed processor. Defaults to false.</summary>
    public bool PinThreads { get; set; }

    /// <summary>Where handlers run. Defaults to <see cref="ApplicationScheduling.Adaptive"/>.</summary>
    [EnumDataType(typeof(ApplicationScheduling))]
    public ApplicationScheduling ApplicationScheduling { get; set; } = ApplicationScheduling.Adaptive;

    /// <summary>
    /// Makes it an error that the host refuses io_uring. Defaults to false: the sockets transport serves, with one warning.
    /// </summary>
    public bool RequireIoUring { get; set; }

    /// <summary>Connections that may wait to be accepted, for each reactor. Defaults to 512.</summary>
    [Range(1, int.MaxValue)]
    public int Backlog { get; set; } = 512;

    /// <summary>Sets TCP_NODELAY: small writes are not held back. Defaults to true.</summary>
    public bool NoDelay { get; set; } = true;

    /// <summary>
    /// Received bytes of a connection that may wait for the application before receiving pauses. Defaults to 1 MiB; null or
    /// 0 is without limit.
    /// </summary>
    [Range(0, long.MaxValue, ErrorMessage = "{0} must be null or at least 0.")]
    public long? MaxReadBufferSize { get; set; } = 1024 * 1024;

    /// <summary>
    /// Bytes of a connection that may wait to be sent before a flush waits. Defaults to 64 KiB; null or 0 is without limit.
    /// </summary>
    [Range(0, long.MaxValue, ErrorMessage = "{0} must be null or at least 0.")]
    public long? MaxWriteBufferSize { get; set; } = 64 * 1024;

    /// <summary>How long a connection that is closed while the peer still sends stays half open. Defaults to 2 seconds.</summary>
    public TimeSpan LingerTimeout { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>Which reactor gets a new connection. Defaults to <see cref="AcceptBalancing.Kernel"/>.</summary>
    [EnumDataType(typeof(AcceptBalancing))]
    public AcceptBalancing Balancing { get; set; }

    /// <summary>Lets another process of the same user listen on the same port, to hand it over without a gap. Defaults to false.</summary>
    public bool AllowPortSharing { get; set; }

    /// <summary>A reactor that did not turn for so long is reported. Defaults to 1 second.</summary>
    public TimeSpan StallThreshold { get; set; } = TimeSpan.FromSeconds(1);

    /// <inheritdoc cref="ReactorOptions.ReactorStopTimeout"/>
    public TimeSpan ReactorStopTimeout { get; set; } = new ReactorOptions().ReactorStopTimeout;

    /// <summary>
    /// How long the server goes on after a stop was asked for before its listeners close, so that balancers take it out: readiness says
    /// no at once, and each connection ends with its next answer. Defaults to 0, at most 1 day; the host's <c>ShutdownTimeout</c> is
    /// extended by it.
    /// </summary>
    public TimeSpan StopDelay { get; set; }

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

    /// <exception cref="ArgumentOutOfRangeException">An option, or what it makes together with others, is out of its range.</exception>
    internal void Validate()
    {
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
        EndsBothWays = true,
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
}

/// <summary>Checks the annotations; generated.</summary>
[OptionsValidator]
internal sealed partial class IoxideTransportOptionsAnnotations : IValidateOptions<IoxideTransportOptions>;

/// <summary>Checks the annotations, then, with the runtime's own rules, what depends on several options.</summary>
internal sealed class IoxideTransportOptionsValidator : IValidateOptions<IoxideTransportOptions>
{
    private readonly IoxideTransportOptionsAnnotations _annotations = new();

    public ValidateOptionsResult Validate(string? name, IoxideTransportOptions options)
    {
        ValidateOptionsResult result = _annotations.Validate(name, options);
        if (result.Failed)
        {
            return result;
        }

        try
        {
            options.Validate();
            return ValidateOptionsResult.Success;
        }
        catch (ArgumentOutOfRangeException exception)
        {
            // The host reports it together with the failures of other options.
            return ValidateOptionsResult.Fail(exception.Message);
        }
    }
}
