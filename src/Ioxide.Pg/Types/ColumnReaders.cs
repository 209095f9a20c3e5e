using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Pg.Data;

/// <summary>Converts a column's value to an object, of the same type as in Npgsql.</summary>
internal abstract class ColumnReader(Type type)
{
    private static readonly Dictionary<uint, ColumnReader> s_byType = Make();
    private static readonly ColumnReader s_text = new ColumnReader<string>();
    private static readonly ColumnReader s_void = new VoidColumnReader();
    private static readonly ColumnReader s_bit = new ColumnReader<bool>();
    private static readonly ColumnReader s_bits = new ArrayColumnReader<bool>();

    internal Type Type { get; } = type;

    /// <summary>The value is also a text: an enum of the database is its label.</summary>
    internal bool IsText { get; } = type == typeof(string) || type.IsEnum;

    /// <summary>Its codec knows the names of the fields that the database's composite has.</summary>
    internal virtual bool IsOfDatabase => false;

    internal abstract object Read(PgField field);

    /// <summary>Reads a value as a type that only a reader of the database reads; null: the codec of that type reads it.</summary>
    internal virtual object? ReadAs(Type asked, PgField field) => null;

    /// <summary>The reader of a type.</summary>
    /// <param name="typeId">Its OID.</param>
    /// <param name="modifier">Its modifier: one bit is a bool, more are an array of bits. For an array it is the modifier of its elements.</param>
    internal static ColumnReader Of(uint typeId, int modifier)
        => typeId == PgTypeId.Bit && modifier == 1 ? s_bit
            : typeId == PgTypeId.BitArray && modifier == 1 ? s_bits
            : typeId == PgTypeId.Void ? s_void
            : s_byType.TryGetValue(typeId, out ColumnReader? reader) ? reader : s_text;

    private static Dictionary<uint, ColumnReader> Make()
    {
        var readers = new Dictionary<uint, ColumnReader>();
        foreach (BuiltInType type in BuiltInTypes.All)
        {
            type.AddReaders(readers);
        }

        AddVector(readers, PgTypeId.Int2Vector, IntegerCodecs.Int16);
        AddVector(readers, PgTypeId.OidVector, IntegerCodecs.UInt32);
        return readers;
    }

    private static void AddVector<T>(Dictionary<uint, ColumnReader> readers, uint typeId, PgCodec<T> element)
        where T : struct, IUtf8SpanParsable<T>
    {
        var codec = new NumberVectorCodec<T>(typeId, element);
        readers[typeId] = new ColumnReader<T[]>(codec);
        readers[PgTypeTable.ArrayOf(typeId)] = new ArrayColumnReader<T[]>(new VectorArrayCodec<T[]>(codec), new MatrixArrayCodec<T[]>(codec));
    }
}

/// <inheritdoc/>
internal sealed class ColumnReader<T>(PgCodec<T>? codec = null) : ColumnReader(typeof(T))
{
    private readonly PgCodec<T> _codec = codec ?? CodecFor<T>.Instance;

    internal override object Read(PgField field) => _codec.Read(field)!; // Never called for NULL.

    internal override bool IsOfDatabase => codec is not null;

    internal override object? ReadAs(Type asked, PgField field) => asked == typeof(T) ? Read(field) : null;
}

/// <summary>Arrays of one dimension, and of two.</summary>
internal sealed class ArrayColumnReader<T>(PgCodec<T[]>? vectors = null, PgCodec<T[,]>? matrices = null) : ColumnReader(typeof(Array))
{
    private readonly PgCodec<T[]> _vectors = vectors ?? CodecFor<T[]>.Instance;
    private readonly PgCodec<T[,]> _matrices = matrices ?? CodecFor<T[,]>.Instance;

    internal override bool IsOfDatabase => vectors is not null;

    internal override object? ReadAs(Type asked, PgField field)
        => asked == typeof(T[]) ? _vectors.Read(field)
            : asked == typeof(List<T>) ? _vectors.Read(field).ToList()
            : asked == typeof(T[,]) ? _matrices.Read(field)
            : null;

