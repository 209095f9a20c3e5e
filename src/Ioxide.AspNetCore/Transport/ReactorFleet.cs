using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Ioxide.AspNetCore;

/// <summary>The one group of reactors of a host, shared by all endpoints and outbound connections.</summary>
/// <remarks>It starts when the first of them needs it, and stops when the host disposes of its services.</remarks>
internal sealed class ReactorFleet : IReactorGroupSource, IAsyncDisposable
{
    private readonly IOptions<IoxideTransportOptions> _options;
    private readonly ILogger _logger;
    private readonly IMeterFactory? _meterFactory;
    private readonly TransportMetrics _transportMetrics;
    private readonly Lock _lock = new();
    private ReactorGroup? _group;
    private RingUnavailableException? _refusal;
    private IoxideMetrics? _metrics;
    private PosixSignalRegistration? _dumpSignal;
    private bool _areSocketsLogged;
    private bool _isBorrowed;
    private bool _isLogged;
    private bool _hasHostStarted;
    private bool _isDisposed;

    public ReactorFleet(
        IOptions<IoxideTransportOptions> options,
        ILoggerFactory loggerFactory,
        PlacementRegistry placements,
        IMemoryPoolFactory<byte>? memoryPoolFactory = null,
        IMeterFactory? meterFactory = null)
    {
        _options = options;
        _logger = loggerFactory.CreateLogger("Ioxide.AspNetCore");
        _meterFactory = meterFactory;
        _transportMetrics = new TransportMetrics(this, meterFactory);
        Placements = placements;
        MemoryPool = memoryPoolFactory?.Create() ?? new BlockMemoryPool();
    }

    internal IoxideTransportOptions Options => _options.Value;

    internal ILogger Logger => _logger;

    /// <summary>Whether the host is only checked: addresses are bound, and no connection is accepted.</summary>
    internal bool IsChecked { get; private set; }

    /// <summary>Where the host's endpoints run.</summary>
    internal PlacementRegistry Placements { get; }

    /// <summary>The framework's pool where it registers one, for what Kestrel and TLS rent beside the transport's own buffers.</summary>
    internal MemoryPool<byte> MemoryPool { get; }

