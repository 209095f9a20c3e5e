namespace Ioxide.Pg;

public sealed partial class PgDataSourceOptions
{
    private const int DefaultMaxPerReactor = 8;

    /// <summary>
    /// Whether the connection of a session or <c>DbConnection</c> that is closed serves the next one. Defaults to true. False: each gets a
    /// connection of its own, which ends with it and counts for the limits until then; the minimum is 0.
    /// </summary>
    /// <remarks>Commands of the data source itself use the shared connections all the same.</remarks>
    public bool Pooling { get; set; } = true;

    /// <summary>The number of connections that each reactor opens at the start and keeps. Defaults to 0.</summary>
    public int MinPerReactor { get; set; }

    /// <summary>
    /// The maximum number of connections per reactor, at least 1. Defaults to 8, or to <see cref="MaxConnections"/> if that is set.
    /// </summary>
    public int MaxPerReactor
    {
        get => MaxPerReactorSet ?? DefaultMaxPerReactor;
        set => MaxPerReactorSet = value;
    }

    /// <summary>The maximum number of connections of all reactors together. Defaults to null: no such limit.</summary>
    /// <remarks>
    /// A reactor may have all of them, and lends to callers on other reactors. Their commands then take a hop between threads.
    /// </remarks>
    public int? MaxConnections { get; set; }

    /// <summary>The minimum number of connections of all reactors together, spread evenly and rounded up. Defaults to 0.</summary>
    public int MinConnections { get; set; }

    /// <summary>Connections per reactor on which short commands of all callers are pipelined, at least 1. Defaults to 2.</summary>
    public int SharedPerReactor { get; set; } = 2;

    /// <summary>
    /// Commands in flight per connection, at least 1. Further commands wait in this process. Defaults to 64; use 1 behind a pooler
    /// that cannot pipeline.
    /// </summary>
    public int PipelineDepth { get; set; } = 64;

    /// <summary>
    /// The most commands and sessions per reactor that wait for a connection. One more fails at once. Defaults to 1,024. For connections that
    /// are made from a connection string alone there is none, and <see cref="QueueTimeout"/> limits each wait.
    /// </summary>
    public int QueueLimit
    {
        get => QueueLimitSet ?? 1024;
        set => QueueLimitSet = value;
    }

    /// <summary>
    /// How long a command or session may wait for a connection. Zero means no limit. Defaults to <see cref="ConnectTimeout"/>, 15 seconds.
    /// </summary>
    public TimeSpan QueueTimeout
    {
        get => QueueTimeoutSet ?? ConnectTimeout;
        set => QueueTimeoutSet = value;
    }

    /// <summary>A connection beyond the minimum is closed after this idle time. Zero: never. Defaults to 5 minutes.</summary>
    public TimeSpan IdleLifetime { get; set; } = TimeSpan.FromMinutes(5);

    /// <summary>A connection of this age is replaced when it is free; some earlier, at random. Zero: never. Defaults to 1 hour.</summary>
    public TimeSpan ConnectionLifetime { get; set; } = TimeSpan.FromHours(1);

    /// <summary>
    /// The least time between a reactor's attempts to connect while the server refuses. A caller in between gets the last cause at once. A
    /// database that does not exist is asked for again at once, for the caller may have made it.
    /// Defaults to 125 milliseconds.
    /// </summary>
    public TimeSpan ReconnectDelay { get; set; } = TimeSpan.FromMilliseconds(125);

    /// <summary>Connections that one reactor opens at the same time, at least 1. Defaults to 2.</summary>
    public int MaxConnectingPerReactor { get; set; } = 2;

    /// <summary>The pooler between this process and the server. Defaults to <see cref="PgPooler.None"/>.</summary>
    public PgPooler Pooler { get; set; }

    /// <summary>
    /// Resets a session after its user: settings, role, locks, temporary tables, LISTEN, cursors, values of sequences. Defaults to true.
    /// False leaves them to the next user, also on the shared connections. <c>No Reset On Close</c> in a connection string is the opposite.
    /// </summary>
    /// <remarks>
    /// A reset is sent if a command may have changed the session. It costs the server about 30 microseconds, and the next user does not wait for its
    /// answer. Statements stay prepared. Behind a pooler in transaction mode nothing is reset.
    /// </remarks>
    public bool ResetOnReturn { get; set; } = true;

    /// <summary>
    /// The maximum number of prepared statements per connection, with 8 MiB of text in all. The least recently used one is evicted. Zero: none.
    /// Defaults to 256.
    /// </summary>
    public int MaxPreparedPerConnection { get; set; } = 256;

    /// <summary>
    /// The longest row that is read, in bytes, from 64 KiB to 1 GiB. Defaults to 1 GiB, which is PostgreSQL's own limit.
    /// </summary>
    /// <remarks>
    /// A row takes its length in memory while it arrives and is read, one row at a time per connection. A longer row is skipped and its
    /// command fails with <see cref="PgResultTooLargeException"/>; the connection continues. COPY, and readers of the ADO.NET facade under
    /// <c>SequentialAccess</c>, take rows of any length in pieces; for them it limits a value that is read whole.
    /// </remarks>
    public int MaxMessageBytes { get; set; } = MessageScratch.ServerLimitBytes;

    /// <summary>The largest result that is buffered on a shared connection, in bytes, at least 64 KiB. Defaults to 1 MiB.</summary>
    public int MaxBufferedResultBytes { get; set; } = 1024 * 1024;

    /// <summary>
    /// Whether the exception of an exhausted pool names who has sessions and connections open: the ten oldest, each with its call and age. One that
    /// is collected without being disposed is logged with its call. Defaults to false, and to true for <c>AddIoxidePg</c> in a host of the
    /// environment Development.
    /// </summary>
    /// <remarks>On, each opening looks at the stack, which takes tens of microseconds. Off, it costs nothing.</remarks>
    public bool TraceLeases
    {
        get => TraceLeasesSet ?? false;
        set => TraceLeasesSet = value;
    }

    internal bool? TraceLeasesSet { get; set; }

    internal int? MaxPerReactorSet { get; set; }

    internal int? QueueLimitSet { get; set; }

    internal TimeSpan? QueueTimeoutSet { get; set; }

    /// <summary>The setting that limits a wait, as keyword and as option.</summary>
    internal string QueueTimeoutName => QueueTimeoutSet is null ? $"Timeout ({nameof(ConnectTimeout)})" : $"Queue Timeout ({nameof(QueueTimeout)})";

    /// <summary>The maximum of one reactor, which may have the whole total.</summary>
    internal int MaxPerReactorOrTotal
        => MaxConnections is { } total ? Math.Min(MaxPerReactorSet ?? total, total) : MaxPerReactor;

    /// <summary>The minimum of one reactor; never above its maximum.</summary>
    internal int MinPerReactorOf(int reactorCount)
    {
        int share = (MinConnections + reactorCount - 1) / Math.Max(1, reactorCount);
        return Pooling ? Math.Min(Math.Max(MinPerReactor, share), MaxPerReactorOrTotal) : 0;
    }
}
