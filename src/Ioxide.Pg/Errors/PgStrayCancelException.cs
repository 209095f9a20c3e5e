namespace Ioxide.Pg;

/// <summary>The cancel of another command on the same connection ended this one (SQLSTATE 57014).</summary>
/// <remarks>
/// PostgreSQL cancels what a session runs at that moment, so that the request can strike the next command of a pipeline. Such a command is
/// run again unseen where that is safe: a single SELECT, INSERT, UPDATE, DELETE or MERGE outside a transaction, of which no row went to
/// the caller, and on a session only if no other command was started behind it. Any other fails with this exception. It was ended as if
/// it had been cancelled itself: run it again; in a transaction, roll back and run the transaction again.
/// </remarks>
public sealed class PgStrayCancelException : PgException
{
    internal PgStrayCancelException(PgServerMessage fields)
        : base(fields, "The cancel of another command on this connection struck this one. Run it again; in a transaction, run the transaction again.")
    {
    }

    /// <summary>True: nothing is wrong with the command.</summary>
    public override bool IsTransient => true;
}
