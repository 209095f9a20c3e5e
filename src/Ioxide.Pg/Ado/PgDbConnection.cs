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
    private PgDbDataReader? _reader;
    private PgStatement? _pendingBegin;
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

    /// <summary>The session of the open connection. Its commands are part of the connection's transaction.</summary>
    /// <exception cref="InvalidOperationException">The connection is not open.</exception>
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

    /// <summary>The session, without sending a pending BEGIN.</summary>
    internal PgSession OpenSession => _session ?? throw new InvalidOperationException("The connection is not open.");

    internal PgSession? SessionOrNull => _session;

    internal PgDbTransaction? Transaction { get; set; }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The connection is already open, or has no connection string.</exception>
    /// <exception cref="RingUnavailableException">The host refuses io_uring. The message has the cause and the remedy.</exception>
    /// <exception cref="PgConnectionException">The server cannot be reached.</exception>
    public override void Open()
    {
        PgDbDataSource source = Opening();
        if (TryReopen(source))
        {
            return;
        }

        while (true)
        {
            try
            {
                // The reactor wakes this thread. An async method in between would wait for a thread of the pool, and all of them may wait here.
                PgSession session = BlockingWait.For(source, static source => source.Source.OpenSessionAsync());
                LoadTypes(source, session);
                Opened((source, session));
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

        PgDbDataSource source = Opening();
        if (TryReopen(source))
        {
            return Task.CompletedTask;
        }

        ValueTask<PgSession> session = source.Source.OpenSessionAsync(cancellationToken);
        if (!session.IsCompletedSuccessfully || source.NeedsTypes)
        {
            return WaitAsync(source, session, cancellationToken);
        }

        Opened((source, session.Result));
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

    /// <summary>Creates a command of this connection.</summary>
    /// <exception cref="ObjectDisposedException">The connection was disposed.</exception>
    public new PgDbCommand CreateCommand()
    {
        ThrowIfDisposed();
        return new PgDbCommand(null, this);
    }

    /// <summary>Rents a round trip for the next command. It starts with the pending BEGIN.</summary>
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

        if (_aborted is not null)
        {
            ThrowIfAborted();
        }

        DataRoundTrip roundTrip = DataRoundTrip.Rent(session.Connection.SpareRoundTrips);
        if (_pendingBegin is { } begin)
        {
            roundTrip.Add(begin, isHidden: true);
        }

        return roundTrip;
    }

    /// <param name="roundTrip">The round trip from <see cref="Rent"/>.</param>
    /// <param name="owner">The command or batch that may cancel it.</param>
    /// <param name="timeout">The limit from when the server can begin with it; zero means no limit.</param>
    /// <param name="cancellationToken">Abandons the round trip.</param>
    internal void Start(DataRoundTrip roundTrip, object owner, TimeSpan timeout, CancellationToken cancellationToken)
    {
        if (_pendingBegin is not null)
        {
            _pendingBegin = null;
            _ambient?.OwesBegin = false;
        }

        roundTrip.Owner = owner;
        roundTrip.Submit(OpenSession.Target, timeout, cancellationToken);
    }

    /// <summary>Drops a round trip that was rented and is not sent.</summary>
    internal static void Drop(DataRoundTrip roundTrip)
    {
        roundTrip.ReaderDone();
        roundTrip.Release();
    }

    internal bool HasOpenReader => _reader is not null;

    /// <summary>Closes the open reader; an error of what it left unread is not the caller's any more.</summary>
    internal void CloseReader()
    {
        try
        {
            _reader?.LeavingConnection().Close();
        }
        catch (PgException)
        {
        }
    }

    internal async ValueTask CloseReaderAsync()
    {
        try
        {
            if (_reader is { } reader)
            {
                await reader.LeavingConnection().CloseAsync().ConfigureAwait(false);
            }
        }
        catch (PgException)
        {
        }
    }

    internal void ThrowIfDisposed() => ObjectDisposedException.ThrowIf(_isDisposed, this);

    internal void ThrowIfReading()
    {
        if (_reader is not null)
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

    /// <summary>Sends BEGIN together with the transaction's first command.</summary>
    internal void Owe(PgStatement begin) => _pendingBegin = begin;

    /// <summary>True: the BEGIN was not sent, and is no longer needed.</summary>
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

    /// <summary>Sends the pending BEGIN without awaiting it: later commands are answered after it.</summary>
    private void SendBegin()
    {
        DataRoundTrip roundTrip = Rent();
        roundTrip.IsNonQuery = true;
        Start(roundTrip, this, Source.Source.Options.CommandTimeout, default);
        roundTrip.ReaderDone();
    }

    /// <summary>Opens a session. Shared pools that were closed meanwhile are created again.</summary>
    private async ValueTask<(PgDbDataSource Source, PgSession Session)> SessionAsync(PgDbDataSource source, CancellationToken cancellationToken)
    {
        while (true)
        {
            try
            {
                PgSession session = await source.Source.OpenSessionAsync(cancellationToken).ConfigureAwait(false);
                await LoadTypesAsync(source, session, cancellationToken).ConfigureAwait(false);
                return (source, session);
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
            PgSession session = await opening.ConfigureAwait(false);
            await LoadTypesAsync(source, session, cancellationToken).ConfigureAwait(false);
            Opened((source, session));
        }
        catch (ObjectDisposedException) when (_text is not null && source.IsClosed)
        {
            Opened(await SessionAsync(FindSource(), cancellationToken).ConfigureAwait(false));
        }
    }

    private PgDbDataSource Opening()
    {
        ThrowIfDisposed();
        NoticeLoss();
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
