namespace Ioxide;

/// <summary>How connections behave. Read when a connection is made.</summary>
public sealed class RingConnectionOptions
{
    internal static readonly RingConnectionOptions Default = new();

    /// <summary>
    /// Received bytes that may wait to be examined by the application. Over it the runtime stops receiving until half of it is read, and
    /// TCP's window stops the peer. Defaults to 1 MiB; null is without limit.
    /// </summary>
    public long? MaxReadBufferSize { get; set; } = 1024 * 1024;

    /// <summary>
    /// Bytes that may wait to be sent before a flush waits until half of them are gone. Defaults to 64 KiB; null is without limit.
    /// </summary>
    public long? MaxWriteBufferSize { get; set; } = 64 * 1024;

    /// <summary>
    /// A connection that is closed while the peer still sends stays half open for at most this long, so that the peer gets
    /// the end of the answer and not a reset. Defaults to 2 seconds.
    /// </summary>
    public TimeSpan LingerTimeout { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// A peer that takes no byte of what is being sent for so long is aborted. Progress counts, not the whole answer: a slow
    /// peer that goes on taking bytes is never cut. Defaults to null: never; Kestrel has its own minimum data rate.
    /// </summary>
    public TimeSpan? SendTimeout { get; set; }

    /// <summary>Sets TCP_NODELAY: small writes are not held back. Defaults to true.</summary>
    public bool NoDelay { get; set; } = true;

    /// <summary>
    /// Outbound TCP: idle time before the kernel asks whether the peer is there (TCP_KEEPIDLE). Defaults to null: never.
    /// </summary>
    public TimeSpan? KeepAliveTime { get; set; }

    /// <summary>Outbound TCP: time between such questions (TCP_KEEPINTVL). Defaults to 10 seconds.</summary>
    public TimeSpan KeepAliveInterval { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>Outbound TCP: questions without an answer after which the connection is broken (TCP_KEEPCNT). Defaults to 3.</summary>
    public int KeepAliveCount { get; set; } = 3;

    /// <summary>
    /// Outbound TCP: how long sent bytes may stay unacknowledged before the connection is broken (TCP_USER_TIMEOUT). Defaults to
    /// null: the system's limit, some 15 minutes.
    /// </summary>
    public TimeSpan? UserTimeout { get; set; }

    /// <summary>
    /// Resumes the application on the thread pool instead of the reactor. Costs two thread hops an await; for handlers that
    /// block. Defaults to false.
    /// </summary>
    public bool ResumeOnThreadPool { get; set; }

    /// <summary>Completing the output ends the receiving too, as the sockets transport has it.</summary>
    internal bool EndsBothWays { get; set; }

    /// <summary>
    /// Once its listener has stopped, cancelling the read of a connection that has sent nothing waits this long for its first bytes: a
    /// client that has just connected is about to send its request. Defaults to zero.
    /// </summary>
    internal TimeSpan FirstBytesPatience { get; set; }

    /// <summary>
    /// Memory that never changes is sent by its pages from so many bytes on, over TCP: below, copying it costs less than the calls.
    /// Measured (bench/RESULTS.md).
    /// </summary>
    internal int MinPageBytes { get; set; } = 64 * 1024;

    /// <summary>Makes the exception that a reader sees; a host may have types of its own.</summary>
    internal Func<CloseReason, Exception?, Exception>? ErrorFactory { get; set; }

    internal RingConnectionOptions Clone() => (RingConnectionOptions)MemberwiseClone();

    internal void Validate()
    {
        if (MaxReadBufferSize is < 1)
        {
            throw new ArgumentOutOfRangeException(nameof(MaxReadBufferSize), MaxReadBufferSize, "Must be null or at least 1.");
        }

        if (MaxWriteBufferSize is < 1)
        {
            throw new ArgumentOutOfRangeException(nameof(MaxWriteBufferSize), MaxWriteBufferSize, "Must be null or at least 1.");
        }

        if (SendTimeout <= TimeSpan.Zero)
        {
            throw new ArgumentOutOfRangeException(nameof(SendTimeout), SendTimeout, "Must be null or above zero.");
        }

        if (KeepAliveTime < TimeSpan.FromSeconds(1))
        {
            throw new ArgumentOutOfRangeException(nameof(KeepAliveTime), KeepAliveTime, "Must be null or at least a second.");
        }

        if (UserTimeout < TimeSpan.FromMilliseconds(1))
        {
            throw new ArgumentOutOfRangeException(nameof(UserTimeout), UserTimeout, "Must be null or at least a millisecond.");
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(KeepAliveInterval, TimeSpan.FromSeconds(1), nameof(KeepAliveInterval));
        ArgumentOutOfRangeException.ThrowIfLessThan(KeepAliveCount, 1, nameof(KeepAliveCount));
        ArgumentOutOfRangeException.ThrowIfLessThan(LingerTimeout, TimeSpan.Zero, nameof(LingerTimeout));
    }
}
