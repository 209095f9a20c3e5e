using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Ioxide.Pg.Data;

/// <summary>Generates INSERT, UPDATE and DELETE for a SELECT of one table with a primary key. Threads: one at a time.</summary>
public sealed class PgDbCommandBuilder : DbCommandBuilder
{
    /// <summary>Creates a builder.</summary>
    public PgDbCommandBuilder()
        : this(null)
    {
    }

    /// <summary>Creates a builder for the SELECT of an adapter, and supplies that adapter with its commands.</summary>
    public PgDbCommandBuilder(PgDbDataAdapter? adapter)
    {
        DataAdapter = adapter;
        QuotePrefix = QuoteSuffix = "\"";
    }

    /// <summary>The adapter whose SELECT it reads.</summary>
    public new PgDbDataAdapter? DataAdapter
    {
        get => (PgDbDataAdapter?)base.DataAdapter;
        set => base.DataAdapter = value;
    }

    /// <summary>A double quote; no other value is accepted.</summary>
    [AllowNull]
    public override string QuotePrefix
    {
        get => base.QuotePrefix;
        set => base.QuotePrefix = Quote(value);
    }

    /// <inheritdoc cref="QuotePrefix"/>
    [AllowNull]
    public override string QuoteSuffix
    {
        get => base.QuoteSuffix;
        set => base.QuoteSuffix = Quote(value);
    }

    /// <summary>Quotes a name for SQL: <c>a"b</c> becomes <c>"a""b"</c>.</summary>
    public override string QuoteIdentifier(string unquotedIdentifier)
    {
        ArgumentNullException.ThrowIfNull(unquotedIdentifier);
        return SqlName.Quote(unquotedIdentifier);
    }

    /// <inheritdoc/>
    public override string UnquoteIdentifier(string quotedIdentifier)
    {
        ArgumentNullException.ThrowIfNull(quotedIdentifier);
        string inner = quotedIdentifier is ['"', .., '"'] ? quotedIdentifier[1..^1] : quotedIdentifier;
        return inner.Replace("\"\"", "\"", StringComparison.Ordinal);
    }

    /// <summary>
    /// Fills the parameters of a command: those that its text names, with the types that the server infers, or those of the routine that it calls
    /// (<see cref="CommandType.StoredProcedure"/>), from the catalogue.
    /// </summary>
    /// <exception cref="InvalidOperationException">The command has no open connection, or no text.</exception>
    /// <exception cref="PgException">The server refuses the text; there is no such routine (42883), or more than one (42725).</exception>
    /// <exception cref="NotSupportedException">The text is the name of a table.</exception>
    public static void DeriveParameters(PgDbCommand command)
    {
        ArgumentNullException.ThrowIfNull(command);
        PgDbConnection connection = (PgDbConnection?)command.Connection ?? throw new InvalidOperationException("The command has no connection.");
        connection.ThrowIfReading();
        CommandRun.RequireText(command.CommandText);
        switch (command.CommandType)
        {
            case CommandType.StoredProcedure:
                DerivedParameters.OfRoutine(command, connection);
                break;
            case CommandType.Text:
                DerivedParameters.OfText(command, connection);
                break;
            default:
                throw new NotSupportedException("A table has no parameters to derive.");
        }
    }

    /// <inheritdoc cref="DbCommandBuilder.GetInsertCommand()"/>
    public new PgDbCommand GetInsertCommand() => (PgDbCommand)base.GetInsertCommand();

    /// <inheritdoc cref="DbCommandBuilder.GetInsertCommand(bool)"/>
    public new PgDbCommand GetInsertCommand(bool useColumnsForParameterNames) => (PgDbCommand)base.GetInsertCommand(useColumnsForParameterNames);

    /// <inheritdoc cref="DbCommandBuilder.GetUpdateCommand(bool)"/>
    public new PgDbCommand GetUpdateCommand(bool useColumnsForParameterNames) => (PgDbCommand)base.GetUpdateCommand(useColumnsForParameterNames);

    /// <inheritdoc cref="DbCommandBuilder.GetDeleteCommand(bool)"/>
    public new PgDbCommand GetDeleteCommand(bool useColumnsForParameterNames) => (PgDbCommand)base.GetDeleteCommand(useColumnsForParameterNames);

    /// <inheritdoc cref="DbCommandBuilder.GetUpdateCommand()"/>
    public new PgDbCommand GetUpdateCommand() => (PgDbCommand)base.GetUpdateCommand();

    /// <inheritdoc cref="DbCommandBuilder.GetDeleteCommand()"/>
    public new PgDbCommand GetDeleteCommand() => (PgDbCommand)base.GetDeleteCommand();

    /// <summary>Sets the type of the column; a parameter that tells whether the old value was NULL is a number.</summary>
    protected override void ApplyParameterInfo(DbParameter parameter, DataRow row, StatementType statementType, bool whereClause)
        => ((PgDbParameter)parameter).PgTypeId = parameter.SourceColumnNullMapping ? 0 : (uint)(int)row[SchemaTableColumn.ProviderType];

    /// <inheritdoc/>
    protected override string GetParameterName(int parameterOrdinal) => string.Create(CultureInfo.InvariantCulture, $"@p{parameterOrdinal}");

    /// <inheritdoc/>
    protected override string GetParameterName(string parameterName) => $"@{parameterName}";

    /// <inheritdoc/>
    protected override string GetParameterPlaceholder(int parameterOrdinal) => GetParameterName(parameterOrdinal);

    /// <inheritdoc/>
    protected override void SetRowUpdatingHandler(DbDataAdapter adapter)
    {
        var own = (PgDbDataAdapter)adapter;
        if (ReferenceEquals(adapter, base.DataAdapter))
        {
            own.RowUpdating -= Updating;
        }
        else
        {
            own.RowUpdating += Updating;
        }
    }

    private static string Quote(string? value)
        => value is null or "" or "\"" ? value ?? "" : throw new ArgumentException("PostgreSQL quotes names with double quotes.");

    private void Updating(object? sender, RowUpdatingEventArgs arguments) => RowUpdatingHandler(arguments);
}
