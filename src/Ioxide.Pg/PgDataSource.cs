using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ioxide.Pg;

/// <summary>A database: one object per process, with a pool of connections on each reactor.</summary>
/// <remarks>
/// <para>Threads: any. A caller on a reactor uses that reactor's own pool, and its await continues there. Any other caller is served
/// by the reactors in turn, and its await continues in its own context, or on the thread pool.</para>
/// <para>It does not own the reactors. Dispose it before they stop.</para>
/// </remarks>
public sealed partial class PgDataSource : PgExecutor, IAsyncDisposable, IDisposable
{
    private readonly ReactorPool[] _pools;
    private readonly ConnectionTotal? _total;
    private readonly TextCache<PgStatement> _statements = new(PgStatement.CreateDynamic, static (sql, statement) => statement.ByteCount(sql));
    private Task? _closed;

    // Never disposed of: it has no timer, and listeners may look at it at any time.
    private readonly CancellationTokenSource _closing = new();

    // Only application code takes it: a wait for it may turn the ring.
    private readonly Lock _lock = new();

    private PgDataSource(PgDataSourceOptions options, ReactorGroup group, ILoggerFactory? loggerFactory, IMeterFactory? meterFactory)
    {
        Options = options;
        Group = group;
        Log = new PgLog(loggerFactory?.CreateLogger("Ioxide.Pg") ?? NullLogger.Instance);
        Holders = options.TraceLeases ? new LeaseHolders(Log) : null;
        Context = new ConnectContext(options);
        Columns = new ColumnsCache();
        Poolers = new PoolerWatch(options, Log);
        TransportOptions = new RingConnectionOptions
        {
            MaxReadBufferSize = ReceiveCreditBytes,
            MaxWriteBufferSize = SendCreditBytes,
            LingerTimeout = TimeSpan.Zero,
            KeepAliveTime = options.KeepAlive > TimeSpan.Zero ? options.KeepAlive : null,
            KeepAliveInterval = options.KeepAliveInterval,
            KeepAliveCount = options.KeepAliveCount,
            UserTimeout = options.TcpUserTimeout > TimeSpan.Zero ? options.TcpUserTimeout : null,
        };
        _total = Options.MaxConnections is { } max ? new ConnectionTotal(max) : null;
        _pools = [.. group.Reactors.Select(reactor => new ReactorPool(reactor, this, _total))];
        _total?.Pools = _pools;
        Metrics = new PgMetrics(options, _pools, meterFactory);
    }

    // The most that a stream holds while its reader waits. Beyond it TCP stops the server.
    private const int ReceiveCreditBytes = 256 * 1024;
    private const int SendCreditBytes = 256 * 1024;

    /// <summary>The options with all defaults filled in. Changes to them have no effect.</summary>
    public PgDataSourceOptions Options { get; }

    /// <summary>The reactors that its connections live on.</summary>
    public ReactorGroup Group { get; }

    /// <summary>
    /// Raised for messages that servers send besides answers, such as <c>RAISE NOTICE</c>. Runs on a reactor, one at a time, or on the
    /// thread pool while a handler blocks that reactor.
    /// </summary>
    public event Action<PgServerMessage>? Notice;

    private protected override CommandTarget NextTarget => CurrentPool();

    internal PgLog Log { get; }

    internal PgMetrics Metrics { get; }

    internal LeaseHolders? Holders { get; }

    internal ConnectContext Context { get; }

    internal ColumnsCache Columns { get; }

    internal PoolerWatch Poolers { get; }

    internal RingConnectionOptions TransportOptions { get; }

    internal IReadOnlyList<ReactorPool> Pools => _pools;

    /// <summary>Creates the pools. The first connection opens when one is needed, or when <see cref="WarmUpAsync"/> is called.</summary>
    /// <param name="connectionString">See <see cref="PgDataSourceOptions.Parse"/>.</param>
    /// <param name="group">The reactors. They outlive the data source.</param>
    /// <param name="loggerFactory">Receives the log; the category is <c>Ioxide.Pg</c>.</param>
    /// <param name="meterFactory">Makes the meter <c>Ioxide.Pg</c>; null creates a meter of its own.</param>
    /// <exception cref="ArgumentException">The connection string is malformed, or an option is out of range.</exception>
    public static PgDataSource Create(
        string connectionString, ReactorGroup group, ILoggerFactory? loggerFactory = null, IMeterFactory? meterFactory = null)
        => Create(PgDataSourceOptions.Parse(connectionString), group, loggerFactory, meterFactory);

