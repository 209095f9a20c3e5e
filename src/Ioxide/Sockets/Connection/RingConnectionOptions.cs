namespace Ioxide;

/// <summary>How connections behave. Read when a connection is created.</summary>
public sealed class RingConnectionOptions
{
    internal static readonly RingConnectionOptions Default = new();

    /// <summary>
    /// Limit of received bytes that the application has not examined. Above it, receiving pauses until half of them are read, and
    /// TCP's window stops the peer. Defaults to 1 MiB; null means no limit.
    /// </summary>
    public long? MaxReadBufferSize { get; set; } = 1024 * 1024;

    /// <summary>
    /// Limit of unsent bytes. Above it, a flush waits until half of them are sent. Defaults to 64 KiB; null means no limit.
    /// </summary>
    public long? MaxWriteBufferSize { get; set; } = 64 * 1024;

    /// <summary>
    /// The longest time that a closed connection stays half open while the peer still sends, so that the peer gets
    /// the end of the answer instead of a reset. Defaults to 2 seconds.
    /// </summary>
    public TimeSpan LingerTimeout { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// Aborts a peer that takes no byte of a send for this long. Only progress counts, not the whole answer: a slow
    /// peer that keeps taking bytes is never aborted. Defaults to null: never; Kestrel has its own minimum data rate.
    /// </summary>
    public TimeSpan? SendTimeout { get; set; }

    /// <summary>Sets TCP_NODELAY: small writes are not delayed. Defaults to true.</summary>
    public bool NoDelay { get; set; } = true;

    /// <summary>
    /// Outbound TCP: idle time before the kernel probes the peer (TCP_KEEPIDLE). Defaults to null: never.
    /// </summary>
    public TimeSpan? KeepAliveTime { get; set; }

    /// <summary>Outbound TCP: time between two probes (TCP_KEEPINTVL). Defaults to 10 seconds.</summary>
    public TimeSpan KeepAliveInterval { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>Outbound TCP: unanswered probes after which the connection is broken (TCP_KEEPCNT). Defaults to 3.</summary>
    public int KeepAliveCount { get; set; } = 3;

    /// <summary>
    /// Outbound TCP: how long sent bytes may stay unacknowledged before the connection is broken (TCP_USER_TIMEOUT). Defaults to
    /// null: the system's limit, some 15 minutes.
    /// </summary>
    public TimeSpan? UserTimeout { get; set; }

    /// <summary>
    /// Resumes the application on the thread pool instead of the reactor. Costs two thread hops per await; for handlers that
    /// block. Defaults to false.
    /// </summary>
    public bool ResumeOnThreadPool { get; set; }

    /// <summary>Completing the output also ends receiving, as in the sockets transport.</summary>
    internal bool ShutsDownBothDirections { get; set; }

    /// <summary>
    /// Once its listener has stopped, a cancelled read of a connection that has sent nothing waits this long for the first bytes: a
    /// client that has just connected is about to send its request. Defaults to zero.
    /// </summary>
    internal TimeSpan FirstBytesPatience { get; set; }

    /// <summary>
    /// Immutable memory of at least this many bytes is sent by its pages over TCP. Below, copying it costs less than the calls.
    /// Measured (bench/RESULTS.md).
    /// </summary>
    internal int MinPageBytes { get; set; } = 64 * 1024;

    /// <summary>Creates the exception that a reader sees; a host may have its own types.</summary>
    internal Func<CloseReason, Exception?, Exception>? ErrorFactory { get; set; }

    internal RingConnectionOptions Clone() => (RingConnectionOptions)MemberwiseClone();

    internal void Validate()
    {
        Refuse(MaxReadBufferSize is < 1, MaxReadBufferSize, nameof(MaxReadBufferSize), "Must be null or at least 1.");
        Refuse(MaxWriteBufferSize is < 1, MaxWriteBufferSize, nameof(MaxWriteBufferSize), "Must be null or at least 1.");
        Refuse(SendTimeout <= TimeSpan.Zero, SendTimeout, nameof(SendTimeout), "Must be null or above zero.");
        Refuse(KeepAliveTime < TimeSpan.FromSeconds(1), KeepAliveTime, nameof(KeepAliveTime), "Must be null or at least a second.");
        Refuse(UserTimeout < TimeSpan.FromMilliseconds(1), UserTimeout, nameof(UserTimeout), "Must be null or at least a millisecond.");
        ArgumentOutOfRangeException.ThrowIfLessThan(KeepAliveInterval, TimeSpan.FromSeconds(1), nameof(KeepAliveInterval));
        ArgumentOutOfRangeException.ThrowIfLessThan(KeepAliveCount, 1, nameof(KeepAliveCount));
        ArgumentOutOfRangeException.ThrowIfLessThan(LingerTimeout, TimeSpan.Zero, nameof(LingerTimeout));
    }

    private static void Refuse(bool isWrong, object? value, string name, string message)
    {
        if (isWrong)
        {
            throw new ArgumentOutOfRangeException(name, value, message);
        }
    }
}
