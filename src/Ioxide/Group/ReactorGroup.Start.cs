using System.Runtime.Versioning;

namespace Ioxide;

/// <summary>The start of a group: the kernel that it runs on, its rings and its threads.</summary>
public sealed partial class ReactorGroup
{
    /// <summary>What <see cref="KernelChoice.Auto"/> tries first. Tests set it, to run all of a process on epoll.</summary>
    internal static KernelChoice TriedFirst { get; set; } = KernelChoice.IoUring;

    /// <summary>Creates all rings, starts all threads, and returns when every reactor turns.</summary>
    /// <remarks>Where the host refuses io_uring, <see cref="KernelChoice.Auto"/> takes epoll, and <see cref="RingRefusal"/> says why.</remarks>
    /// <exception cref="RingUnavailableException">The host refuses what the options ask for; the exception says why and what to do.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    [SupportedOSPlatform("linux")]
    public static ReactorGroup Start(ReactorOptions? options = null)
    {
        // Needed first when a connection ends. An assembly that is first needed when descriptors have run out fails to load,
        // and the framework remembers the failure for good.
        _ = ThreadPool.ThreadCount;
        options = Check(options ?? new ReactorOptions());
        bool isAuto = options.Kernel == KernelChoice.Auto;
        return options.PlayedKernel is { } played ? StartOn(played, options)
            : isAuto && TriedFirst == KernelChoice.IoUring ? StartOnRingsOrEpoll(options)
            : StartOn(Kernel.Of(isAuto ? TriedFirst : options.Kernel), options);
    }

    /// <summary>Creates the rings and starts no thread.</summary>
    internal static ReactorGroup Create(ReactorOptions options)
    {
        options = Check(options);
        return new ReactorGroup(options, options.PlayedKernel ?? Kernel.Linux);
    }

    private static ReactorOptions Check(ReactorOptions options)
    {
        options = options.Clone();
        options.Validate();
        return options;
    }

    /// <summary>The whole start is the probe: a limit may leave room for one ring and refuse the next.</summary>
    private static ReactorGroup StartOnRingsOrEpoll(ReactorOptions options)
    {
        try
        {
            return StartOn(Kernel.Linux, options);
        }
        catch (RingUnavailableException refusal) when (refusal.Support != RingSupport.NotLinux)
        {
            try
            {
                return StartOn(Kernel.Epoll, options, refusal);
            }
            catch (RingUnavailableException alsoRefused)
            {
                throw new RingUnavailableException(refusal, alsoRefused);
            }
        }
    }

    private static ReactorGroup StartOn(Kernel kernel, ReactorOptions options, RingUnavailableException? refusal = null)
    {
        var group = new ReactorGroup(options, kernel, refusal);
        group.StartReactors();
        return group;
    }

    private void StartReactors()
    {
        int[] processors = Options.PinThreads ? Sys.AllowedProcessors() : [];
        int begun = 0;
        try
        {
            for (; begun < _reactors.Length; begun++)
            {
                _reactors[begun].Thread.Start(processors.Length > 0 ? processors[begun % processors.Length] : -1);
            }

            foreach (Reactor reactor in _reactors)
            {
                // Each alone: its thread wakes this one. What joins them would need a thread of the pool, and all of these may wait for this one.
                reactor.Thread.Started.GetAwaiter().GetResult();
            }

            _watchdog.Start();
        }
        catch
        {
            // The stop takes those that turn: one that began to turn after it would never end.
            foreach (Reactor reactor in _reactors.AsSpan(0, begun))
            {
                reactor.Thread.Started.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing).GetAwaiter().GetResult();
            }

            foreach (Reactor reactor in _reactors.AsSpan(begun))
            {
                reactor.End.WithoutBegin();
            }

            StopAsync(new CancellationToken(canceled: true)).GetAwaiter().GetResult();
            throw;
        }
    }
}
