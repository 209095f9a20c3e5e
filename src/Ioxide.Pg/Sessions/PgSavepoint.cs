namespace Ioxide.Pg;

/// <summary>A point in a transaction to which it can be taken back.</summary>
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

    /// <summary>Keeps what was done since, as part of the transaction.</summary>
    public async ValueTask ReleaseAsync(CancellationToken cancellationToken = default)
    {
        _isOver = true;
        await _session.RunScriptAsync($"RELEASE SAVEPOINT {Name}", cancellationToken).ConfigureAwait(true);
    }

    /// <summary>Undoes what was done since. The transaction goes on, also after a failed command.</summary>
    public async ValueTask RollbackAsync(CancellationToken cancellationToken = default)
    {
        _isOver = true;
        await _session.RunScriptAsync($"ROLLBACK TO SAVEPOINT {Name}", cancellationToken).ConfigureAwait(true);
    }

    /// <summary>Goes back to it unless it was released.</summary>
    public ValueTask DisposeAsync() => _isOver || !_session.IsOpen || !_session.IsInTransaction ? default : RollbackAsync();
}
