using System.Globalization;

namespace Ioxide.Pg;

/// <summary>An error or a notice as the server sent it.</summary>
/// <remarks>Source: PostgreSQL manual, 55.8 Error and Notice Message Fields.</remarks>
public sealed partial class PgServerMessage
{
    /// <summary>ERROR, FATAL, PANIC, WARNING, NOTICE, DEBUG, INFO or LOG; never translated.</summary>
    public string Severity { get; private set; } = "ERROR";

    /// <summary>The severity in the server's language.</summary>
    public string LocalizedSeverity { get; private set; } = "ERROR";

    /// <summary>Five characters; see <see cref="PgSqlState"/>.</summary>
    public string SqlState { get; private set; } = "XX000";

    /// <summary>The primary message.</summary>
    public string Message { get; private set; } = "";

    /// <summary>More about the cause, or null.</summary>
    public string? Detail { get; private set; }

    /// <summary>What to do about it, or null.</summary>
    public string? Hint { get; private set; }

    /// <summary>The position in the statement, in characters from 1; 0 if none was sent.</summary>
    public int Position { get; private set; }

    /// <summary>The position in <see cref="InternalQuery"/>, in characters from 1; 0 if none was sent.</summary>
    public int InternalPosition { get; private set; }

    /// <summary>The internally generated statement, or null.</summary>
    public string? InternalQuery { get; private set; }

    /// <summary>The call stack of functions, or null.</summary>
    public string? Where { get; private set; }

    /// <summary>The schema concerned, or null.</summary>
    public string? SchemaName { get; private set; }

    /// <summary>The table concerned, or null.</summary>
    public string? TableName { get; private set; }

    /// <summary>The column concerned, or null.</summary>
    public string? ColumnName { get; private set; }

    /// <summary>The type concerned, or null.</summary>
    public string? DataTypeName { get; private set; }

    /// <summary>The constraint concerned, or null.</summary>
    public string? ConstraintName { get; private set; }

    /// <summary>The server's source file, or null.</summary>
    public string? File { get; private set; }

    /// <summary>The line in that file; 0 if none was sent.</summary>
    public int Line { get; private set; }

    /// <summary>The server's function, or null. It identifies a 0A000 of a cached plan.</summary>
    public string? Routine { get; private set; }

    /// <summary>Whether the server ends the connection with it.</summary>
    public bool IsFatal => Severity is "FATAL" or "PANIC";

    /// <summary>The server's own <c>statement_timeout</c>, recognized by its English text: it shares the code of a cancel request.</summary>
    internal bool IsStatementTimeout => SqlState == PgSqlState.QueryCanceled && Message.Contains("statement timeout", StringComparison.Ordinal);

    /// <inheritdoc/>
    public override string ToString() => $"{Severity} {SqlState}: {Message}";

    private void Set(char code, string value)
    {
        switch (code)
        {
            case 'S': LocalizedSeverity = value; break;
            case 'V': Severity = value; break;
            case 'C': SqlState = value; break;
            case 'M': Message = value; break;
            case 'D': Detail = value; break;
            case 'H': Hint = value; break;
            case 'P': Position = Number(value); break;
            case 'p': InternalPosition = Number(value); break;
            case 'q': InternalQuery = value; break;
            case 'W': Where = value; break;
            case 's': SchemaName = value; break;
            case 't': TableName = value; break;
            case 'c': ColumnName = value; break;
            case 'd': DataTypeName = value; break;
            case 'n': ConstraintName = value; break;
            case 'F': File = value; break;
            case 'L': Line = Number(value); break;
            case 'R': Routine = value; break;
            default: break; // The protocol requires that fields of later versions are ignored.
        }
    }

    private static int Number(string value)
        => int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out int number) ? number : 0;
}