    /// <summary>The running group, or null where endpoints are served without one.</summary>
    /// <exception cref="RingUnavailableException">The host refuses reactors and the options ask for them.</exception>
    /// <exception cref="ObjectDisposedException">The host's services are disposed.</exception>
    [SupportedOSPlatform("linux")]
    internal ReactorGroup? GetForEndPoints()
    {
        if (Options.Kernel != KernelChoice.Sockets)
        {
            ReactorGroup? group = GetOrStart();
            lock (_lock)
            {
                if (group is null && _refusal is { } refusal && !_isLogged)
                {
                    _isLogged = true;
                    TransportLog.FellBack(_logger, refusal.Support, refusal.Cause, refusal.Remedy);
                }

                return group;
            }
        }

        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            RegisterDumpSignal();
            if (!_areSocketsLogged)
            {
                _areSocketsLogged = true;
                TransportLog.UsesSockets(_logger);
            }

            return null;
        }
    }

    /// <summary>The running group, or null where the host refuses reactors and the options do not insist.</summary>
    /// <exception cref="RingUnavailableException">The host refuses reactors and the options ask for them.</exception>
    /// <exception cref="ObjectDisposedException">The host's services are disposed.</exception>
    [SupportedOSPlatform("linux")]
    internal ReactorGroup? GetOrStart()
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            if (_group is null && _refusal is null)
            {
                Start();
            }

            return _refusal is not null && !Options.MayUseSockets ? throw _refusal : _group;
        }
    }

    /// <summary>The running group, or why the host refused one. Starts nothing.</summary>
    internal (ReactorGroup? Group, RingUnavailableException? Refusal) GetIfStarted()
    {
        lock (_lock)
        {
            return (_group, _refusal);
        }
    }

    /// <inheritdoc/>
    [SupportedOSPlatform("linux")]
    public ReactorGroup GetReactors()
    {
        ReactorGroup? group = GetOrStart();
        lock (_lock)
        {
            return group ?? throw _refusal ?? (Exception)new ObjectDisposedException(nameof(ReactorFleet));
        }
    }

    /// <summary>From here on the host is only checked, on reactors that the check stops.</summary>
    /// <param name="reactors">Null where the host refuses them or the options are wrong.</param>
    internal void UseForCheck(ReactorGroup? reactors)
    {
        lock (_lock)
        {
            IsChecked = true;
            if (_group is null)
            {
                _isBorrowed = reactors is not null;
                _group = reactors;
            }
        }
    }

    /// <summary>An endpoint is bound to the reactors, so the log says once what serves it.</summary>
    [SupportedOSPlatform("linux")]
    internal void NoteBound()
    {
        lock (_lock)
        {
            LogStarted(HandlersOfEndpoints());
        }
    }

    /// <summary>The host has started. Reactors that serve no endpoint are in the log too.</summary>
    [SupportedOSPlatform("linux")]
    internal void NoteHostStarted()
    {
        lock (_lock)
        {
            _hasHostStarted = true;
            LogStartedWithoutEndpoints();
        }
    }

    public async ValueTask DisposeAsync()
    {
        ReactorGroup? group;
        lock (_lock)
        {
            group = _isBorrowed ? null : _group;
            _group = null;
            _isDisposed = true;
        }

        _dumpSignal?.Dispose();
        _metrics?.Dispose();
        _transportMetrics.Dispose();
        if (group is not null)
        {
            HostReactors.Remove(group);
            await group.DisposeAsync().ConfigureAwait(false);
            TransportLog.Stopped(_logger);
        }

        MemoryPool.Dispose();
    }

    [SupportedOSPlatform("linux")]
    private void Start()
    {
        try
        {
            RegisterDumpSignal();
            ReactorOptions options = Options.ToReactorOptions(new ReactorEventLog(_logger));
            options.SlowTurnListener = Placements.IsAdaptive ? Placements : null;
            FitDescriptors(options);
            _group = ReactorGroup.Start(options);
            HostReactors.Add(_group);
            _metrics = IoxideMetrics.Attach(_group, _meterFactory);
            if (_hasHostStarted)
            {
                LogStartedWithoutEndpoints();
            }
        }
        catch (RingUnavailableException exception)
        {
            _refusal = exception;
        }
    }

    /// <summary>Also where the sockets transport serves: without a handler the signal would end the process.</summary>
    private void RegisterDumpSignal()
    {
        if (Options.DumpSignal != DumpSignal.None)
        {
            _dumpSignal ??= PosixSignalRegistration.Create((PosixSignal)(int)Options.DumpSignal, context =>
            {
                context.Cancel = true;
                _ = LogDumpAsync();
            });
        }
    }

    private async Task LogDumpAsync()
        => TransportLog.Dumped(_logger, Options.DumpSignal, await TransportInUse.Of(this).DescribeAsync().ConfigureAwait(false));

    [SupportedOSPlatform("linux")]
    private void LogStartedWithoutEndpoints()
        => LogStarted(Options.Kernel == KernelChoice.Sockets ? "Endpoints use Kestrel's sockets." : "No endpoint is bound to them so far.");

    private string HandlersOfEndpoints() => Options.ApplicationScheduling switch
    {
        ApplicationScheduling.Inline => "Handlers run on the reactors.",
        ApplicationScheduling.ThreadPool => "Handlers run on the thread pool.",
        _ => $"Endpoints start on the thread pool and move to a reactor after {Placement.FirstProofRuns} runs that did not block.",
    };

    /// <summary>One line that says what reactors run on, and the details at Debug; once.</summary>
    /// <param name="handlers">A sentence about what runs where.</param>
    [SupportedOSPlatform("linux")]
    private void LogStarted(string handlers)
    {
        if (_isLogged || _group is not { } group)
        {
            return;
        }

        _isLogged = true;
        int count = group.Reactors.Count;
        string reactors = $"{count} {(count == 1 ? "reactor" : "reactors")} ({SourceOf(count)})";
        if (group.RingRefusal is { } refusal)
        {
            // A host's policy is no news at each start; a limit that is too low is.
            bool isPolicy = refusal.Support is RingSupport.Forbidden or RingSupport.NotImplemented or RingSupport.TooOld;
            LogLevel level = isPolicy ? LogLevel.Information : LogLevel.Warning;
            TransportLog.StartedOnEpoll(_logger, level, reactors, handlers, refusal.Support, refusal.Cause, refusal.Remedy);
        }
        else
        {
            TransportLog.Started(_logger, group.Kernel.Name, reactors, handlers);
        }

        (string modes, uint sqEntries, uint cqEntries) = group.Reactors[0].RingFigures;
        TransportLog.Resolved(
            _logger,
            modes,
            sqEntries,
            cqEntries,
            Options.ReceiveBufferCount,
            Options.ReceiveBufferSize,
            Options.MaxReceiveBufferCount,
            Options.ApplicationScheduling);
    }

    /// <summary>Why there are so many reactors.</summary>
    private string SourceOf(int count)
        => Options.ReactorCount == count ? "ReactorCount"
            : Options.ReactorCount == 0 && count == Environment.ProcessorCount ? "one per CPU"
            : count == ReactorOptions.MaxReactorCount ? "the most there can be"
            : "as many as the limit of open files has room for";

    /// <summary>Takes as many reactors as the limit of open files leaves room for.</summary>
    private void FitDescriptors(ReactorOptions options)
    {
        DescriptorRoom room = DescriptorBudget.Fit(options);
        if (options.ReactorCount < room.Wanted)
        {
            TransportLog.FewerReactors(_logger, room.Limit, room.Open, options.ReactorCount, room.Wanted);
        }
    }
}
