using System.Text;

namespace Ioxide.Pg;

/// <summary>The columns that a statement returns, and the format requested for each.</summary>
/// <remarks>Immutable, and shared by all connections that got the same description. Source: PostgreSQL manual, 55.7, RowDescription.</remarks>
internal sealed class ResultColumns
{
    internal const int MaxColumns = 1664;

    internal static readonly ResultColumns None = new([], [], hasBinaryRecords: false);

    private readonly byte[] _description;
    private readonly byte[][] _names;
    private readonly uint[] _typeIds;
    private readonly int[] _modifiers;
    private readonly uint[] _tableIds;
    private readonly short[] _tableColumns;
    private readonly PgFormat[] _formats;
    private readonly bool _hasBinaryRecords;
    private byte[][]? _jsonNames;

    private ResultColumns(byte[] description, byte[][] names, bool hasBinaryRecords)
    {
        _description = description;
        _hasBinaryRecords = hasBinaryRecords;
        _names = names;
        _typeIds = new uint[names.Length];
        _modifiers = new int[names.Length];
        _tableIds = new uint[names.Length];
        _tableColumns = new short[names.Length];
        _formats = new PgFormat[names.Length];
    }

    internal int Count => _names.Length;

    /// <summary>Type of each column, then its format, in one number that getters compare.</summary>
    internal ulong[] Kinds { get; private set; } = [];

    internal ReadOnlySpan<PgFormat> Formats => _formats;

    /// <summary>The ADO.NET facade's data about the columns; created once.</summary>
    internal object? Shape { get; set; }

    /// <summary>Whether one format code, for binary, stands for all columns.</summary>
    internal bool IsAllBinary { get; private set; }

    internal ReadOnlySpan<uint> TypeIds => _typeIds;

    /// <summary>The names as members of a JSON object: quoted, escaped, with the colon.</summary>
    internal byte[][] JsonNames => _jsonNames ??= Array.ConvertAll(_names, static name => JsonEscape.EscapeName(name));

    internal static ulong KindOf(uint typeId, PgFormat format) => ((ulong)typeId << 1) | (ulong)format;

    /// <summary>Reads a RowDescription.</summary>
    /// <param name="body">The message.</param>
    /// <param name="isTextOnly">The simple query protocol: all columns are text. Otherwise each is requested in the best format for its type.</param>
    /// <param name="hasBinaryRecords">Records are requested in binary: only this form names the types of their fields.</param>
    internal static ResultColumns Read(ReadOnlySpan<byte> body, bool isTextOnly = false, bool hasBinaryRecords = false)
    {
        var reader = new WireReader(body);
        int count = reader.ReadInt16();
        if ((uint)count > MaxColumns)
        {
            throw new PgProtocolException($"The server described a result of {count} columns; {MaxColumns} is the most that there can be.");
        }

        var columns = new ResultColumns(body.ToArray(), new byte[count][], hasBinaryRecords);
        for (int i = 0; i < count; i++)
        {
            columns._names[i] = reader.ReadCString().ToArray();
            columns._tableIds[i] = reader.ReadUInt32();
            columns._tableColumns[i] = reader.ReadInt16();
            columns._typeIds[i] = reader.ReadUInt32();
            _ = reader.ReadInt16();
            columns._modifiers[i] = reader.ReadInt32();
            _ = reader.ReadInt16();
            columns._formats[i] = isTextOnly ? PgFormat.Text
                : columns.ReadsBinary(i) ? PgFormat.Binary
                : PgFormat.Text;
        }

        columns.Seal();
        return columns;
    }

    /// <summary>Whether the message describes exactly these columns.</summary>
    internal bool Matches(ReadOnlySpan<byte> description) => description.SequenceEqual(_description);

    /// <summary>These columns in the formats that a Bind named for others: one code stands for all, and none for text.</summary>
    internal ResultColumns AskedAs(ResultColumns others)
    {
        ResultColumns? asked = null;
        for (int i = 0; i < Count; i++)
        {
            PgFormat format = others.Count == 0 ? PgFormat.Text : others._formats[others.Count == 1 ? 0 : Math.Min(i, others.Count - 1)];
            if (format != _formats[i])
            {
                asked ??= Read(_description, hasBinaryRecords: _hasBinaryRecords);
                asked._formats[i] = format;
            }
        }

        asked?.Seal();
        return asked ?? this;
    }

    /// <summary>The first column that arrives in binary although this driver cannot read its binary form; or -1.</summary>
    internal int FindUnreadable()
    {
        for (int i = 0; i < Count; i++)
        {
            if (_formats[i] == PgFormat.Binary && !ReadsBinary(i))
            {
                return i;
            }
        }

        return -1;
    }

    internal string NameOf(int index) => Encoding.UTF8.GetString(_names[index]);

    internal int ModifierOf(int index) => _modifiers[index];

    internal uint TableIdOf(int index) => _tableIds[index];

    internal short TableColumnOf(int index) => _tableColumns[index];

    /// <summary>The first column of the name, or -1.</summary>
    internal int IndexOf(ReadOnlySpan<byte> utf8Name)
    {
        for (int i = 0; i < _names.Length; i++)
        {
            if (utf8Name.SequenceEqual(_names[i]))
            {
                return i;
            }
        }

        return -1;
    }

    private bool ReadsBinary(int index)
        => PgTypeTable.ReadsBinary(_typeIds[index]) || (_hasBinaryRecords && _typeIds[index] is PgTypeId.Record or PgTypeId.RecordArray);

    private void Seal()
    {
        Kinds = new ulong[Count];
        IsAllBinary = Count > 0;
        for (int i = 0; i < Count; i++)
        {
            Kinds[i] = KindOf(_typeIds[i], _formats[i]);
            IsAllBinary &= _formats[i] == PgFormat.Binary;
        }
    }
}
