namespace Ioxide.Pg;

/// <summary>A transaction of a session. It is rolled back on disposal unless it was committed.</summary>
public sealed class PgTransaction : IAsyncDisposable
{
    private int _savepoints;
    private bool _isOver;

    internal PgTransaction(PgSession session) => Session = session;

    /// <summary>The session; its commands are part of the transaction.</summary>
    public PgSession Session { get; }

    /// <summary>Commits the transaction.</summary>
    /// <exception cref="PgException">The server refused the commit; the transaction is rolled back.</exception>
    /// <exception cref="InvalidOperationException">A command of the transaction had failed: everything was rolled back.</exception>
    /// <exception cref="OperationCanceledException">
    /// The token was cancelled. Before the commit was sent, the transaction continues. Otherwise it is over, and whether it was committed is not
    /// known. A <see cref="PgTimeoutException"/> says the same.
    /// </exception>
    [ApplicationSide]
    public async ValueTask CommitAsync(CancellationToken cancellationToken = default)
    {
        PgScriptResult result = await EndAsync("COMMIT", cancellationToken).ConfigureAwait(true);
        if (result.Tag.Command == "ROLLBACK")
        {
            throw new InvalidOperationException("A command of the transaction had failed. The commit rolled everything back.");
        }
    }

    /// <summary>Rolls the transaction back.</summary>
    [ApplicationSide]
    public async ValueTask RollbackAsync(CancellationToken cancellationToken = default)
        => await EndAsync("ROLLBACK", cancellationToken).ConfigureAwait(true);

    /// <summary>Creates a savepoint. Disposing it without a release rolls back to it.</summary>
    [ApplicationSide]
    public async ValueTask<PgSavepoint> SavepointAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfOver();
        var savepoint = new PgSavepoint(Session, $"ioxide_{++_savepoints}");
        await Session.RunScriptAsync($"SAVEPOINT {savepoint.Name}", cancellationToken).ConfigureAwait(true);
        return savepoint;
    }

    /// <summary>Rolls the transaction back unless it was committed.</summary>
    [ApplicationSide]
    public async ValueTask DisposeAsync()
    {
        if (_isOver)
        {
            return;
        }

        _isOver = true;
        if (Session.IsOpen && Session.IsInTransaction)
        {
            await ScriptRoundTrip.EndOfTransaction("ROLLBACK").RunAsync(Session.Target).ConfigureAwait(true);
        }
    }

    private async ValueTask<PgScriptResult> EndAsync(string script, CancellationToken cancellationToken)
    {
        ThrowIfOver();
        _isOver = true;
        var end = ScriptRoundTrip.EndOfTransaction(script);
        try
        {
            return await end.RunAsync(Session.Target, cancellationToken).ConfigureAwait(true);
        }
        catch
        {
            // What was refused or cancelled before it was sent leaves the transaction open: the disposal rolls it back.
            _isOver = !Session.IsOpen || !end.LeavesTransaction;
            throw;
        }
    }

    private void ThrowIfOver()
    {
        if (_isOver)
        {
            throw new InvalidOperationException("The transaction is over.");
        }
    }
}
