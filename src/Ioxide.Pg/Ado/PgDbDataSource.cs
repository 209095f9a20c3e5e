using System.Data.Common;
using System.Transactions;

namespace Ioxide.Pg.Data;

/// <summary>The ADO.NET data source. Threads: any.</summary>
public sealed class PgDbDataSource : DbDataSource
{
    private readonly Lock _lock = new();
    private readonly ConnectionText? _text;
    private readonly bool _isShared;
    private ReactorGroup? _group;
    private PgDataSource? _source;
    private string? _connectionString;
    private Task? _closed;
    private List<AmbientTransaction>? _parked;
    private volatile TypeCatalog _types = TypeCatalog.Empty;
    private OpenCount _opens;

    internal PgDbDataSource(PgDataSource source)
    {
        _source = source;
        _group = source.Group;
    }

    /// <param name="text">The connection string.</param>
    /// <param name="group">The reactors; null chooses them on first use.</param>
    /// <param name="isShared">It serves all connections with this string.</param>
    internal PgDbDataSource(ConnectionText text, ReactorGroup? group = null, bool isShared = false)
    {
        _text = text;
        _group = group;
        _isShared = isShared;
    }

    /// <summary>The underlying data source, which owns the connections. If there is only a connection string, it is created on first use.</summary>
    /// <exception cref="RingUnavailableException">The host refuses io_uring and epoll. The message has the cause and the remedy.</exception>
    /// <exception cref="ObjectDisposedException">The data source was disposed.</exception>
    public PgDataSource Source => _source ?? Make();

    /// <summary>The connection string, without the password unless <see cref="PgDataSourceOptions.PersistSecurityInfo"/> is set.</summary>
    public override string ConnectionString => _text?.VisibleText ?? (_connectionString ??= Write(Source.Options));

    internal ParsedSqlCache Texts { get; } = new();

    /// <summary>The types of the database: <see cref="TypeCatalog.Empty"/> until the first connection is open.</summary>
    internal TypeCatalog Types => _types;

    internal ReactorGroup? Group => _group;

    /// <summary>It opens no session any more. Whoever found it before finds another (<see cref="SharedSources"/>).</summary>
    internal bool IsClosed => _opens.AreOver || Volatile.Read(ref _closed) is not null;

    /// <summary>It has no connection, and no caller waits for one. A snapshot.</summary>
    internal bool IsUnused => _source is { } source && source.Pools.All(static pool => pool.OpenCount == 0 && pool.Sessions == 0);

    /// <summary>Creates a connection without opening it.</summary>
    public new PgDbConnection CreateConnection() => new NpgsqlConnection(this);

    /// <summary>Creates and opens a connection.</summary>
    public new async ValueTask<PgDbConnection> OpenConnectionAsync(CancellationToken cancellationToken = default)
    {
        PgDbConnection connection = CreateConnection();
        await connection.OpenAsync(cancellationToken).ConfigureAwait(false);
        return connection;
    }

    /// <inheritdoc cref="PgDataSource.Clear"/>
    public void Clear() => _source?.Clear();

    /// <summary>Opens a session. The first ones read the types of the database: none waits for another, it takes less than a millisecond.</summary>
    /// <exception cref="ObjectDisposedException">It is closed.</exception>
    internal PgSession OpenSession()
    {
        BeginOpen();
        try
        {
            // The reactor wakes this thread. An async method in between would wait for a thread of the pool, and all of them may wait here.
            PgSession session = BlockingWait.For(this, static source => source.Source.OpenSessionAsync());
            if (NeedsTypes)
            {
                try
                {
                    ReadTypes(session);
                }
                catch (Exception exception)
                {
                    Leave(session, exception);
                    _ = session.DisposeAsync().AsTask();
                    throw;
                }
            }

            return session;
        }
        finally
        {
            EndOpen();
        }
    }

    /// <inheritdoc cref="OpenSession"/>
    internal ValueTask<PgSession> OpenSessionAsync(CancellationToken cancellationToken)
        => _isShared ? CountedAsync(cancellationToken) : StartAsync(cancellationToken);

    /// <summary>An open begins: a shared data source stays open until it has its session.</summary>
    /// <exception cref="ObjectDisposedException">It is closed.</exception>
    internal void BeginOpen() => ObjectDisposedException.ThrowIf(_isShared && (IsClosed || !_opens.TryBegin()), this);

    /// <summary>The open has failed, or its session is counted by its pool.</summary>
    internal void EndOpen()
    {
        if (_isShared)
        {
            _opens.End();
        }
    }

    /// <summary>Closes it if it has no connection, no session, and no open under way.</summary>
    internal void CloseIfUnused()
    {
        if (_opens.TryEndAll(this, static source => source.IsUnused))
        {
            _ = DisposeAsync().AsTask();
        }
    }

    internal void ReadTypes(PgSession session) => Set(BlockingWait.For(session, session, static session => CatalogQuery.RunAsync(session, default)));

