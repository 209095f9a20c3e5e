using System.Data.Common;
using System.Globalization;
using System.Text;

namespace Ioxide.Pg;

/// <summary>An error that the server reported, with every field that it sent.</summary>
/// <remarks>Source: PostgreSQL manual, 55.8 Error and Notice Message Fields. Values of parameters are never part of it.</remarks>
public class PgException : DbException
{
    internal PgException(PgServerMessage fields, Exception? inner = null)
        : base(Describe(fields), inner) => Fields = fields;

    private protected PgException(PgServerMessage fields, string remark)
        : base($"{Describe(fields)} {remark}") => Fields = fields;

    /// <summary>The message with all its fields.</summary>
    public PgServerMessage Fields { get; }

    /// <summary>Five characters; see <see cref="PgSqlState"/>.</summary>
    public override string SqlState => Fields.SqlState;

    /// <summary>The primary message alone.</summary>
    public string MessageText => Fields.Message;

    /// <summary>More about the cause, or null.</summary>
    public string? Detail => Fields.Detail;

    /// <summary>What to do about it, or null.</summary>
    public string? Hint => Fields.Hint;

    /// <summary>Character of the statement that it is about, from 1; 0 where the server named none.</summary>
    public int Position => Fields.Position;

    /// <summary>The schema that it is about, or null.</summary>
    public string? SchemaName => Fields.SchemaName;

    /// <summary>The table that it is about, or null.</summary>
    public string? TableName => Fields.TableName;

    /// <summary>The column that it is about, or null.</summary>
    public string? ColumnName => Fields.ColumnName;

    /// <summary>The type that it is about, or null.</summary>
    public string? DataTypeName => Fields.DataTypeName;

    /// <summary>The constraint that was violated, or null.</summary>
    public string? ConstraintName => Fields.ConstraintName;

    /// <summary>Whether the same command may succeed when it is sent again.</summary>
    public override bool IsTransient => PgSqlState.IsTransient(SqlState);

    /// <summary>The command of a batch that failed, from 0; -1 outside a batch.</summary>
    public int BatchIndex { get; internal set; } = -1;

    /// <inheritdoc/>
    protected override DbBatchCommand? DbBatchCommand => FailedCommand;

    /// <summary>The command of an ADO.NET batch that failed.</summary>
    internal DbBatchCommand? FailedCommand { get; set; }

    /// <summary>A prepared statement no longer returns the columns that it returned when it was prepared.</summary>
    internal bool IsResultChanged => SqlState == PgSqlState.FeatureNotSupported && Fields.Routine == "RevalidateCachedQuery";

    /// <summary>What the driver adds to the message; or null.</summary>
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
