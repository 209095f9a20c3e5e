using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Pg.Data;

/// <summary>A connection of ADO.NET: while it is open it has a <see cref="PgSession"/> for itself.</summary>
/// <remarks>
/// Threads: any, one at a time. On a reactor a synchronous method blocks the calling handler; the reactor serves its other connections
/// meanwhile, and runs their code on the thread pool. What a library does behind <c>ConfigureAwait(false)</c> on a task of this facade runs
/// on the reactor, but without its context.
/// </remarks>
public abstract class PgDbConnection : DbConnection
{
    private static readonly StateChangeEventArgs s_opened = new(ConnectionState.Closed, ConnectionState.Open);
    private static readonly StateChangeEventArgs s_closed = new(ConnectionState.Open, ConnectionState.Closed);

    private readonly PgDbDataSource _source;
    private PgSession? _session;
    private PgDbDataReader? _reader;
    private PgStatement? _pendingBegin;

    private protected PgDbConnection(PgDbDataSource source) => _source = source;

    /// <summary>Host, database, role and encryption, never a secret. It is the data source's and cannot be changed.</summary>
    [AllowNull]
    public override string ConnectionString
    {
        get => _source.ConnectionString;
        set => throw new NotSupportedException("The connection string belongs to the data source: make another one.");
    }

    /// <inheritdoc/>
    public override string Database => _source.Source.Options.Database ?? "";

    /// <summary>The server that it leads to; the first of the options while it is closed.</summary>
    public override string DataSource => _session?.Connection.Endpoint.ToString() ?? _source.Source.Options.Hosts.FirstOrDefault()?.ToString() ?? "";

    /// <inheritdoc/>
    public override string ServerVersion => OpenSession.ServerParameters.GetValueOrDefault("server_version", "");

    /// <inheritdoc/>
    public override ConnectionState State => _session is null ? ConnectionState.Closed : _session.IsOpen ? ConnectionState.Open : ConnectionState.Broken;

    /// <summary>False: a batch is what <see cref="DbConnection.CreateBatch"/> makes, and that is supported.</summary>
    public override bool CanCreateBatch => true;

    /// <summary>The session that it has. What runs on it is part of the connection's transaction.</summary>
    /// <exception cref="InvalidOperationException">It is not open.</exception>
    public PgSession Session
    {
        get
        {
            PgSession session = OpenSession;
            if (_pendingBegin is not null)
            {
                SendBegin();
            }

            return session;
        }
    }

    /// <inheritdoc/>
    protected override DbProviderFactory DbProviderFactory => PgDbProviderFactory.Instance;

    internal PgDbDataSource Source => _source;

    /// <summary>The session, without a BEGIN that is owed.</summary>
    internal PgSession OpenSession => _session ?? throw new InvalidOperationException("The connection is not open.");

    internal PgDbTransaction? Transaction { get; set; }

    /// <inheritdoc/>
    public override void Open()
    {
        Opening();
        Opened(WaitForSession());
    }

    /// <inheritdoc/>
    public override Task OpenAsync(CancellationToken cancellationToken)
    {
        Opening();
        ValueTask<PgSession> session = _source.Source.OpenSessionAsync(cancellationToken);
        if (!session.IsCompletedSuccessfully)
        {
            return WaitAsync(session);
        }

        Opened(session.Result);
        return Task.CompletedTask;
    }

    /// <summary>Gives the session back. An open reader is closed and an open transaction rolled back.</summary>
    public override void Close()
    {
        _reader?.Close();
        if (_session is not null)
        {
            // It never waits: what is to be undone is undone behind the scenes.
            _ = Leave().DisposeAsync().AsTask();
            OnStateChange(s_closed);
        }
    }

    /// <inheritdoc/>
    public override async Task CloseAsync()
    {
        if (_reader is { } reader)
        {
            await reader.CloseAsync().ConfigureAwait(false);
        }

        Close();
    }

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        await CloseAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    /// <summary>Refused: a session belongs to one database.</summary>
    public override void ChangeDatabase(string databaseName)
        => throw new NotSupportedException(
            "A PostgreSQL session cannot change its database. Make a data source for the other one, or close and open another connection.");

