namespace Ioxide.Pg.Data;

/// <summary>The BEGIN of a transaction, which is sent with the transaction's first command.</summary>
/// <remarks>
/// A command that ends before the server has begun the transaction leaves the BEGIN to the next: it was refused or withdrawn before it was
/// written, or failed at the BEGIN itself. One that was made before that was known is refused. Threads: the connection's user takes it along, the
/// reactor does the rest.
/// </remarks>
internal sealed class TransactionBegin(PgStatement statement)
{
    // Commands that took it along and have not ended on the server.
    private int _underway;
    private bool _isBegun;

    internal PgStatement Statement { get; } = statement;

    /// <summary>The server has begun the transaction.</summary>
    internal bool IsBegun => Volatile.Read(ref _isBegun);

    /// <summary>The server does not know the transaction, and no command is on its way that could begin it.</summary>
    /// <remarks>In this order: a command that has ended has told before whether it began the transaction.</remarks>
    internal bool IsOwed => Volatile.Read(ref _underway) == 0 && !IsBegun;

    /// <summary>A command takes it along.</summary>
    internal void Take() => Interlocked.Increment(ref _underway);

    /// <summary>The server has answered it.</summary>
    internal void Begun() => Volatile.Write(ref _isBegun, true);

    /// <summary>The transaction was rolled back, and a command that took it along is sent again.</summary>
    internal void Again() => Volatile.Write(ref _isBegun, false);

    /// <summary>A command that took it along has ended on the server, or will not come there.</summary>
    internal void Settle() => Interlocked.Decrement(ref _underway);
}
