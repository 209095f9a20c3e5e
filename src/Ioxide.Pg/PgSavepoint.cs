namespace Ioxide.Pg;

/// <summary>A savepoint: a point in a transaction to roll back to.</summary>
public sealed class PgSavepoint : IAsyncDisposable
{
    private readonly PgSession _session;
    private bool _isOver;

    internal PgSavepoint(PgSession session, string name)
    {
        _session = session;
        Name = name;
    }

    /// <summary>Its name on the server.</summary>
    public string Name { get; }

    /// <summary>Releases the savepoint; later changes stay part of the transaction.</summary>
    [ApplicationSide]
    public async ValueTask ReleaseAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        _isOver = true;
        var release = new ScriptRoundTrip(WireText.Encoding.GetBytes($"RELEASE SAVEPOINT {Name}"));
        try
        {
            await release.RunAsync(_session.Target, cancellationToken).ConfigureAwait(true);
        }
        catch (Exception exception) when (!release.IsWritten || exception is PgException)
        {
            // It is not released: the disposal rolls back to it.
            _isOver = false;
            throw;
        }
    }

    /// <summary>Undoes all changes since the savepoint. The transaction continues, even after a failed command.</summary>
    [ApplicationSide]
    public async ValueTask RollbackAsync(CancellationToken cancellationToken = default)
    {
        _isOver = true;
        try
        {
            await _session.RunScriptAsync($"ROLLBACK TO SAVEPOINT {Name}", cancellationToken).ConfigureAwait(true);
        }
        catch (Exception exception) when (exception is not PgException)
        {
            // It may not have been sent: the disposal sends it again.
            _isOver = false;
            throw;
        }
    }

    /// <summary>Rolls back to the savepoint unless it was released.</summary>
    public ValueTask DisposeAsync() => _isOver || !_session.IsOpen || !_session.IsInTransaction ? default : RollbackAsync();
}
