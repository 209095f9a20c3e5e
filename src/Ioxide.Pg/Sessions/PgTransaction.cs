using System.Text;

namespace Ioxide.Pg;

/// <summary>Isolation of a transaction. Source: PostgreSQL manual, 13.2 Transaction Isolation.</summary>
public enum PgIsolation
{
    /// <summary>What the server is set to, normally read committed.</summary>
    Default,

    /// <summary>Each command sees what was committed before it began.</summary>
    ReadCommitted,

    /// <summary>All commands see what was committed before the first of them.</summary>
    RepeatableRead,

    /// <summary>As if the transactions had run one after the other; one may fail with 40001 and be repeated.</summary>
    Serializable,
}

/// <summary>How a transaction is begun.</summary>
/// <param name="Isolation">Defaults to the server's setting.</param>
/// <param name="ReadOnly">Null is the server's setting.</param>
/// <param name="Deferrable">With serializable and read only: waits until no failure can come.</param>
public sealed record PgTransactionOptions(PgIsolation Isolation = PgIsolation.Default, bool? ReadOnly = null, bool Deferrable = false)
{
    internal static readonly PgTransactionOptions Default = new();

    internal string ToSql()
    {
        var sql = new StringBuilder("BEGIN");
        sql.Append(Isolation switch
        {
            PgIsolation.ReadCommitted => " ISOLATION LEVEL READ COMMITTED",
            PgIsolation.RepeatableRead => " ISOLATION LEVEL REPEATABLE READ",
            PgIsolation.Serializable => " ISOLATION LEVEL SERIALIZABLE",
            _ => "",
        });
        sql.Append(ReadOnly switch { true => " READ ONLY", false => " READ WRITE", null => "" });
        sql.Append(Deferrable ? " DEFERRABLE" : "");
        return sql.ToString();
    }
}

/// <summary>A transaction of a session. It is rolled back on disposal unless it was committed.</summary>
public sealed class PgTransaction : IAsyncDisposable
{
    private int _savepoints;
    private bool _isOver;

    internal PgTransaction(PgSession session) => Session = session;

    /// <summary>The session; its commands are part of the transaction.</summary>
    public PgSession Session { get; }

    /// <summary>Makes the changes lasting.</summary>
    /// <exception cref="PgException">The server refused; the transaction is rolled back.</exception>
    /// <exception cref="InvalidOperationException">A command of it had failed: everything was rolled back.</exception>
    public async ValueTask CommitAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfOver();
        _isOver = true;
        PgScriptResult result = await Session.RunScriptAsync("COMMIT", cancellationToken).ConfigureAwait(true);
        if (result.Tag.Command == "ROLLBACK")
        {
            throw new InvalidOperationException("A command of the transaction had failed. The commit rolled everything back.");
        }
    }

    /// <summary>Undoes the changes.</summary>
    public async ValueTask RollbackAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfOver();
        _isOver = true;
        await Session.RunScriptAsync("ROLLBACK", cancellationToken).ConfigureAwait(true);
    }

    /// <summary>A point to which the transaction can be taken back. Dispose it without a release to go back to it.</summary>
    public async ValueTask<PgSavepoint> SavepointAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfOver();
        var savepoint = new PgSavepoint(Session, $"ioxide_{++_savepoints}");
        await Session.RunScriptAsync($"SAVEPOINT {savepoint.Name}", cancellationToken).ConfigureAwait(true);
        return savepoint;
    }

    /// <summary>Rolls back what was not committed.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_isOver)
        {
            return;
        }

        _isOver = true;
        if (Session.IsOpen && Session.IsInTransaction)
        {
            await Session.RunScriptAsync("ROLLBACK").ConfigureAwait(true);
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
