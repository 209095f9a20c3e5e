using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Pg.Data;

/// <summary>A value of a command. Its PostgreSQL type follows from the value, unless one is named.</summary>
public sealed partial class PgDbParameter : DbParameter
{
    private DbType? _dbType;
    private string _name = "";
    private string _sourceColumn = "";

    /// <summary>Makes one to be filled in.</summary>
    public PgDbParameter()
    {
    }

    /// <summary>Makes one with a name and a value.</summary>
    /// <param name="name">With or without <c>@</c>; empty for a positional one.</param>
    /// <param name="value">The value; null is NULL.</param>
    public PgDbParameter(string? name, object? value)
    {
        ParameterName = name;
        Value = value;
    }

    /// <summary>Decides the PostgreSQL type and converts the value to it. Not set: the value decides.</summary>
    public override DbType DbType
    {
        get => _dbType ?? DbType.Object;
        set => _dbType = value;
    }

    /// <summary>The OID of the PostgreSQL type; 0 leaves it to <see cref="DbType"/> and the value.</summary>
    public uint PgTypeId { get; set; }

    /// <summary>Input only: PostgreSQL returns values as rows.</summary>
    public override ParameterDirection Direction { get; set; } = ParameterDirection.Input;

    /// <summary>Has no effect: every type takes NULL.</summary>
    public override bool IsNullable { get; set; }

    /// <summary>With or without <c>@</c> or <c>:</c> in front.</summary>
    [AllowNull]
    public override string ParameterName
    {
        get => _name;
        set
        {
            _name = value ?? "";
            BareName = _name.Length > 0 && _name[0] is '@' or ':' ? _name[1..] : _name;
        }
    }

    /// <summary>Has no effect: values are sent whole.</summary>
    public override int Size { get; set; }

    /// <inheritdoc/>
    [AllowNull]
    public override string SourceColumn
    {
        get => _sourceColumn;
        set => _sourceColumn = value ?? "";
    }

    /// <inheritdoc/>
    public override bool SourceColumnNullMapping { get; set; }

    /// <inheritdoc/>
    public override DataRowVersion SourceVersion { get; set; } = DataRowVersion.Current;

    /// <summary>The value; null and <see cref="DBNull"/> are NULL.</summary>
    public override object? Value { get; set; }

    internal string BareName { get; private set; } = "";

    /// <inheritdoc/>
    public override void ResetDbType() => _dbType = null;

    internal BoundValue Bind()
    {
        if ((Direction & ParameterDirection.Input) == 0)
        {
            throw new NotSupportedException($"Parameter '{_name}' is not for input. PostgreSQL returns values as a row: read them from there.");
        }

        return BoundValue.Of(Value, _dbType, PgTypeId);
    }
}
