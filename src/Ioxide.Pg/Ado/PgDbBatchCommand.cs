using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Pg.Data;

/// <summary>One command of a batch, with its own parameters.</summary>
public sealed class PgDbBatchCommand : DbBatchCommand
{
    private string _text;
    private int _recordsAffected = -1;

    /// <summary>Creates a command.</summary>
    public PgDbBatchCommand()
        : this(null)
    {
    }

    /// <summary>Creates a command with its text.</summary>
    public PgDbBatchCommand(string? text) => _text = text ?? "";

    /// <inheritdoc/>
    [AllowNull]
    public override string CommandText
    {
        get => _text;
        set => _text = value ?? "";
    }

    /// <inheritdoc/>
    public override CommandType CommandType { get; set; } = CommandType.Text;

    /// <summary>Rows that it changed; -1 if it cannot change rows, and before it runs.</summary>
    public override int RecordsAffected => _recordsAffected;

    /// <inheritdoc/>
    public override bool CanCreateParameter => true;

    /// <inheritdoc cref="DbBatchCommand.Parameters"/>
    public new PgDbParameterCollection Parameters { get; } = new();

    /// <inheritdoc/>
    protected override DbParameterCollection DbParameterCollection => Parameters;

    /// <inheritdoc/>
    public override DbParameter CreateParameter() => new PgDbParameter();

    internal void Started() => _recordsAffected = -1;

    internal void Affected(int count) => _recordsAffected = Math.Max(_recordsAffected, 0) + count;
}
