using System.Data;
using System.Data.Common;

namespace Ioxide.Pg.Data;

/// <summary>An ADO.NET connection. While it is open it holds a <see cref="PgSession"/>.</summary>
/// <remarks>
/// <para>Connections that are created with the same connection string share their pools within the process. The pools live on the caller's
/// reactor, else on the reactors of the running host, else on reactors of the process, which are created on first use. They end with
/// their reactors.</para>
/// <para>Threads: any, one at a time. On a reactor a synchronous method blocks the calling handler; the reactor serves its other connections
/// meanwhile, and runs their code on the thread pool. Code of a library behind <c>ConfigureAwait(false)</c> on a task of this facade runs
/// on the reactor, but without its context.</para>
/// </remarks>
public partial class PgDbConnection : DbConnection, ICloneable
{
    private static readonly StateChangeEventArgs s_opened = new(ConnectionState.Closed, ConnectionState.Open);
    private static readonly StateChangeEventArgs s_closed = new(ConnectionState.Open, ConnectionState.Closed);

    private PgSession? _session;
    private bool _isDisposed;

    /// <summary>Creates a connection. Set <see cref="ConnectionString"/> before opening it.</summary>
    public PgDbConnection()
    {
    }

    /// <summary>Creates a connection with a connection string.</summary>
    /// <param name="connectionString">See <see cref="PgDataSourceOptions.Parse"/>. <c>Maximum Pool Size</c> defaults to 100.</param>
    /// <exception cref="ArgumentException">The connection string is malformed.</exception>
    /// <remarks>
    /// For Dapper take connections from <see cref="PgDbDataSource"/> or <see cref="PgDbProviderFactory"/>: Dapper does not recognize that other
    /// connections take arrays.
    /// </remarks>
    public PgDbConnection(string? connectionString) => ConnectionString = connectionString;

    private protected PgDbConnection(PgDbDataSource source) => _bound = _source = source;

    /// <inheritdoc/>
    public override string ServerVersion => OpenSession.ServerParameters.GetValueOrDefault("server_version", "");

    /// <summary>Closed as soon as the server has ended the connection: it can be opened again.</summary>
    public override ConnectionState State
        => _session is { IsOpen: true } ? ConnectionState.Open : ConnectionState.Closed;

    /// <summary>True: <see cref="DbConnection.CreateBatch"/> is supported.</summary>
    public override bool CanCreateBatch => true;

    /// <summary>The session of the open connection. Its commands are part of the connection's transaction, which it begins and waits for.</summary>
    /// <exception cref="InvalidOperationException">The connection is not open.</exception>
    /// <exception cref="PgException">The server has not begun the transaction.</exception>
    public PgSession Session
    {
        get
        {
            PgSession session = OpenSession;
            if (Begin is { IsOwed: true })
            {
                SendBegin();
            }

            return session;
        }
    }

    /// <inheritdoc/>
    protected override DbProviderFactory DbProviderFactory => PgDbProviderFactory.Instance;

    /// <summary>The session, without sending a BEGIN that is owed.</summary>
    internal PgSession OpenSession => _session ?? throw new InvalidOperationException("The connection is not open.");

    internal PgSession? SessionOrNull => _session;

    internal PgDbTransaction? Transaction { get; set; }

    /// <summary>The open reader.</summary>
    internal PgDbDataReader? Reader { get; set; }

    /// <summary>The BEGIN of the transaction that the connection is in, its own or the ambient one.</summary>
    internal TransactionBegin? Begin { get; set; }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The connection is already open, or has no connection string.</exception>
    /// <exception cref="RingUnavailableException">The host refuses io_uring and epoll. The message has the cause and the remedy.</exception>
    /// <exception cref="PgConnectionException">The server cannot be reached.</exception>
    public override void Open()
    {
        PgDbDataSource source = Opening(out System.Transactions.Transaction? joining);
        if (TryReopen(source, joining))
        {
            return;
        }

        while (true)
        {
            try
            {
                Opened(source, source.OpenSession(), joining);
                return;
            }
            catch (ObjectDisposedException) when (_text is not null && source.IsClosed)
            {
                source = FindSource();
            }
        }
    }

