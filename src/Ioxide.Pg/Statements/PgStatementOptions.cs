namespace Ioxide.Pg;

/// <summary>What a statement promises.</summary>
[Flags]
public enum PgStatementOptions
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>It is sent unnamed each time and never kept prepared, for text that is made anew for each use.</summary>
    Unprepared = 1,

    /// <summary>
    /// It leaves its session as it was, whatever functions it calls: no setting, no lock, no temporary table is left. Without this promise a
    /// statement that calls a function which is not PostgreSQL's own costs a reset of its session, about 30 microseconds of the server.
    /// </summary>
    KeepsSession = 2,
}
