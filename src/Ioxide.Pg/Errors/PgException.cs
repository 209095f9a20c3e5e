using System.Data.Common;
using System.Globalization;
using System.Text;

namespace Ioxide.Pg;

/// <summary>An error that the server reported, with every field that it sent.</summary>
/// <remarks>Source: PostgreSQL manual, 55.8 Error and Notice Message Fields. It never contains parameter values.</remarks>
public class PgException : DbException
{
    internal PgException(PgServerMessage fields, Exception? inner = null)
        : base(Describe(fields), inner) => Fields = fields;

    private protected PgException(PgServerMessage fields, string remark)
        : base($"{Describe(fields)} {remark}") => Fields = fields;

    /// <summary>All fields of the error.</summary>
    public PgServerMessage Fields { get; }

    /// <summary>Five characters; see <see cref="PgSqlState"/>.</summary>
    public override string SqlState => Fields.SqlState;

    /// <summary>The primary message only.</summary>
    public string MessageText => Fields.Message;

    /// <summary>More about the cause, or null.</summary>
    public string? Detail => Fields.Detail;

    /// <summary>What to do about it, or null.</summary>
    public string? Hint => Fields.Hint;

    /// <summary>The position in the statement, in characters from 1; 0 if the server sent none.</summary>
    public int Position => Fields.Position;

    /// <summary>The schema concerned, or null.</summary>
    public string? SchemaName => Fields.SchemaName;

    /// <summary>The table concerned, or null.</summary>
    public string? TableName => Fields.TableName;

    /// <summary>The column concerned, or null.</summary>
    public string? ColumnName => Fields.ColumnName;

    /// <summary>The type concerned, or null.</summary>
    public string? DataTypeName => Fields.DataTypeName;

    /// <summary>The constraint that was violated, or null.</summary>
    public string? ConstraintName => Fields.ConstraintName;

    /// <summary>Whether the same command may succeed when it is sent again.</summary>
    public override bool IsTransient => PgSqlState.IsTransient(SqlState);

    /// <summary>The index of the failed command in its batch, from 0; -1 outside a batch, and where all commands ran and the commit failed.</summary>
    public int BatchIndex { get; internal set; } = -1;

    /// <inheritdoc/>
    protected override DbBatchCommand? DbBatchCommand => FailedCommand;

    /// <summary>The command of an ADO.NET batch that failed.</summary>
    internal DbBatchCommand? FailedCommand { get; set; }

    /// <summary>A prepared statement no longer returns the columns that it returned when it was prepared.</summary>
    internal bool IsResultChanged => SqlState == PgSqlState.FeatureNotSupported && Fields.Routine == "RevalidateCachedQuery";

    /// <summary>The driver's addition to the message; or null.</summary>
    internal string? Advice { get; set; }

    /// <inheritdoc/>
    public override string Message => Advice is null ? base.Message : $"{base.Message} {Advice}";

    private static string Describe(PgServerMessage fields)
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"{fields.SqlState}: {fields.Message}");
        if (fields.Position > 0)
        {
            text.Append(CultureInfo.InvariantCulture, $" (at character {fields.Position})");
        }

        if (fields.Hint is { } hint)
        {
            text.Append(CultureInfo.InvariantCulture, $" Hint: {hint}");
        }

        return text.ToString();
    }
}
