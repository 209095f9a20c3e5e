using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;

namespace Ioxide.Pg;

/// <summary>One row in the receive buffer. Nothing is copied until a getter creates an object.</summary>
/// <remarks>
/// Valid inside the row reader that receives it, or until the next <see cref="PgRows.NextBatchAsync"/>. Columns count from 0.
/// </remarks>
public readonly ref struct PgRow
{
    private readonly ReadOnlySpan<byte> _body;
    private readonly ReadOnlySpan<int> _offsets;
    private readonly ResultColumns _columns;

    internal PgRow(ReadOnlySpan<byte> body, ReadOnlySpan<int> offsets, ResultColumns columns)
    {
        _body = body;
        _offsets = offsets;
        _columns = columns;
    }

    /// <summary>The number of columns.</summary>
    public int Count => _columns.Count;

    /// <summary>The length of its message in bytes.</summary>
    internal int LengthBytes => _body.Length;

    /// <summary>Whether the column is NULL.</summary>
    public bool IsNull(int index) => LengthAt(_offsets[index]) < 0;

    /// <summary>The name of the column.</summary>
    public string GetName(int index) => _columns.NameOf(index);

    /// <summary>The OID of the column's type.</summary>
    public uint GetTypeId(int index) => _columns.TypeIds[index];

    /// <summary>Returns the index of the column with that name.</summary>
    /// <exception cref="ArgumentException">There is no such column.</exception>
    public int GetIndex(ReadOnlySpan<byte> utf8Name)
    {
        int index = _columns.IndexOf(utf8Name);
        return index >= 0 ? index : throw new ArgumentException($"The result has no column '{Encoding.UTF8.GetString(utf8Name)}'.", nameof(utf8Name));
    }

    /// <summary>The value with its type, as it was received.</summary>
    public PgField this[int index]
    {
        get
        {
            int offset = _offsets[index];
            int length = LengthAt(offset);
            return new PgField(
                length < 0 ? default : _body.Slice(offset + sizeof(int), length), _columns.TypeIds[index], _columns.Formats[index], length < 0);
        }
    }

    /// <summary>The bytes of the value in the receive buffer: UTF-8 for text, the binary form for other types. Empty for NULL.</summary>
    public ReadOnlySpan<byte> GetBytes(int index)
    {
        int offset = _offsets[index];
        int length = LengthAt(offset);
        return length <= 0 ? default : _body.Slice(offset + sizeof(int), length);
    }

    /// <summary>The UTF-8 of a text, json, jsonb or enum value, in the receive buffer.</summary>
    /// <exception cref="PgTypeException">The column is NULL, or its binary form is not text.</exception>
    public ReadOnlySpan<byte> GetUtf8(int index)
    {
        PgField field = this[index];
        if (field.IsNull)
        {
            throw new PgTypeException($"Column {index} ({GetName(index)}) is NULL. Ask {nameof(IsNull)} first.");
        }

        PgTypeKind kind = PgTypeTable.KindOf(field.TypeId);
        return field.Format == PgFormat.Text || kind is PgTypeKind.Text or PgTypeKind.Json ? field.Bytes
            : kind == PgTypeKind.Jsonb && field.Bytes is [1, ..] ? field.Bytes[1..]
            : throw new PgTypeException(
                $"Column {index} ({GetName(index)}) is {PgTypeTable.NameOf(field.TypeId)}, whose bytes are no text. Use its own "
                    + $"getter, or {nameof(WriteText)}.");
    }

    /// <summary>Returns the value as <typeparamref name="T"/>. NULL is null if the type allows it, otherwise an error.</summary>
    /// <exception cref="PgTypeException">The column's type cannot be read as <typeparamref name="T"/>.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public T Get<T>(int index)
    {
        if (typeof(T) == typeof(int))
        {
            int value = GetInt32(index);
            return Unsafe.As<int, T>(ref value);
        }

        if (typeof(T) == typeof(long))
        {
            long value = GetInt64(index);
            return Unsafe.As<long, T>(ref value);
        }

        return CodecFor<T>.Instance.Read(this[index]);
    }

    /// <summary>An int2 or int4.</summary>
    /// <exception cref="PgTypeException">The column is NULL or of another type.</exception>
    public int GetInt32(int index)
    {
        int offset = _offsets[index];
        if (_columns.Kinds[index] == ((PgTypeId.Int4 << 1) | 1) && LengthAt(offset) == sizeof(int))
        {
            return BinaryPrimitives.ReadInt32BigEndian(_body[(offset + sizeof(int))..]);
        }

        return CodecFor<int>.Instance.Read(this[index]);
    }

    /// <summary>An int2, int4 or int8.</summary>
    /// <exception cref="PgTypeException">The column is NULL or of another type.</exception>
    public long GetInt64(int index)
    {
        int offset = _offsets[index];
        if (_columns.Kinds[index] == ((PgTypeId.Int8 << 1) | 1) && LengthAt(offset) == sizeof(long))
        {
            return BinaryPrimitives.ReadInt64BigEndian(_body[(offset + sizeof(int))..]);
        }

        return CodecFor<long>.Instance.Read(this[index]);
    }

    /// <summary>An int2.</summary>
    public short GetInt16(int index) => CodecFor<short>.Instance.Read(this[index]);

    /// <summary>A bool.</summary>
    public bool GetBoolean(int index) => CodecFor<bool>.Instance.Read(this[index]);

    /// <summary>A float8 or float4.</summary>
    public double GetDouble(int index) => CodecFor<double>.Instance.Read(this[index]);

    /// <summary>A float4.</summary>
    public float GetSingle(int index) => CodecFor<float>.Instance.Read(this[index]);

    /// <summary>A numeric, an integer or money.</summary>
    public decimal GetDecimal(int index) => CodecFor<decimal>.Instance.Read(this[index]);

    /// <summary>A uuid.</summary>
    public Guid GetGuid(int index) => CodecFor<Guid>.Instance.Read(this[index]);

    /// <summary>A timestamp (kind unspecified) or timestamptz (kind UTC).</summary>
    public DateTime GetDateTime(int index) => CodecFor<DateTime>.Instance.Read(this[index]);

    /// <summary>A text, or null.</summary>
    public string? GetString(int index) => IsNull(index) ? null : CodecFor<string>.Instance.Read(this[index]);

    /// <summary>Appends the value as the text that PostgreSQL shows for it, and nothing for NULL.</summary>
    public void WriteText(int index, IBufferWriter<byte> writer)
    {
        var sink = new Utf8Sink(writer);
        FieldText.Write(this[index], ref sink);
        sink.Flush();
    }

    /// <summary>Appends the value as a JSON value: NULL as <c>null</c>, json and jsonb unchanged.</summary>
    public void WriteJson(int index, IBufferWriter<byte> writer)
    {
        var sink = new Utf8Sink(writer);
        FieldJson.Write(this[index], ref sink);
        sink.Flush();
    }

    /// <summary>Writes the value as a JSON value: NULL as <c>null</c>, json and jsonb unchanged.</summary>
    /// <exception cref="PgTypeException">The value is malformed, or is json with more than 1000 levels.</exception>
    public void WriteJson(int index, Utf8JsonWriter writer) => FieldJson.Write(this[index], writer);

    /// <summary>Writes the row as a JSON object with the columns' names.</summary>
    internal void WriteObject(ref Utf8Sink sink)
    {
        byte[][] names = _columns.JsonNames;
        sink.Write((byte)'{');
        for (int i = 0; i < names.Length; i++)
        {
            if (i > 0)
            {
                sink.Write((byte)',');
            }

            sink.Write(names[i]);
            FieldJson.Write(this[i], ref sink);
        }

        sink.Write((byte)'}');
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int LengthAt(int offset) => BinaryPrimitives.ReadInt32BigEndian(_body[offset..]);
}
