using System.Buffers.Binary;

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
    private readonly PgCodec<T> _codec = codec ?? PgCodecs<T>.Instance;

    internal override object Read(PgField field) => _codec.Read(field)!; // Never called for NULL.

    internal override bool IsOfDatabase => codec is not null;

    internal override object? ReadAs(Type asked, PgField field) => asked == typeof(T) ? Read(field) : null;
}

/// <summary>Arrays of one dimension, and of two.</summary>
internal sealed class ArrayColumnReader<T>(PgCodec<T[]>? vectors = null, PgCodec<T[,]>? matrices = null) : ColumnReader(typeof(Array))
{
    private readonly PgCodec<T[]> _vectors = vectors ?? PgCodecs<T[]>.Instance;
    private readonly PgCodec<T[,]> _matrices = matrices ?? PgCodecs<T[,]>.Instance;

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
