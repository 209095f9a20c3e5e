using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Pg.Data;

/// <summary>A value of a command. Its PostgreSQL type follows from the value, unless one is named.</summary>
public sealed partial class PgDbParameter : DbParameter, IDbDataParameter, ICloneable
{
    private const int LongestPiece = 80 * 1024;

    private string _name = "";
    private string _sourceColumn = "";
    private object? _value;
    private bool _hasValue;
    private object? _read;
    private int _size;

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

    /// <summary>
    /// For an output parameter the value is taken from the first row: from the column of its name, else from the first column that no other
    /// parameter has taken. In a stored procedure an output parameter is an argument; elsewhere the text cannot refer to it. Defaults to input.
    /// </summary>
    public override ParameterDirection Direction { get; set; } = ParameterDirection.Input;

    /// <summary>Has no effect: every type takes NULL.</summary>
    public override bool IsNullable { get; set; }

    /// <summary>Has no effect: a number is sent with all its digits.</summary>
    public override byte Precision { get; set; }

    /// <inheritdoc cref="Precision"/>
    public override byte Scale { get; set; }

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

    /// <summary>The most characters of a text, or bytes of a byte array or stream, that are sent; 0, the default, or -1: all.</summary>
    /// <exception cref="ArgumentException">It is less than -1.</exception>
    public override int Size
    {
        get => _size;
        set => _size = value >= -1
            ? value
            : throw new ArgumentException($"A size of {value} is not allowed: use 0 or -1 for no limit.", nameof(value));
    }

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

    /// <summary>Whether this is its name without marker, whatever the case.</summary>
    internal bool IsNamed(string bareName) => BareName.Equals(bareName, StringComparison.OrdinalIgnoreCase);

    internal bool IsInput => (Direction & ParameterDirection.Input) != 0;

    internal bool IsOutput => (Direction & ParameterDirection.Output) != 0;

    internal BoundValue Bind(TypeCatalog types, bool isDescribed)
    {
        if (!IsInput)
        {
            throw new InvalidOperationException($"The text refers to parameter '{_name}', which is for output only.");
        }

        uint typeId = _dataTypeName is null ? PgTypeId : NamedTypeId(_dataTypeName, types);
        if (isDescribed && _value is Stream or TextReader)
        {
            // It is read when it is sent.
            return BoundValue.Of(null, _dbType, typeId != 0 || _value is TextReader ? typeId : ValueId, types);
        }

        if (!_hasValue && !(isDescribed && (typeId != 0 || _dbType is not null)))
        {
            throw new InvalidOperationException(
                $"Parameter '{_name}' has no value{(isDescribed ? " and no type" : "")}. Set {nameof(Value)}; {nameof(DBNull)} is NULL.");
        }

        if (Size > 0 && _read is null && _value is Stream or TextReader)
        {
            // A command that blocks comes here without having read it.
            ReadStreamAsync(isBlocking: true, default).GetAwaiter().GetResult();
        }

        object? value = Cut(_read ?? _value);
        _read = null;
        return BoundValue.Of(value, _dbType, typeId, types);
    }

    /// <summary>A parameter of no command, with the same name, types and value.</summary>
    public PgDbParameter Clone()
    {
        var copy = (PgDbParameter)MemberwiseClone();
        copy._read = null;
        return copy;
    }

    object ICloneable.Clone() => Clone();

    private object? Cut(object? value) => Size <= 0 ? value : value switch
    {
        string text when text.Length > Size => text[..Size],
        char[] text when text.Length > Size => text[..Size],
        byte[] bytes when bytes.Length > Size => bytes[..Size],
        _ => value,
    };

    /// <summary>Reads a stream for the next <see cref="Bind"/>.</summary>
    internal async Task ReadStreamAsync(bool isBlocking, CancellationToken cancellationToken)
    {
        if (_value is Stream stream)
        {
            long limit = Size > 0 ? Size : long.MaxValue;
            using var copy = new MemoryStream();
            byte[] piece = new byte[Math.Min(limit, LongestPiece)];
            int count = 1;
            while (count > 0 && copy.Length < limit)
            {
                Memory<byte> room = piece.AsMemory(0, (int)Math.Min(piece.Length, limit - copy.Length));
                count = isBlocking ? stream.Read(room.Span) : await stream.ReadAsync(room, cancellationToken).ConfigureAwait(false);
                copy.Write(piece, 0, count);
            }

            _read = copy.ToArray();
        }
        else if (_value is TextReader reader)
        {
            _read = isBlocking ? reader.ReadToEnd() : await reader.ReadToEndAsync(cancellationToken).ConfigureAwait(false);
        }
    }
}