    internal async Task ReadTypesAsync(PgSession session, CancellationToken cancellationToken)
        => Set(await CatalogQuery.RunAsync(session, cancellationToken).ConfigureAwait(false));

    /// <summary>Keeps a session whose connection was closed in an ambient transaction.</summary>
    internal void Park(AmbientTransaction ambient)
    {
        lock (_lock)
        {
            (_parked ??= []).Add(ambient);
        }
    }

    internal void Unpark(AmbientTransaction ambient)
    {
        lock (_lock)
        {
            _parked?.Remove(ambient);
        }
    }

    /// <summary>The session that was kept for a transaction, or null.</summary>
    internal AmbientTransaction? TakeParked(Transaction transaction)
    {
        lock (_lock)
        {
            AmbientTransaction? found = _parked?.Find(ambient => ambient.Transaction.Equals(transaction));
            if (found is not null)
            {
                _parked!.Remove(found);
            }

            return found;
        }
    }

    /// <inheritdoc/>
    protected override DbConnection CreateDbConnection() => CreateConnection();

    /// <summary>Closes the connections if it created the pools. Has no effect on one from <see cref="PgDataSource.AsDbDataSource"/>.</summary>
    protected override void Dispose(bool disposing)
    {
        if (disposing && _text is not null)
        {
            BlockingWait.For(this, static source => new ValueTask<bool>(source.CloseAsync()));
        }

        base.Dispose(disposing);
    }

    /// <inheritdoc/>
    protected override async ValueTask DisposeAsyncCore()
    {
        if (_text is not null)
        {
            await CloseAsync().ConfigureAwait(false);
        }

        await base.DisposeAsyncCore().ConfigureAwait(false);
    }

    private static string Write(PgDataSourceOptions options)
    {
        var builder = PgDbConnectionStringBuilder.Of(options);
        if (!options.PersistSecurityInfo)
        {
            builder.RemoveSecrets();
        }

        return builder.ConnectionString;
    }

    private bool NeedsTypes => ReferenceEquals(_types, TypeCatalog.Empty) && Source.Options.LoadTypes;

    private async ValueTask<PgSession> CountedAsync(CancellationToken cancellationToken)
    {
        BeginOpen();
        try
        {
            return await StartAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            EndOpen();
        }
    }

    private ValueTask<PgSession> StartAsync(CancellationToken cancellationToken)
    {
        ValueTask<PgSession> opening = Source.OpenSessionAsync(cancellationToken);
        return NeedsTypes ? WithTypesAsync(opening, cancellationToken) : opening;
    }

    private async ValueTask<PgSession> WithTypesAsync(ValueTask<PgSession> opening, CancellationToken cancellationToken)
    {
        PgSession session = await opening.ConfigureAwait(false);
        try
        {
            if (NeedsTypes)
            {
                await ReadTypesAsync(session, cancellationToken).ConfigureAwait(false);
            }

            return session;
        }
        catch (Exception exception)
        {
            Leave(session, exception);
            await session.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>The next open must not get the server that has just refused its catalogue: its connection is not kept.</summary>
    private static void Leave(PgSession session, Exception refused)
    {
        if (refused is not OperationCanceledException)
        {
            session.Connection.RetireTick = 0;
        }
    }

    private void Set(List<DatabaseType> types) => _types = new TypeCatalog(types, Source.Options.MappedTypes);

    private PgDataSource Make()
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_closed is not null, this);
            if (_source is null)
            {
                ReactorGroup group = _group ??= ProcessReactors.Get();
                if (!group.TryAddGuest(CloseAsync))
                {
                    throw new PgConnectionException("The reactors are stopping, and open no connection any more.");
                }

                _source = PgDataSource.Create(_text!.Options, group); // Without a text there is a source.
            }

            return _source;
        }
    }

    private Task<bool> CloseAsync()
    {
        lock (_lock)
        {
            return (Task<bool>)(_closed ??= CloseOnceAsync());
        }
    }

    private async Task<bool> CloseOnceAsync()
    {
        // Outside the lock, because the calls below take other locks.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        if (_isShared)
        {
            SharedSources.Remove(this);
        }

        if (_source is { } source)
        {
            _group?.RemoveGuest(CloseAsync);
            using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(1));
            await source.CloseAsync(limit.Token).ConfigureAwait(false);
        }

        return true;
    }
}

/// <summary>The actual type of a <see cref="PgDbConnection"/> from a data source or a factory.</summary>
/// <remarks>
/// Dapper decides by the type name of the connection whether the database takes arrays as parameters, and this is the only name that it
/// accepts for PostgreSQL (Dapper.FeatureSupport). Otherwise it expands <c>= any(@ids)</c> into a row. DapperTests verifies it.
/// </remarks>
internal sealed class NpgsqlConnection : PgDbConnection
{
    internal NpgsqlConnection()
    {
    }

    internal NpgsqlConnection(PgDbDataSource source)
        : base(source)
    {
    }
}