    /// <inheritdoc cref="Create(string, ReactorGroup, ILoggerFactory?, IMeterFactory?)"/>
    public static PgDataSource Create(
        PgDataSourceOptions options, ReactorGroup group, ILoggerFactory? loggerFactory = null, IMeterFactory? meterFactory = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(group);
        return new PgDataSource(options.Resolve(), group, loggerFactory, meterFactory);
    }

    /// <summary>Opens <see cref="PgDataSourceOptions.MinPerReactor"/> connections on every reactor.</summary>
    /// <exception cref="PgConnectionException">The server cannot be reached.</exception>
    /// <exception cref="PgException">The server refuses the connection.</exception>
    /// <exception cref="ObjectDisposedException">The data source is closed.</exception>
    /// <remarks>
    /// Between two attempts to connect to a server that refuses it fails with the last cause (<see cref="PgDataSourceOptions.ReconnectDelay"/>).
    /// </remarks>
    public Task WarmUpAsync(CancellationToken cancellationToken = default)
        => Task.WhenAll(_pools.Select(pool => ReactorWork.OnReactorAsync(
            pool.Reactor,
            async () =>
            {
                await pool.Attempts.WarmUpAsync(cancellationToken).ConfigureAwait(true);
                return true;
            })));

    /// <summary>Returns the statement of a text from a bounded cache. It is for SQL that is not known when the program is written.</summary>
    /// <remarks>
    /// Parameters are passed as a list (<see cref="PgParameterList"/>). The cache keeps 1,024 texts, and 16 MiB with their statements. Texts that
    /// are not requested again are evicted first. A text that takes more than 8 MiB is not cached, and is sent whole each time.
    /// </remarks>
    public PgStatement Statement(string sql) => _statements.Get(sql);

    /// <summary>Takes a connection for exclusive use: settings, transactions, COPY, LISTEN. Disposing the session returns it.</summary>
    /// <exception cref="PgPoolExhaustedException">Every connection is taken, and the queue is full or the wait timed out.</exception>
    /// <exception cref="PgConnectionException">The server cannot be reached.</exception>
    public ValueTask<PgSession> OpenSessionAsync(CancellationToken cancellationToken = default)
        => OpenSessionAsync(CurrentPool(forSession: true), cancellationToken);

    internal static ValueTask<PgSession> OpenSessionAsync(ReactorPool pool, CancellationToken cancellationToken)
        => pool.DataSource.Holders is { } holders
            ? TracedAsync(holders, CallSite.OfApplication(), pool, cancellationToken)
            : LeaseSessionAsync(pool, cancellationToken);

    private static async ValueTask<PgSession> TracedAsync(
        LeaseHolders holders, string callSite, ReactorPool pool, CancellationToken cancellationToken)
    {
        PgSession session = await LeaseSessionAsync(pool, cancellationToken).ConfigureAwait(true);
        session.Lease = holders.Add(callSite);
        return session;
    }

    private static ValueTask<PgSession> LeaseSessionAsync(ReactorPool pool, CancellationToken cancellationToken)
    {
        pool.SessionBegins();
        return pool.Reactor.IsCurrent ? LeaseAsync(pool, cancellationToken)
            : pool.Lanes.AtHand.Take() is { } connection ? new ValueTask<PgSession>(new PgSession(pool, connection))
            : new ValueTask<PgSession>(ReactorWork.OnReactorAsync(pool.Reactor, () => LeaseAsync(pool, cancellationToken).AsTask()));
    }

    /// <summary>Returns the notifications of a channel until the token is cancelled.</summary>
    /// <remarks>
    /// Uses a connection of its own. When that is lost another one is opened, and a notification with <see cref="PgNotification.IsGap"/> marks
    /// that some may be missing. Up to 16 MiB are kept for a reader that is slow or idle: each notification counts 128 bytes, plus two per
    /// character of its payload. Beyond that notifications are dropped, and a gap takes their place. Listening has begun when the first
    /// wait completes, or shortly after it begins: to miss nothing, read the state after the first notification or gap, or send a
    /// notification yourself.
    /// </remarks>
    /// <exception cref="PgConnectionException">The first connection could not be made.</exception>
    /// <exception cref="ObjectDisposedException">The data source was closed, before or during listening.</exception>
    public IAsyncEnumerable<PgNotification> ListenAsync(string channel, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(channel);
        return PgListener.ListenAsync(this, OpenSessionAsync, channel, cancellationToken);
    }

    /// <summary>Closes idle connections now, and busy ones when they are returned. New ones are opened as needed.</summary>
    /// <remarks>Returns before they are closed. Threads: any.</remarks>
    public void Clear()
    {
        foreach (ReactorPool pool in _pools)
        {
            pool.AskToClear();
        }
    }

