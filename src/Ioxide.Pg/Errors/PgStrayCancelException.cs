namespace Ioxide.Pg;

/// <summary>A cancel request for another command on the same connection ended this one (SQLSTATE 57014).</summary>
/// <remarks>
/// PostgreSQL cancels the command that the session runs when the request arrives, so a request can strike the next command of a pipeline. A
/// struck command is run again automatically if that is safe: a single SELECT, INSERT, UPDATE, DELETE or MERGE outside a transaction, of which
/// no row went to the caller, and on a session only if no other command was started after it. Any other fails with this exception, as
/// if it had been cancelled itself: run it again; in a transaction, roll back and run the transaction again.
/// </remarks>
public sealed class PgStrayCancelException : PgException
{
    internal PgStrayCancelException(PgServerMessage fields)
        : base(fields, "The cancel of another command on this connection struck this one. Run it again; in a transaction, run the transaction again.")
    {
    }

    /// <summary>True: the command itself is not at fault.</summary>
    public override bool IsTransient => true;
}
