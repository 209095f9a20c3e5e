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