    /// <summary>Refused: distributed transactions are not supported.</summary>
    public override void EnlistTransaction(System.Transactions.Transaction? transaction)
    {
        if (transaction is not null)
        {
            throw new NotSupportedException("Ambient and distributed transactions are not supported. Use BeginTransaction.");
        }
    }

    /// <summary>Makes a command of this connection.</summary>
    public new PgDbCommand CreateCommand() => new(null, this);

    /// <summary>An operation for the next command. It starts with the BEGIN that is owed.</summary>
    internal DataOperation Rent()
    {
        if (_session is not { } session)
        {
            throw new InvalidOperationException("The connection is not open.");
        }

        if (!session.IsOpen)
        {
            throw new PgConnectionException("The connection was lost. Close it, and open another one.");
        }

        if (_reader is not null)
        {
            throw new InvalidOperationException("A reader of this connection is open. Dispose it first, or open a second connection.");
        }

        DataOperation operation = session.Connection.DataOperations.Rent();
        if (_pendingBegin is { } begin)
        {
            operation.Add(begin, isHidden: true);
        }

        return operation;
    }

    /// <param name="operation">What <see cref="Rent"/> gave.</param>
    /// <param name="owner">Who may cancel it: the command or the batch.</param>
    /// <param name="timeout">From when the server can begin with it; zero is no limit.</param>
    /// <param name="cancellationToken">Gives it up.</param>
    internal void Start(DataOperation operation, object owner, TimeSpan timeout, CancellationToken cancellationToken)
    {
        _pendingBegin = null;
        operation.Start(OpenSession.Target, owner, timeout, cancellationToken);
    }

    /// <summary>An operation that was made and is not sent after all.</summary>
    internal static void Drop(DataOperation operation)
    {
        operation.ReaderDone();
        operation.Release();
    }

    internal void ReaderOpened(PgDbDataReader reader) => _reader = reader;

    internal void ReaderClosed(PgDbDataReader reader)
    {
        if (ReferenceEquals(_reader, reader))
        {
            _reader = null;
        }
    }

    /// <summary>BEGIN travels with the transaction's first command.</summary>
    internal void Owe(PgStatement begin) => _pendingBegin = begin;

    /// <summary>True: the BEGIN was not sent, and need not be any more.</summary>
    internal bool TakeBackBegin() => Interlocked.Exchange(ref _pendingBegin, null) is not null;

    internal bool OwesBegin => _pendingBegin is not null;

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
    protected override DbBatch CreateDbBatch() => new PgDbBatch { Connection = this };

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            Close();
        }

        base.Dispose(disposing);
    }

    /// <summary>Sends the BEGIN that is owed. What is sent behind it is answered behind it, so that it is not awaited.</summary>
    private void SendBegin()
    {
        DataOperation operation = Rent();
        operation.IsNonQuery = true;
        Start(operation, this, _source.Source.Options.CommandTimeout, default);
        operation.ReaderDone();
    }

    private PgSession WaitForSession()
    {
        Task<PgSession> opening;
        using (Reactor.TakeOverHere())
        {
            // The runtime's own way: it is completed by the reactor itself, so that an exhausted thread pool does not matter.
            opening = _source.Source.OpenSessionAsync().AsTask();
        }

        using ContextScope scope = Reactor.HandOverHere();
        return opening.GetAwaiter().GetResult();
    }

    private async Task WaitAsync(ValueTask<PgSession> session) => Opened(await session.ConfigureAwait(false));

    private void Opening()
    {
        if (_session is not null)
        {
            throw new InvalidOperationException("The connection is open already.");
        }
    }

    private void Opened(PgSession session)
    {
        _session = session;
        OnStateChange(s_opened);
    }

    private PgSession Leave()
    {
        PgSession session = OpenSession;
        _session = null;
        _pendingBegin = null;
        Transaction?.Abandoned();
        Transaction = null;
        return session;
    }
}
