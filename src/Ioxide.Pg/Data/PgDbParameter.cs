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
    private object? _value;
    private bool _hasValue;
    private object? _read;
    private string? _dataTypeName;

    /// <summary>Creates an empty parameter.</summary>
    public PgDbParameter()
    {
    }

    /// <summary>Creates a parameter with a name and a value.</summary>
    /// <param name="name">With or without <c>@</c>; empty for a positional one.</param>
    /// <param name="value">The value; null is NULL.</param>
    public PgDbParameter(string? name, object? value)
    {
        ParameterName = name;
        Value = value;
    }

    /// <summary>Sets the PostgreSQL type, to which the value is converted. If not set, it returns the type of the value.</summary>
    public override DbType DbType
    {
        get => _dbType ?? TypeOf(_value);
        set => _dbType = value;
    }

    /// <summary>The OID of the PostgreSQL type; 0 means that <see cref="DbType"/> and the value decide.</summary>
    public uint PgTypeId { get; set; }

    /// <summary>
    /// For an output parameter the value is taken from the first row: from the column of its name, else from the first column that no other
    /// parameter has taken. In a stored procedure an output parameter is an argument; elsewhere the text cannot refer to it. Defaults to input.
    /// </summary>
    public override ParameterDirection Direction { get; set; } = ParameterDirection.Input;

    /// <summary>Has no effect: every type takes NULL.</summary>
    public override bool IsNullable { get; set; }

    /// <summary>The name, with or without a leading <c>@</c> or <c>:</c>.</summary>
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

    /// <summary>
    /// The value; null and <see cref="DBNull"/> are NULL. A <see cref="Stream"/> is sent as bytea and a <see cref="TextReader"/> as text. Both are
    /// read to the end when the command starts: an asynchronous command awaits that, a synchronous one blocks.
    /// </summary>
    public override object? Value
    {
        get => _value;
        set
        {
            _value = value;
            _hasValue = true;
            _read = null;
        }
    }

    internal string BareName { get; private set; } = "";

    private static DbType TypeOf(object? value) => value switch
    {
        bool => DbType.Boolean,
        byte or sbyte or short => DbType.Int16,
        ushort or int => DbType.Int32,
        uint or long => DbType.Int64,
        float => DbType.Single,
        double => DbType.Double,
        decimal or ulong or System.Numerics.BigInteger or PgNumeric => DbType.Decimal,
        string or char or char[] or ReadOnlyMemory<char> or Memory<char> or TextReader => DbType.String,
        byte[] or ReadOnlyMemory<byte> or Memory<byte> or ArraySegment<byte> or Stream => DbType.Binary,
        Guid => DbType.Guid,
        DateOnly or PgDate => DbType.Date,
        TimeOnly => DbType.Time,
        DateTime { Kind: not DateTimeKind.Utc } => DbType.DateTime2,
        DateTime or DateTimeOffset => DbType.DateTime,
        _ => DbType.Object,
    };

    /// <inheritdoc/>
    public override void ResetDbType() => _dbType = null;

    internal bool IsInput => (Direction & ParameterDirection.Input) != 0;

    internal bool IsOutput => (Direction & ParameterDirection.Output) != 0;

    internal BoundValue Bind(TypeCatalog types)
    {
        if (!IsInput)
        {
            throw new InvalidOperationException($"The text refers to parameter '{_name}', which is for output only.");
        }

        if (!_hasValue)
        {
            throw new InvalidOperationException($"Parameter '{_name}' has no value. Set {nameof(Value)}; {nameof(DBNull)} is NULL.");
        }

        object? value = _read ?? _value;
        _read = null;
        return BoundValue.Of(value, _dbType, _dataTypeName is null ? PgTypeId : NamedTypeId(_dataTypeName, types), types);
    }

    /// <summary>Reads a stream for the next <see cref="Bind"/>.</summary>
    internal async ValueTask ReadStreamAsync(CancellationToken cancellationToken)
    {
        if (_value is Stream stream)
        {
            using var copy = new MemoryStream();
            await stream.CopyToAsync(copy, cancellationToken).ConfigureAwait(false);
            _read = copy.ToArray();
        }
        else if (_value is TextReader reader)
        {
            _read = await reader.ReadToEndAsync(cancellationToken).ConfigureAwait(false);
        }
    }
}
