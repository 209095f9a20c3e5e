using System.Buffers.Binary;
using System.Globalization;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Ioxide.Pg;

/// <summary>The codecs of integers, and helpers for other codecs.</summary>
internal static class IntegerCodecs
{
    internal static readonly IntegerCodec<short> Int16 = new(PgTypeId.Int2);
    internal static readonly IntegerCodec<int> Int32 = new(PgTypeId.Int4);
    internal static readonly IntegerCodec<long> Int64 = new(PgTypeId.Int8);
    internal static readonly IntegerCodec<uint> UInt32 = new(PgTypeId.Oid);
    internal static readonly IntegerCodec<ulong> UInt64 = new(PgTypeId.Xid8);

    /// <summary>Whether the type is one of the signed integers.</summary>
    internal static bool IsInteger(uint typeId) => typeId is PgTypeId.Int2 or PgTypeId.Int4 or PgTypeId.Int8;

    /// <summary>Reads any of the signed integers.</summary>
    internal static long Read(ReadOnlySpan<byte> bytes, uint typeId) => Int64.Read(new PgField(bytes, typeId, PgFormat.Binary));
}

/// <summary>Integers: <c>int2</c>, <c>int4</c>, <c>int8</c>, OIDs and <c>xid8</c>. Narrower ones are widened, none is narrowed.</summary>
/// <typeparam name="T"><see cref="short"/>, <see cref="int"/>, <see cref="long"/>, <see cref="uint"/> or <see cref="ulong"/>.</typeparam>
internal sealed class IntegerCodec<T>(uint typeId) : FixedCodec<T>(typeId, Unsafe.SizeOf<T>())
    where T : unmanaged, IBinaryInteger<T>
{
    internal override string Remedy => typeof(T) == typeof(long)
        ? "Read it as decimal, PgNumeric or BigInteger, as string for its text, or cast it in the statement."
        : "Read it as the type that fits it (long for int8, int for int4), as string for its text, or cast it in the statement.";

    public override void Write(T value, Span<byte> destination)
    {
        if (Unsafe.SizeOf<T>() == sizeof(short))
        {
            BinaryPrimitives.WriteInt16BigEndian(destination, Unsafe.BitCast<T, short>(value));
        }
        else if (Unsafe.SizeOf<T>() == sizeof(int))
        {
            BinaryPrimitives.WriteInt32BigEndian(destination, Unsafe.BitCast<T, int>(value));
        }
        else
        {
            BinaryPrimitives.WriteInt64BigEndian(destination, Unsafe.BitCast<T, long>(value));
        }
    }

    public override T Read(PgField field)
        => field.IsBinary(TypeId) && field.Bytes.Length == Unsafe.SizeOf<T>() ? ReadOwn(field.Bytes) : base.Read(field);

    internal override bool Reads(uint typeId) => typeId == TypeId || (
        typeof(T) == typeof(uint) ? PgTypeTable.KindOf(typeId) == PgTypeKind.Oid
        : typeof(T) == typeof(int) ? typeId is PgTypeId.Int2
        : typeof(T) == typeof(long) && (typeId is PgTypeId.Int2 or PgTypeId.Int4 || PgTypeTable.KindOf(typeId) == PgTypeKind.Oid));

    internal override T ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        switch (PgTypeTable.KindOf(typeId))
        {
            case PgTypeKind.Int2:
                CheckLength(bytes, sizeof(short), typeId);
                return T.CreateChecked(BinaryPrimitives.ReadInt16BigEndian(bytes));
            case PgTypeKind.Int4:
                CheckLength(bytes, sizeof(int), typeId);
                return T.CreateChecked(BinaryPrimitives.ReadInt32BigEndian(bytes));
            case PgTypeKind.Oid:
                CheckLength(bytes, sizeof(uint), typeId);
                return T.CreateChecked(BinaryPrimitives.ReadUInt32BigEndian(bytes));
            default:
                CheckLength(bytes, sizeof(long), typeId);
                return ReadOwn(bytes);
        }
    }

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out T value)
        => T.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out value);

    private static T ReadOwn(ReadOnlySpan<byte> bytes)
        => Unsafe.SizeOf<T>() == sizeof(short) ? Unsafe.BitCast<short, T>(BinaryPrimitives.ReadInt16BigEndian(bytes))
            : Unsafe.SizeOf<T>() == sizeof(int) ? Unsafe.BitCast<int, T>(BinaryPrimitives.ReadInt32BigEndian(bytes))
            : Unsafe.BitCast<long, T>(BinaryPrimitives.ReadInt64BigEndian(bytes));
}
