namespace Ioxide.Pg;

/// <summary>The promises of a statement.</summary>
[Flags]
public enum PgStatementOptions
{
    /// <summary>No promise.</summary>
    None = 0,

    /// <summary>The statement is sent unnamed and never kept prepared. For text that differs in each use.</summary>
    Unprepared = 1,

    /// <summary>
    /// The statement leaves its session unchanged, whatever functions it calls: no setting, no lock, no temporary table remains. Without this
    /// promise, calling a function that is not PostgreSQL's own costs a reset of the session, about 30 microseconds on the server,
    /// and on a shared connection the commands behind it are sent when it has ended.
    /// </summary>
    KeepsSession = 2,
}
