using System.Text;

namespace Ioxide.Pg;

/// <summary>A connection for one user alone, until it is disposed: settings, transactions, COPY, large results.</summary>
/// <remarks>
/// Commands that are started together are pipelined, in order. Threads: any, one at a time. On disposal an open transaction is rolled
/// back, and what the session changed is undone before the next user gets the connection.
/// </remarks>
public sealed partial class PgSession : PgExecutor, IAsyncDisposable
{
    private readonly SessionTarget _target;
    private int _isDisposed;

    internal PgSession(ReactorPool pool, ServerConnection connection)
    {
        Pool = pool;
        Connection = connection;
        _target = new SessionTarget(pool, connection);
    }

    /// <summary>The server's process, as <c>pg_stat_activity</c> shows it.</summary>
    public int ProcessId => Connection.ProcessId;

    /// <summary>
    /// Settings that the server reports by itself, such as <c>server_version</c> and <c>TimeZone</c>, as they are now: what was read stays as it
    /// is when the server reports a change. Threads: any.
    /// </summary>
    public IReadOnlyDictionary<string, string> ServerParameters => Connection.ServerParameters;

    /// <summary>Whether a transaction is open, also one that failed and can only be rolled back.</summary>
    public bool IsInTransaction => Connection.TransactionStatus != (byte)'I';

    /// <summary>Whether the connection is still there.</summary>
    public bool IsOpen => Volatile.Read(ref _isDisposed) == 0 && !Connection.IsBroken;

    internal ReactorPool Pool { get; }

    internal ServerConnection Connection { get; }

    internal CommandTarget Target => _target;

    private protected override CommandTarget NextTarget => _target;

    /// <summary>Runs any number of statements, separated by semicolons, without parameters.</summary>
    /// <returns>The rows of the last statement that returned any, as text.</returns>
    public ValueTask<PgScriptResult> RunScriptAsync(string sql, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(sql);
        return new ScriptOperation(Encoding.UTF8.GetBytes(sql)).RunAsync(_target, cancellationToken);
    }

    /// <summary>Begins a transaction. Dispose it without a commit to roll it back.</summary>
    public async ValueTask<PgTransaction> BeginAsync(PgTransactionOptions? options = null, CancellationToken cancellationToken = default)
    {
        if (IsInTransaction)
        {
            throw new InvalidOperationException($"A transaction is open already. {nameof(PgTransaction.SavepointAsync)} nests one in it.");
        }

        await RunScriptAsync((options ?? PgTransactionOptions.Default).ToSql(), cancellationToken).ConfigureAwait(true);
        return new PgTransaction(this);
    }

    /// <summary>
    /// Says that the session was changed by what no text names, such as a view or an operator that calls a function. It is then reset when it
    /// is disposed. Commands and functions that may change a session are noticed without this call.
    /// </summary>
    public void MarkDirty() => Connection.MarkDirty();

    /// <summary>Asks the server to cancel what the session runs. Returns when the server has seen to it.</summary>
    public async ValueTask CancelAsync()
        => await ReactorWork.OnReactorAsync(
            Pool.Reactor,
            async () =>
            {
                await Connection.CancelRunningAsync().ConfigureAwait(true);
                return true;
            }).ConfigureAwait(true);

    /// <summary>Gives the connection back.</summary>
    public ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
        {
            return default;
        }

        _target.Close();
        Pool.SessionEnds();
        if (Pool.Reactor.IsCurrent)
        {
            using ContextScope scope = Pool.Reactor.TakeOver();
            Leave();
        }
        else
        {
            Pool.Reactor.Enqueue(new WorkItem(static (session, _, _, _) => ((PgSession)session!).Leave(), this));
        }

        return default;
    }

    private void Leave()
    {
        Connection.EndSession(_target);
        Pool.GiveBack(Connection);
    }
}
