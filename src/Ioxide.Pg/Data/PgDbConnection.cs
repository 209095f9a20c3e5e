using System.Data;
using System.Data.Common;

namespace Ioxide.Pg.Data;

/// <summary>A connection of ADO.NET: while it is open it has a <see cref="PgSession"/> for itself.</summary>
/// <remarks>
/// <para>One that is made with a connection string shares its pools with all others of the same string in the process. They live on the
/// caller's reactor, else on those of the running host, else on reactors of the process, which are made on first use. They end with their
/// reactors.</para>
/// <para>Threads: any, one at a time. On a reactor a synchronous method blocks the calling handler; the reactor serves its other connections
/// meanwhile, and runs their code on the thread pool. What a library does behind <c>ConfigureAwait(false)</c> on a task of this facade runs
/// on the reactor, but without its context.</para>
/// </remarks>
public partial class PgDbConnection : DbConnection
{
    private static readonly StateChangeEventArgs s_opened = new(ConnectionState.Closed, ConnectionState.Open);
    private static readonly StateChangeEventArgs s_closed = new(ConnectionState.Open, ConnectionState.Closed);

    private PgSession? _session;
    private PgDbDataReader? _reader;
    private PgStatement? _pendingBegin;
    private bool _isDisposed;

    /// <summary>Makes one whose <see cref="ConnectionString"/> is to be set.</summary>
    public PgDbConnection()
    {
    }

    /// <summary>Makes one with a connection string.</summary>
    /// <param name="connectionString">See <see cref="PgDataSourceOptions.Parse"/>. <c>Maximum Pool Size</c> is 100 where it does not say it.</param>
    /// <exception cref="ArgumentException">It is malformed.</exception>
    /// <remarks>
    /// For Dapper take connections from <see cref="PgDbDataSource"/> or <see cref="PgDbProviderFactory"/>: of others it does not know that
    /// they take arrays.
    /// </remarks>
    public PgDbConnection(string? connectionString) => ConnectionString = connectionString;

    private protected PgDbConnection(PgDbDataSource source) => _bound = _source = source;

    /// <inheritdoc/>
    public override string ServerVersion => OpenSession.ServerParameters.GetValueOrDefault("server_version", "");

    /// <inheritdoc/>
    public override ConnectionState State
        => _session is null ? ConnectionState.Closed : _session.IsOpen ? ConnectionState.Open : ConnectionState.Broken;

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

    /// <summary>The session, without a BEGIN that is owed.</summary>
    internal PgSession OpenSession => _session ?? throw new InvalidOperationException("The connection is not open.");

    internal PgDbTransaction? Transaction { get; set; }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">It is open, or has no connection string.</exception>
    /// <exception cref="RingUnavailableException">The host refuses io_uring; it says why and what to do.</exception>
    /// <exception cref="PgConnectionException">The server cannot be reached.</exception>
    public override void Open()
    {
        PgDbDataSource source = Opening();
        if (TryReopen(source))
        {
            return;
        }

        Opened(BlockingWait.For((this, source), static state => state.Item1.SessionAsync(state.source, CancellationToken.None)));
    }

    /// <inheritdoc cref="Open"/>
    public override Task OpenAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled(cancellationToken);
        }

        PgDbDataSource source = Opening();
        if (TryReopen(source))
        {
            return Task.CompletedTask;
        }

        ValueTask<PgSession> session = source.Source.OpenSessionAsync(cancellationToken);
        if (!session.IsCompletedSuccessfully)
        {
            return WaitAsync(source, session, cancellationToken);
        }

        Opened((source, session.Result));
        return Task.CompletedTask;
    }

    /// <summary>Gives the session back. An open reader is closed and an open transaction rolled back.</summary>
    public override void Close()
    {
        _reader?.Close();
        if (_session is not null)
        {
            AmbientTransaction? ambient = _ambient;
            PgSession session = Leave();
            if (ambient?.TryPark() != true)
            {
                // It never waits: what is to be undone is undone behind the scenes.
                _ = session.DisposeAsync().AsTask();
            }

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
        _isDisposed = true;
        await CloseAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
        GC.SuppressFinalize(this);
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

        if (_aborted is not null)
        {
            ThrowIfAborted();
        }

        DataOperation operation = DataOperation.Rent(session.Connection.SpareOperations);
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
        if (_pendingBegin is not null)
        {
            _pendingBegin = null;
            _ambient?.OwesBegin = false;
        }

        operation.Start(OpenSession.Target, owner, timeout, cancellationToken);
    }

    /// <summary>An operation that was made and is not sent after all.</summary>
    internal static void Drop(DataOperation operation)
    {
        operation.ReaderDone();
        operation.Release();
    }

    internal bool HasOpenReader => _reader is not null;

    internal void ReaderOpened(PgDbDataReader reader) => _reader = reader;

    /// <summary>Whether a reader of this command is open.</summary>
    internal bool IsReading(object owner) => ReferenceEquals(_reader?.Owner, owner);

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
            _isDisposed = true;
            Close();
        }

        base.Dispose(disposing);
    }

    /// <summary>Sends the BEGIN that is owed. What is sent behind it is answered behind it, so that it is not awaited.</summary>
    private void SendBegin()
    {
        DataOperation operation = Rent();
        operation.IsNonQuery = true;
        Start(operation, this, Source.Source.Options.CommandTimeout, default);
        operation.ReaderDone();
    }

    /// <summary>A session. Shared pools that were closed in between are made anew.</summary>
    private async ValueTask<(PgDbDataSource Source, PgSession Session)> SessionAsync(PgDbDataSource source, CancellationToken cancellationToken)
    {
        while (true)
        {
            try
            {
                return (source, await source.Source.OpenSessionAsync(cancellationToken).ConfigureAwait(false));
            }
            catch (ObjectDisposedException) when (_text is not null && source.IsClosed)
            {
                source = FindSource();
            }
        }
    }

    private async Task WaitAsync(PgDbDataSource source, ValueTask<PgSession> opening, CancellationToken cancellationToken)
    {
        try
        {
            Opened((source, await opening.ConfigureAwait(false)));
        }
        catch (ObjectDisposedException) when (_text is not null && source.IsClosed)
        {
            Opened(await SessionAsync(FindSource(), cancellationToken).ConfigureAwait(false));
        }
    }

    private PgDbDataSource Opening()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (_session is not null)
        {
            throw new InvalidOperationException("The connection is open already.");
        }

        PgDbDataSource source = FindSource();
        _joining = source.Source.Options.Enlist ? System.Transactions.Transaction.Current : null;
        return source;
    }

    private void Opened((PgDbDataSource Source, PgSession Session) opened)
    {
        (_source, _session) = opened;
        Join();
        _wasOpened = true;
        OnStateChange(s_opened);
    }

    private PgSession Leave()
    {
        PgSession session = OpenSession;
        _session = null;
        _pendingBegin = null;
        _ambient = null;
        _aborted = null;
        Transaction?.Abandoned();
        Transaction = null;
        return session;
    }
}