    internal override object Read(PgField field) => HasTwoDimensions(field) ? _matrices.Read(field) : _vectors.Read(field);

    private static bool HasTwoDimensions(PgField field)
    {
        if (field.Format == PgFormat.Binary)
        {
            return field.Bytes.Length >= sizeof(int) && BinaryPrimitives.ReadInt32BigEndian(field.Bytes) == 2;
        }

        // Bounds, if there are any, end with an equals sign. Each dimension has a brace.
        ReadOnlySpan<byte> text = field.Bytes is [(byte)'[', ..] ? field.Bytes[(field.Bytes.IndexOf((byte)'=') + 1)..] : field.Bytes;
        return text.StartsWith("{{"u8) && !text.StartsWith("{{{"u8);
    }
}

/// <summary>What a function that returns void returns: nothing, as on Npgsql.</summary>
internal sealed class VoidColumnReader() : ColumnReader(typeof(object))
{
    internal override object Read(PgField field) => null!;
}

/// <summary>Arrays of texts, also as arrays of characters: each text as one array, or the first character of each.</summary>
/// <param name="label">The codec of labels, whose type the database defines; null for texts.</param>
internal sealed class TextArrayColumnReader(PgCodec<string>? label = null) : ColumnReader(typeof(Array))
{
    private readonly PgCodec<string[]> _vectors = label is null ? CodecFor<string[]>.Instance : new VectorArrayCodec<string>(label);
    private readonly ArrayColumnReader<string> _texts = label is null
        ? new ArrayColumnReader<string>()
        : new ArrayColumnReader<string>(new VectorArrayCodec<string>(label), new MatrixArrayCodec<string>(label));

    internal override bool IsOfDatabase => true;

    internal override object Read(PgField field) => _texts.Read(field);

    internal override object? ReadAs(Type asked, PgField field)
        => asked == typeof(char[][]) ? Array.ConvertAll(_vectors.Read(field), static text => text?.ToCharArray())
            : asked == typeof(List<char[]>) ? _vectors.Read(field).Select(static text => text?.ToCharArray()).ToList()
            : asked == typeof(char[]) && field.TypeId != PgTypeId.JsonPathArray ? Array.ConvertAll(_vectors.Read(field), FirstOf)
            : label is not null ? _texts.ReadAs(asked, field)
            : null;

    private static char FirstOf(string? text)
        => text is [var first, ..] ? first
            : throw new PgTypeException("An element of the array is NULL or an empty text, which has no character. Read it as string[].");
}

/// <summary>A record: the objects of its fields, null for NULL.</summary>
internal sealed class RecordColumnReader(TypeCatalog types) : ColumnReader(typeof(object[]))
{
    internal override bool IsOfDatabase => true;

    internal override object Read(PgField field) => RecordWalk.Objects(field, types);

    internal override object? ReadAs(Type asked, PgField field) => asked == typeof(object[]) ? Read(field) : null;
}

/// <summary>An array of records of one dimension.</summary>
internal sealed class RecordArrayColumnReader(TypeCatalog types) : ColumnReader(typeof(Array))
{
    internal override bool IsOfDatabase => true;

    internal override object Read(PgField field) => RecordWalk.Objects(field, types);

    internal override object? ReadAs(Type asked, PgField field)
        => asked == typeof(object[][]) ? Read(field)
            : asked == typeof(List<object[]>) ? ((object[][])Read(field)).ToList()
            : null;
}

