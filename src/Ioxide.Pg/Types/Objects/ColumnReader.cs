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

    internal abstract object Read(PgField field);

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

        return readers;
    }
}

/// <inheritdoc/>
internal class ColumnReader<T>() : ColumnReader(typeof(T))
{
    internal override object Read(PgField field) => PgCodecs<T>.Instance.Read(field)!; // Never called for NULL.
}

/// <summary>Arrays of one dimension, and of two.</summary>
internal sealed class ArrayColumnReader<T>() : ColumnReader(typeof(Array))
{
    internal override object Read(PgField field)
        => field.Format == PgFormat.Binary && field.Bytes.Length >= sizeof(int) && BinaryPrimitives.ReadInt32BigEndian(field.Bytes) == 2
            ? PgCodecs<T[,]>.Instance.Read(field)
            : PgCodecs<T[]>.Instance.Read(field);
}

/// <summary>What a function that returns void returns: nothing, as on Npgsql.</summary>
internal sealed class VoidColumnReader() : ColumnReader(typeof(string))
{
    internal override object Read(PgField field) => null!;
}
