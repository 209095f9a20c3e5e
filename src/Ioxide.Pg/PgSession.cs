using System.Text;

namespace Ioxide.Pg;

/// <summary>A connection in exclusive use until it is disposed: settings, transactions, COPY, large results.</summary>
/// <remarks>
/// Commands that are started together are pipelined, in order. Threads: any, one at a time. Disposal rolls an open transaction back, and
/// resets the session before its next user.
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
    /// The current settings that the server reports, such as <c>server_version</c> and <c>TimeZone</c>. The dictionary is immutable: read the
    /// property again after a change. Threads: any.
    /// </summary>
    public IReadOnlyDictionary<string, string> ServerParameters => Connection.Session.Parameters;

    /// <summary>Whether a transaction is open, including one that failed and can only be rolled back.</summary>
    public bool IsInTransaction => Connection.State.IsInTransaction;

    /// <summary>Whether the session can still be used.</summary>
    public bool IsOpen => Volatile.Read(ref _isDisposed) == 0 && !Connection.IsBroken;

    internal ReactorPool Pool { get; }

    internal ServerConnection Connection { get; }

    internal CommandTarget Target => _target;

    /// <summary>Its entry among the holders of sessions; null where they are not traced.</summary>
    internal TracedLease? Lease { get; set; }

    private protected override CommandTarget NextTarget => _target;

    /// <summary>Runs any number of statements, separated by semicolons, without parameters.</summary>
    /// <returns>The rows of the last statement that returned any, as text.</returns>
    public ValueTask<PgScriptResult> RunScriptAsync(string sql, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(sql);
        return new ScriptRoundTrip(WireText.Encoding.GetBytes(sql)).RunAsync(_target, cancellationToken);
    }

    /// <summary>Begins a transaction. Disposing it without a commit rolls it back.</summary>
    [ApplicationSide]
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
    /// Marks the session as changed, so that it is reset when it is disposed. Needed only for changes that no text names, such as a view or an
    /// operator that calls a function. Commands and functions that may change a session are detected automatically.
    /// </summary>
    public void MarkDirty() => Connection.State.MarkDirty();

    /// <summary>
    /// Asks the server to cancel the session's running command. Returns when the server has handled the request. Does nothing after the disposal.
    /// </summary>
    [ApplicationSide]
    public async ValueTask CancelAsync()
    {
        // A session that was cancelled goes back by way of the reactor.
        _target.Cancels();
        await ReactorWork.OnReactorAsync(
            Pool.Reactor,
            async () =>
            {
                await Connection.Cancels.CancelRunningAsync(_target).ConfigureAwait(true);
                return true;
            }).ConfigureAwait(true);
    }

    /// <summary>Returns the connection.</summary>
    public ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
        {
            return default;
        }

        Lease?.Dispose();
        _target.Close();
        Pool.SessionEnds();
        if (Pool.Reactor.IsCurrent)
        {
            using ContextScope scope = Pool.Reactor.EnterRuntime();
            Leave();
        }
        else if (!_target.HasEndedAll || !Pool.Lanes.AtHand.TryKeep(Connection))
        {
            Pool.Reactor.Enqueue(this, static session => session.Leave());
        }

        return default;
    }

    private void Leave()
    {
        _target.CancelOpen();
        Pool.GiveBack(Connection);
    }
}