    /// <summary>Waits for running commands, then closes every connection. Cancelling the token breaks off sessions that are still open.</summary>
    /// <remarks>
    /// Does not wait for a reactor that has not turned for <see cref="ReactorOptions.ReactorStopTimeout"/>. That reactor closes its
    /// connections when it turns.
    /// </remarks>
    public Task CloseAsync(CancellationToken cancellationToken = default)
    {
        lock (_lock)
        {
            return _closed ??= CloseOnceAsync(cancellationToken);
        }
    }

    /// <summary>Closes the data source. Breaks off commands that still run after the command timeout.</summary>
    public async ValueTask DisposeAsync()
    {
        using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(5));
        await CloseAsync(limit.Token).ConfigureAwait(false);
    }

    /// <summary>Cancelled when closing begins.</summary>
    internal CancellationToken Closing => _closing.Token;

    /// <summary>No further connection can be opened: it is closed, or its reactors have ended.</summary>
    internal bool HasEnded => _closing.IsCancellationRequested || Group.Reactors.All(static reactor => reactor.HasEnded);

    internal ObjectDisposedException ClosedError() => new(nameof(PgDataSource), "The data source is closed.");

    /// <summary>Whether a notice has a handler in the application.</summary>
    internal bool HasNoticeHandler => Notice is not null;

    [ApplicationSide]
    internal void RaiseNotice(PgServerMessage notice)
    {
        Log.Noticed(notice);
        try
        {
            Notice?.Invoke(notice);
        }
        catch (Exception exception)
        {
            Log.HandlerThrew(exception);
        }
    }

    /// <summary>
    /// The pool of the calling reactor, unless other reactors have all connections. For a caller outside the reactors: the next pool in turn that
    /// has room.
    /// </summary>
    /// <param name="forSession">The pool is to lend a connection: the one with the fewest sessions is taken.</param>
    internal ReactorPool CurrentPool(bool forSession = false)
    {
        if (Reactor.Current is { } current && ReferenceEquals(current.Group, Group))
        {
            ReactorPool own = _pools[current.Id];
            return forSession || _total is null || own.CanServe ? own : _total.PoolFor(own);
        }

        ReactorPool best = _pools[Group.NextReactor().Id];
        if (!forSession && best.CanServe)
        {
            return best;
        }

        if (!forSession && _total is not null)
        {
            return _total.PoolFor(best);
        }

        foreach (ReactorPool pool in _pools)
        {
            if (pool is { Lanes.AtHand.IsTaken: true, Reactor: { HasEnded: false, IsStuck: false } })
            {
                return pool;
            }

            if (pool.Sessions < best.Sessions && pool.Reactor is { HasEnded: false, IsStuck: false })
            {
                best = pool;
            }
        }

        return best;
    }

    private static async ValueTask<PgSession> LeaseAsync(ReactorPool pool, CancellationToken cancellationToken)
    {
        try
        {
            ServerConnection connection = await pool.LeaseAsync(cancellationToken).ConfigureAwait(true);
            var lender = (ReactorPool)connection.Pool;
            if (!ReferenceEquals(lender, pool))
            {
                lender.SessionBegins();
                pool.SessionEnds();
            }

            return new PgSession(lender, connection);
        }
        catch
        {
            pool.SessionEnds();
            throw;
        }
    }

    private async Task CloseOnceAsync(CancellationToken cancellationToken)
    {
        // On the thread pool, because listeners continue inside this call.
        _ = _closing.CancelAsync();

        // A pool whose reactor is blocked closes when the reactor turns again, and opens no more connections.
        Task[] closing = [.. _pools.Select(pool => CloseAsync(pool, cancellationToken))];
        try
        {
            await Task.WhenAll(_pools.Zip(
                closing,
                (pool, closed) => pool.Reactor.WaitWhileTurningAsync(closed, Group.Options.ReactorStopTimeout))).ConfigureAwait(false);
        }
        finally
        {
            Metrics.Dispose();
        }
    }

    private static async Task CloseAsync(ReactorPool pool, CancellationToken cancellationToken)
    {
        try
        {
            await ReactorWork.OnReactorAsync(
                pool.Reactor,
                async () =>
                {
                    pool.Close();
                    while (pool.OpenCount > 0 && !cancellationToken.IsCancellationRequested)
                    {
                        await pool.Reactor.DelayAsync(TimeSpan.FromMilliseconds(2)).ConfigureAwait(true);
                    }

                    pool.Abort();
                    return true;
                }).ConfigureAwait(false);
        }
        catch (ObjectDisposedException) when (pool.Reactor.HasEnded)
        {
            // Its connections have ended with it.
        }
    }
}
