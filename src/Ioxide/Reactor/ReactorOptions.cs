namespace Ioxide;

/// <summary>How reactors are created. Read once, when a group starts.</summary>
public sealed class ReactorOptions
{
    /// <summary>Number of reactors, 0 to 64. Defaults to 0: one per processor that the process may use (affinity and quota).</summary>
    public int ReactorCount { get; set; }

    /// <summary>What reactors run on. Defaults to <see cref="KernelChoice.Auto"/>.</summary>
    public KernelChoice Kernel { get; set; }

    /// <summary>Binds each reactor's thread to one allowed processor. Defaults to false.</summary>
    public bool PinThreads { get; set; }

    /// <summary>Submission queue entries, a power of two from 8 to 4096. Defaults to 512. A full queue costs one more call.</summary>
    public int SqEntries { get; set; } = 512;

    /// <summary>
    /// Completion queue entries, a power of two from <see cref="SqEntries"/> to 65536. Defaults to 4096.
    /// An overflow loses nothing, but every affected connection must be armed again.
    /// </summary>
    public int CqEntries { get; set; } = 4096;

    /// <summary>Bytes per receive buffer, 256 to 65536. Defaults to 4096.</summary>
    public int ReceiveBufferSize { get; set; } = 4096;

    /// <summary>Receive buffers per reactor at the start. Defaults to 128 (512 KiB).</summary>
    public int ReceiveBufferCount { get; set; } = 128;

    /// <summary>Maximum receive buffers per reactor, a power of two up to 32768. Defaults to 2048 (8 MiB).</summary>
    public int MaxReceiveBufferCount { get; set; } = 2048;

    /// <summary>Bytes per buffer for connections that receive large bodies. Defaults to 65536.</summary>
    public int BulkReceiveBufferSize { get; set; } = 65536;

    /// <summary>Maximum buffers for large bodies, a power of two. Created when first needed, 8 at a time. Defaults to 256 (16 MiB).</summary>
    public int MaxBulkReceiveBufferCount { get; set; } = 256;

    /// <summary>Microseconds that the kernel polls the network device before it sleeps (Linux 6.9). Defaults to 0: off.</summary>
    public int BusyPollMicroseconds { get; set; }

    /// <summary>Allows only the runtime's own operations on the ring. Costs nothing measurable. Defaults to true.</summary>
    public bool RestrictOperations { get; set; } = true;

    /// <summary>A reactor that has not turned for this long is reported. Defaults to 1 second.</summary>
    public TimeSpan StallThreshold { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// A stop does not wait for a reactor that has not turned for this long, 10 ms to 1 day. Defaults to 1 second. The reactor is abandoned: it
    /// ends when it turns again, and nothing that it uses is freed before.
    /// </summary>
    public TimeSpan ReactorStopTimeout { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Receives stalls, pauses and faults. Defaults to null: exceptions that were not awaited, and those that end a reactor, go to standard error.
    /// </summary>
    public ReactorEvents? Events { get; set; }

    internal const int MaxReactorCount = 64;

    /// <summary>How often a reactor looks for memory that a burst took and that is no longer needed. Defaults to 10 seconds.</summary>
    internal TimeSpan TrimInterval { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>Bytes of blocks of each size that a reactor keeps once they exist. Defaults to 256 KiB.</summary>
    internal int KeptPoolBytes { get; set; } = 256 * 1024;

    /// <summary>Answers system calls and provides the clock in place of <see cref="Kernel"/>. Defaults to null; tests set it.</summary>
    internal Kernel? PlayedKernel { get; set; }

    /// <summary>Receives slow turns and what ran in them. Defaults to null: slow turns are not examined.</summary>
    internal ISlowTurnListener? SlowTurnListener { get; set; }

    internal ReactorOptions Clone() => (ReactorOptions)MemberwiseClone();

    /// <summary>The configured count, or else one per processor.</summary>
    internal int ResolveReactorCount()
        => ReactorCount != 0 ? ReactorCount : Math.Clamp(Environment.ProcessorCount, 1, MaxReactorCount);

    internal void Validate()
    {
        if (Kernel is not (KernelChoice.Auto or KernelChoice.IoUring or KernelChoice.Epoll))
        {
            throw new ArgumentOutOfRangeException(nameof(Kernel), Kernel, $"{nameof(Kernel)} must be one of: Auto, IoUring, Epoll.");
        }

        Within(ReactorCount, 0, MaxReactorCount, nameof(ReactorCount));
        PowerOfTwo(SqEntries, 8, 4096, nameof(SqEntries));
        PowerOfTwo(CqEntries, SqEntries, 65536, nameof(CqEntries));
        Within(ReceiveBufferSize, 256, 65536, nameof(ReceiveBufferSize));
        PowerOfTwo(MaxReceiveBufferCount, 2, 32768, nameof(MaxReceiveBufferCount));
        Within(ReceiveBufferCount, 1, MaxReceiveBufferCount, nameof(ReceiveBufferCount));
        Within(BulkReceiveBufferSize, 4096, 1 << 20, nameof(BulkReceiveBufferSize));
        PowerOfTwo(MaxBulkReceiveBufferCount, 2, 32768, nameof(MaxBulkReceiveBufferCount));
        Within(BusyPollMicroseconds, 0, 1_000_000, nameof(BusyPollMicroseconds));
        ArgumentOutOfRangeException.ThrowIfLessThan(StallThreshold, TimeSpan.FromMilliseconds(10), nameof(StallThreshold));
        ArgumentOutOfRangeException.ThrowIfLessThan(ReactorStopTimeout, TimeSpan.FromMilliseconds(10), nameof(ReactorStopTimeout));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(ReactorStopTimeout, TimeSpan.FromDays(1), nameof(ReactorStopTimeout));
    }

    private static void Within(int value, int least, int most, string name)
    {
        if (value < least || value > most)
        {
            throw new ArgumentOutOfRangeException(name, value, $"{name} must be from {least} to {most}.");
        }
    }

    private static void PowerOfTwo(int value, int least, int most, string name)
    {
        Within(value, least, most, name);
        if (!System.Numerics.BitOperations.IsPow2(value))
        {
            throw new ArgumentOutOfRangeException(name, value, $"{name} must be a power of two.");
        }
    }
}