    /// <inheritdoc cref="Open"/>
    public override Task OpenAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled(cancellationToken);
        }

        PgDbDataSource source = Opening(out System.Transactions.Transaction? joining);
        if (TryReopen(source, joining))
        {
            return Task.CompletedTask;
        }

        ValueTask<PgSession> session = source.OpenSessionAsync(cancellationToken);
        if (!session.IsCompletedSuccessfully)
        {
            return WaitAsync(source, session, joining, cancellationToken);
        }

        Opened(source, session.Result, joining);
        return Task.CompletedTask;
    }

    /// <summary>Returns the session. An open reader is closed and an open transaction is rolled back.</summary>
    public override void Close()
    {
        CloseReader();
        if (_session is not null)
        {
            AmbientTransaction? ambient = _ambient;
            PgSession session = Leave();
            if (ambient?.TryPark() != true)
            {
                // Not awaited: the session is reset in the background.
                _ = session.DisposeAsync().AsTask();
            }

            OnStateChange(s_closed);
        }
    }

    /// <inheritdoc/>
    public override async Task CloseAsync()
    {
        await CloseReaderAsync().ConfigureAwait(false);
        Close();
    }

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        _isDisposed = true;
        await CloseAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    /// <summary>Returns the list of collections.</summary>
    public override DataTable GetSchema() => SchemaTables.MetaDataCollections();

    /// <inheritdoc cref="GetSchema(string, string?[])"/>
    public override DataTable GetSchema(string collectionName) => GetSchema(collectionName, []);

    /// <summary>
    /// Returns a collection, such as databases, tables, columns or keys. <c>MetaDataCollections</c> lists the collections, and
    /// <c>Restrictions</c> lists their restrictions.
    /// </summary>
    /// <param name="collectionName">The name of the collection, case-insensitive.</param>
    /// <param name="restrictionValues">A value for each restriction, in order; null means no restriction.</param>
    /// <exception cref="InvalidOperationException">The connection is not open, or has an open reader.</exception>
    /// <exception cref="ArgumentException">There is no such collection, or it has fewer restrictions.</exception>
    public override DataTable GetSchema(string collectionName, string?[]? restrictionValues)
        => SchemaCollections.Read(this, collectionName, restrictionValues);

    /// <inheritdoc cref="GetSchema()"/>
    public override Task<DataTable> GetSchemaAsync(CancellationToken cancellationToken = default)
        => cancellationToken.IsCancellationRequested ? Task.FromCanceled<DataTable>(cancellationToken) : Task.FromResult(GetSchema());

    /// <inheritdoc cref="GetSchema(string, string?[])"/>
    public override Task<DataTable> GetSchemaAsync(string collectionName, CancellationToken cancellationToken = default)
        => GetSchemaAsync(collectionName, [], cancellationToken);

    /// <inheritdoc cref="GetSchema(string, string?[])"/>
    public override Task<DataTable> GetSchemaAsync(
        string collectionName, string?[] restrictionValues, CancellationToken cancellationToken = default)
        => SchemaCollections.ReadAsync(this, collectionName, restrictionValues, cancellationToken);

    /// <summary>Reads the types of the database again, after some were created.</summary>
    /// <exception cref="InvalidOperationException">The connection is not open, or a reader of it is.</exception>
    public void ReloadTypes()
    {
        ThrowIfReading();
        Source.ReadTypes(OpenSession);
    }

    /// <inheritdoc cref="ReloadTypes"/>
    public async Task ReloadTypesAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfReading();
        await Source.ReadTypesAsync(OpenSession, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Creates a command of this connection.</summary>
    /// <exception cref="ObjectDisposedException">The connection was disposed.</exception>
    public new PgDbCommand CreateCommand()
    {
        ThrowIfDisposed();
        return new PgDbCommand(null, this);
    }

    /// <summary>Rents a round trip for the next command. It starts with the BEGIN that is owed.</summary>
    internal DataRoundTrip Rent()
    {
        PgSession session = OpenSession;
        ThrowIfReading();
        if (!session.IsOpen)
        {
            Exception cause = session.Connection.LostError();
            NoticeLoss();
            throw cause;
        }

        // Before _aborted: a transaction that ends meanwhile leaves either itself or that behind.
        AmbientTransaction? ambient = _ambient;
        if (_aborted is { } aborted)
        {
            AmbientTransaction.ThrowIfCurrent(aborted);
            _aborted = null;
        }

        DataRoundTrip roundTrip = DataRoundTrip.Rent(session.Connection.SpareRoundTrips);
        roundTrip.Ambient = ambient;
        if (Begin is { } begin)
        {
            roundTrip.Begin = begin;
            if (begin.IsOwed)
            {
                roundTrip.Add(begin.Statement, isHidden: true);
            }
        }

        return roundTrip;
    }

    /// <param name="roundTrip">The round trip from <see cref="Rent"/>.</param>
    /// <param name="owner">The command or batch that may cancel it.</param>
    /// <param name="timeout">The limit from when the server can begin with it; zero means no limit.</param>
    /// <param name="cancellationToken">Abandons the round trip.</param>
    internal void Start(DataRoundTrip roundTrip, object owner, TimeSpan timeout, CancellationToken cancellationToken)
    {
        roundTrip.Owner = owner;
        roundTrip.Start(OpenSession.Target, timeout, cancellationToken);
    }

    /// <summary>Closes the open reader; an error of what it left unread is not the caller's any more.</summary>
    internal void CloseReader() => Reader?.CloseForConnection();

    /// <inheritdoc cref="CloseReader"/>
    internal Task CloseReaderAsync() => Reader?.CloseForConnectionAsync() ?? Task.CompletedTask;

    internal void ThrowIfDisposed() => ObjectDisposedException.ThrowIf(_isDisposed, this);

    internal void ThrowIfReading()
    {
        if (Reader is not null)
        {
            throw new InvalidOperationException("A reader of this connection is open. Dispose it first, or open a second connection.");
        }
    }

    /// <summary>A command has met the end of its session: the connection is closed, and can be opened again.</summary>
    internal void NoticeLoss()
    {
        if (_session is { IsOpen: false })
        {
            _ = Leave().DisposeAsync().AsTask();
            OnStateChange(s_closed);
        }
    }

    /// <inheritdoc/>
    protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel) => PgDbTransaction.Begin(this, isolationLevel);

    /// <inheritdoc/>
    protected override ValueTask<DbTransaction> BeginDbTransactionAsync(IsolationLevel isolationLevel, CancellationToken cancellationToken)
        => cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<DbTransaction>(cancellationToken)
            : new ValueTask<DbTransaction>(PgDbTransaction.Begin(this, isolationLevel));

    /// <inheritdoc/>
    protected override DbCommand CreateDbCommand() => CreateCommand();

    /// <inheritdoc/>
    protected override DbBatch CreateDbBatch()
    {
        ThrowIfDisposed();
        return new PgDbBatch { Connection = this };
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _isDisposed = true;
            Close();
        }

        base.Dispose(disposing);
    }

    /// <summary>Sends the BEGIN that is owed, and waits for it: behind one that fails a command of the session would be committed at once.</summary>
    private void SendBegin()
    {
        DataRoundTrip roundTrip = Rent();
        roundTrip.IsNonQuery = true;
        Start(roundTrip, this, Source.Source.Options.CommandTimeout, default);
        _ = CommandRun.NonQuery(this, roundTrip);
    }

    /// <summary>Waits for a session. Shared pools that were closed meanwhile are created again.</summary>
    private async Task WaitAsync(
        PgDbDataSource source, ValueTask<PgSession> opening, System.Transactions.Transaction? joining, CancellationToken cancellationToken)
    {
        while (true)
        {
            try
            {
                Opened(source, await opening.ConfigureAwait(false), joining);
                return;
            }
            catch (ObjectDisposedException) when (_text is not null && source.IsClosed)
            {
                source = FindSource();
                opening = source.OpenSessionAsync(cancellationToken);
            }
        }
    }

    /// <param name="joining">The transaction to join: the open may continue where its scope is not visible.</param>
    private PgDbDataSource Opening(out System.Transactions.Transaction? joining)
    {
        ThrowIfDisposed();
        NoticeLoss();
        if (_session is not null)
        {
            throw new InvalidOperationException("The connection is open already.");
        }

        PgDbDataSource source = FindSource();
        joining = source.Source.Options.Enlist ? System.Transactions.Transaction.Current : null;
        return source;
    }

    private void Opened(PgDbDataSource source, PgSession session, System.Transactions.Transaction? joining)
    {
        (_source, _session) = (source, session);
        if (joining is not null)
        {
            try
            {
                Enlist(session, joining);
            }
            catch
            {
                _ = Leave().DisposeAsync().AsTask();
                throw;
            }
        }

        _wasOpened = true;
        OnStateChange(s_opened);
    }

    private PgSession Leave()
    {
        PgSession session = OpenSession;
        _session = null;
        Begin = null;
        _ambient = null;
        _aborted = null;
        Transaction?.Abandoned();
        Transaction = null;
        return session;
    }
}
