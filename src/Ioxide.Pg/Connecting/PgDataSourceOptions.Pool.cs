namespace Ioxide.Pg;

public sealed partial class PgDataSourceOptions
{
    private const int DefaultMaxPerReactor = 8;

    /// <summary>Connections that each reactor opens at the start and keeps. Defaults to 0.</summary>
    public int MinPerReactor { get; set; }

    /// <summary>
    /// Connections that each reactor may have, from 1. Defaults to 8, or to the reactor's part of <see cref="MaxConnections"/>
    /// if that is set.
    /// </summary>
    public int MaxPerReactor
    {
        get => MaxPerReactorSet ?? DefaultMaxPerReactor;
        set => MaxPerReactorSet = value;
    }

    /// <summary>Connections that all reactors together may have; each may have at least one. Defaults to null: no such limit.</summary>
    public int? MaxConnections { get; set; }

    /// <summary>Connections that all reactors together keep, spread evenly and rounded up. Defaults to 0.</summary>
    public int MinConnections { get; set; }

    /// <summary>Connections of a reactor on which short commands of all callers are pipelined, from 1. Defaults to 2.</summary>
    public int SharedPerReactor { get; set; } = 2;

    /// <summary>
    /// Commands in flight on one connection, from 1. Further ones wait in this process. Defaults to 64; use 1 behind a pooler
    /// that cannot pipeline.
    /// </summary>
    public int PipelineDepth { get; set; } = 64;

    /// <summary>Commands and sessions of a reactor that may wait for a connection; one more fails at once. Defaults to 1,024.</summary>
    public int QueueLimit { get; set; } = 1024;

    /// <summary>How long they may wait. Zero is without limit. Defaults to 15 seconds.</summary>
    public TimeSpan QueueTimeout { get; set; } = TimeSpan.FromSeconds(15);

    /// <summary>A connection beyond the minimum that was not used for so long is closed. Zero: never. Defaults to 5 minutes.</summary>
    public TimeSpan IdleLifetime { get; set; } = TimeSpan.FromMinutes(5);

    /// <summary>A connection of this age is replaced once it is free, some earlier at random. Zero: never. Defaults to 1 hour.</summary>
    public TimeSpan ConnectionLifetime { get; set; } = TimeSpan.FromHours(1);

    /// <summary>The wait after the first failed attempt to connect; it doubles, with jitter. Defaults to 50 milliseconds.</summary>
    public TimeSpan ReconnectDelayMin { get; set; } = TimeSpan.FromMilliseconds(50);

    /// <summary>The longest such wait. Defaults to 5 seconds.</summary>
    public TimeSpan ReconnectDelayMax { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Connections that one reactor may be opening at a time, from 1. Defaults to 2.</summary>
    public int MaxConnectingPerReactor { get; set; } = 2;

    /// <summary>What stands between this process and the server. Defaults to <see cref="PgPooler.None"/>.</summary>
    public PgPooler Pooler { get; set; }

    /// <summary>
    /// Undoes what a user left of a session: settings, role, locks, temporary tables, LISTEN, cursors, values of sequences. Defaults to true.
    /// False lets the next user find it all, also on the shared connections. <c>No Reset On Close</c> in a connection string is the opposite.
    /// </summary>
    /// <remarks>
    /// A reset is sent where a command may have left something, about 30 microseconds of the server, and the next user does not wait for its
    /// answer. Statements stay prepared. Behind a pooler in transaction mode nothing is reset.
    /// </remarks>
    public bool ResetOnReturn { get; set; } = true;

    /// <summary>
    /// Statements that a connection keeps prepared, with 8 MiB of text in all; the one that was not used for longest makes room. Zero prepares
    /// none. Defaults to 256.
    /// </summary>
    public int MaxPreparedPerConnection { get; set; } = 256;

    /// <summary>
    /// Bytes of the longest row that is read, from 64 KiB to 1 GiB. Defaults to 1 GiB, which is PostgreSQL's own limit.
    /// </summary>
    /// <remarks>
    /// A row takes its length in memory while it arrives and is read, one at a time on each connection. A longer row is skipped and its
    /// command fails with <see cref="PgResultTooLargeException"/>; the connection continues. COPY, and readers of the ADO.NET facade under
    /// <c>SequentialAccess</c>, take rows of any length in pieces; there it is the longest value that is read whole.
    /// </remarks>
    public int MaxMessageBytes { get; set; } = MessageScratch.ServerLimitBytes;

    /// <summary>Bytes of a result that is buffered on a shared connection, at least 64 KiB. Defaults to 1 MiB.</summary>
    public int MaxBufferedResultBytes { get; set; } = 1024 * 1024;

    internal int? MaxPerReactorSet { get; set; }

    /// <summary>What one of so many reactors may have.</summary>
    internal int MaxPerReactorOf(int reactorCount)
    {
        if (MaxConnections is not { } total)
        {
            return MaxPerReactor;
        }

        int share = Math.Max(1, total / Math.Max(1, reactorCount));
        return MaxPerReactorSet is { } own ? Math.Min(own, share) : share;
    }

    /// <summary>What one of so many reactors keeps; never above its maximum.</summary>
    internal int MinPerReactorOf(int reactorCount)
    {
        int share = (MinConnections + reactorCount - 1) / Math.Max(1, reactorCount);
        return Math.Min(Math.Max(MinPerReactor, share), MaxPerReactorOf(reactorCount));
    }
}