/// <summary>Reads a record in binary form as the objects of its fields, and the records within it.</summary>
/// <remarks>
/// A record is the count of its fields, then the OID, the length and the bytes of each. Records nest as deeply as a statement asks, so that the
/// levels are kept in a list and not on the stack. What is allocated is bounded by the value's length: a count may only claim bytes that no
/// open level still needs for its own fields. Source: record_send in src/backend/utils/adt/rowtypes.c.
/// </remarks>
internal static class RecordWalk
{
    /// <returns><c>object[]</c> for a record, <c>object[][]</c> for an array of them.</returns>
    /// <exception cref="PgTypeException">
    /// It is malformed, in text form, an array of more than one dimension, or a field has a type whose binary form is not read.
    /// </exception>
    internal static object?[] Objects(PgField field, TypeCatalog types)
    {
        if (field.Format == PgFormat.Text)
        {
            ThrowText(field);
        }

        var reader = new FieldReader(field.Bytes, field.TypeId);
        var levels = new Stack<Level>();
        Level whole = Open(ref reader, field.TypeId, 0);
        levels.Push(whole);
        int owedBytes = whole.OwedBytes;
        while (levels.TryPeek(out Level? level))
        {
            if (level.Next == level.Values.Length)
            {
                levels.Pop();
                continue;
            }

            owedBytes -= level.HeaderBytes;
            uint typeId = level.IsArray ? PgTypeId.Record : reader.ReadUInt32();
            object? value = null;
            if (typeId is not (PgTypeId.Record or PgTypeId.RecordArray))
            {
                PgField inner = reader.ReadField(typeId);
                value = inner.IsNull ? null : types.ReaderOf(typeId, -1).Read(types.Within(inner));
            }
            else if (reader.ReadInt32() != -1)
            {
                Level below = Open(ref reader, typeId, owedBytes);
                levels.Push(below);
                owedBytes += below.OwedBytes;
                value = below.Values;
            }

            level.Values[level.Next++] = value;
        }

        reader.End();
        return whole.Values;
    }

    /// <summary>A record in text form does not name the types of its fields.</summary>
    [DoesNotReturn]
    internal static void ThrowText(PgField field)
        => TypeErrors.ThrowMismatch<object[]>(field.TypeId, field.Format, "Run the statement again: its columns have changed.");

    /// <summary>Reads the header of a record or of an array of them.</summary>
    /// <param name="reader">Stands at the header.</param>
    /// <param name="typeId">The OID of either.</param>
    /// <param name="owedBytes">What the headers of the fields of the levels above still need.</param>
    private static Level Open(ref FieldReader reader, uint typeId, int owedBytes)
    {
        bool isArray = typeId == PgTypeId.RecordArray;
        int count = isArray ? ArrayCount(ref reader) : reader.ReadInt32();
        int headerBytes = isArray ? sizeof(int) : PgCompositeReader.FieldHeaderBytes;
        if (count < 0 || count > (reader.Rest.Length - owedBytes) / headerBytes)
        {
            TypeErrors.ThrowMalformed(typeId, "it has fewer fields than it says");
        }

        return new Level(isArray ? new object[count][] : new object?[count], headerBytes);
    }

    /// <summary>Reads the header of an array of records.</summary>
    /// <returns>The number of its elements.</returns>
    private static int ArrayCount(ref FieldReader reader)
    {
        int rank = reader.ReadInt32();
        _ = reader.ReadInt32();
        _ = reader.ReadUInt32();
        if (rank == 0)
        {
            return 0;
        }

        if (rank != 1)
        {
            throw new PgTypeException($"An array of records with {rank} dimensions is not read. Use unnest in the statement.");
        }

        int count = reader.ReadCount(sizeof(int));
        _ = reader.ReadInt32();
        return count;
    }

    /// <param name="values">The objects of its fields, or of its elements.</param>
    /// <param name="headerBytes">What each needs in the value: its length, and the OID of a field.</param>
    private sealed class Level(object?[] values, int headerBytes)
    {
        internal object?[] Values { get; } = values;

        internal int HeaderBytes { get; } = headerBytes;

        internal bool IsArray => HeaderBytes < PgCompositeReader.FieldHeaderBytes;

        /// <summary>What the headers of all its fields need.</summary>
        internal int OwedBytes => Values.Length * HeaderBytes;

        internal int Next { get; set; }
    }
}
