namespace Ioxide.Pg.Tests;

/// <summary>What a step of a script does.</summary>
internal enum StepKind
{
    /// <summary>Runs one statement.</summary>
    Command,

    /// <summary>Runs several statements as a batch.</summary>
    Batch,

    /// <summary>Runs several statements as one text.</summary>
    Text,

    /// <summary>Begins a transaction by its method; the name is the isolation level, or empty.</summary>
    Begin,

    /// <summary>Commits it.</summary>
    Commit,

    /// <summary>Rolls it back.</summary>
    Rollback,

    /// <summary>Makes a savepoint of the step's name.</summary>
    Save,

    /// <summary>Goes back to it.</summary>
    RollbackTo,

    /// <summary>Releases it.</summary>
    Release,

    /// <summary>Copies the step's data into a table.</summary>
    CopyIn,

    /// <summary>Copies a table out.</summary>
    CopyOut,

    /// <summary>Cancels the first statement while it sleeps; the others run beside it.</summary>
    Cancel,

    /// <summary>Runs all statements at once.</summary>
    Flock,
}

/// <summary>How a statement is run.</summary>
internal enum StepMode
{
    /// <summary>All rows are read.</summary>
    Reader,

    /// <summary>Rows are read in the order of their columns, as they come.</summary>
    Streamed,

    /// <summary>Two rows are read, the rest is left.</summary>
    Few,

    /// <summary>Only the count is asked for.</summary>
    NonQuery,

    /// <summary>Only the first value is asked for.</summary>
    Scalar,

    /// <summary>It is prepared first.</summary>
    Prepared,

    /// <summary>A COPY is given up.</summary>
    GivenUp,
}

/// <summary>One step of a script.</summary>
/// <param name="Kind">What it does.</param>
/// <param name="Statements">What it runs.</param>
/// <param name="Mode">How.</param>
/// <param name="IsShared">On any connection of the data source, not on the script's own.</param>
/// <param name="Name">A savepoint, an isolation level, or the data of a COPY.</param>
internal sealed record ScriptStep(
    StepKind Kind, IReadOnlyList<ScriptStatement> Statements, StepMode Mode = StepMode.Reader, bool IsShared = false, string Name = "")
{
    private const int ShownLength = 200;

    public override string ToString()
        => $"{Kind}{(Mode == StepMode.Reader ? "" : $" {Mode}")}{(IsShared ? " shared" : "")}{(Name.Length > 0 ? $" [{(Name.Length > ShownLength ? $"{Name.Length} characters" : Name.ReplaceLineEndings("\\n"))}]" : "")} "
            + string.Join("; ", Statements);
}
