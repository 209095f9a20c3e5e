using Ioxide.Pg.Data;

namespace Ioxide.Pg;

/// <summary>A .NET type that has a codec, with the types derived from it: nullable values, arrays and lists, ranges.</summary>
/// <param name="type">The type.</param>
/// <param name="columns">The column types that the ADO.NET facade reads as this type.</param>
internal abstract class BuiltInType(Type type, uint[] columns)
{
    internal Type Type { get; } = type;

    /// <summary>The ADO.NET facade sends an object of it as text, while the codec leaves the type to the server.</summary>
    internal bool IsText { get; init; }

    private protected uint[] Columns { get; } = columns;

    /// <summary>The codec of the type or of a type derived from it; else null.</summary>
    internal abstract IObjectCodecs? CodecOf(Type type);

    /// <summary>Adds the readers for columns of its types and of types derived from them.</summary>
    internal abstract void AddReaders(Dictionary<uint, ColumnReader> readers);
}

/// <inheritdoc/>
internal class BuiltInType<T>(PgCodec<T> codec, params uint[] columns) : BuiltInType(typeof(T), columns)
{
    private protected PgCodec<T> Codec { get; } = codec;

    internal override IObjectCodecs? CodecOf(Type type) => type == typeof(T) ? Codec : ArrayOf(type, Codec);

    internal override void AddReaders(Dictionary<uint, ColumnReader> readers)
    {
        var reader = new ColumnReader<T>();
        ColumnReader arrays = typeof(T) == typeof(string) ? new TextArrayColumnReader() : new ArrayColumnReader<T>();
        foreach (uint typeId in Columns)
        {
            readers[typeId] = reader;
            if (PgTypeTable.ArrayOf(typeId) is var arrayId and not 0)
            {
                readers[arrayId] = arrays;
            }
        }
    }

    private protected static IObjectCodecs? ArrayOf<TItem>(Type type, PgCodec<TItem> codec)
        => type == typeof(TItem[]) ? new VectorArrayCodec<TItem>(codec) : CollectionOf(type, codec);

    private protected static IObjectCodecs? CollectionOf<TItem>(Type type, PgCodec<TItem> codec)
        => type == typeof(List<TItem>) ? new ListArrayCodec<TItem>(codec)
            : type == typeof(PgArray<TItem>) ? new ShapedArrayCodec<TItem>(codec)
            : type == typeof(TItem[,]) ? new MatrixArrayCodec<TItem>(codec)
            : null;
}

/// <summary>A struct, with its nullable form alone and in arrays.</summary>
internal class BuiltInValue<T>(PgCodec<T> codec, params uint[] columns) : BuiltInType<T>(codec, columns)
    where T : struct
{
    internal override IObjectCodecs? CodecOf(Type type)
    {
        if (base.CodecOf(type) is { } found)
        {
            return found;
        }

        var nullable = new NullableCodec<T>(Codec);
        return type == typeof(T?) ? nullable : ArrayOf(type, nullable);
    }
}

/// <summary>A struct that can bound ranges.</summary>
internal sealed class BuiltInBound<T>(PgCodec<T> codec, params uint[] columns) : BuiltInValue<T>(codec, columns)
    where T : struct
{
    internal override IObjectCodecs? CodecOf(Type type)
    {
        if (base.CodecOf(type) is { } found)
        {
            return found;
        }

        var range = new RangeCodec<T>(Codec);
        var nullable = new NullableCodec<PgRange<T>>(range);
        var ranges = new MultiRangeCodec<T>(range);
        return type == typeof(PgRange<T>) ? range
            : type == typeof(PgRange<T>?) ? nullable
            : type == typeof(PgRange<T>[]) ? ranges
            : CollectionOf(type, range) ?? CollectionOf(type, nullable) ?? ArrayOf(type, ranges);
    }

    internal override void AddReaders(Dictionary<uint, ColumnReader> readers)
    {
        base.AddReaders(readers);

        // With codecs of their own: the codec that is found for an array of ranges is the multirange's.
        var range = new RangeCodec<T>(Codec);
        var arrays = new ArrayColumnReader<PgRange<T>>(new VectorArrayCodec<PgRange<T>>(range), new MatrixArrayCodec<PgRange<T>>(range));
        foreach (uint rangeId in Columns.Select(PgTypeTable.RangeOf).Where(static rangeId => rangeId != 0))
        {
            uint multiRangeId = PgTypeTable.RangeOf(rangeId);
            readers[rangeId] = new ColumnReader<PgRange<T>>();
            readers[PgTypeTable.ArrayOf(rangeId)] = arrays;
            readers[multiRangeId] = new ColumnReader<PgRange<T>[]>();
            readers[PgTypeTable.ArrayOf(multiRangeId)] = new ArrayColumnReader<PgRange<T>[]>();
        }
    }
}
