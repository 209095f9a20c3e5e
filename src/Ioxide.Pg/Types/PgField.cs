using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary>One value of a row in the receive buffer. A codec cannot read beyond it.</summary>
/// <param name="bytes">The value in its wire form, without its length; empty if it is NULL.</param>
/// <param name="typeId">The type's OID; 0 if it is not known.</param>
/// <param name="format">The form of <paramref name="bytes"/>.</param>
/// <param name="isNull">Whether the value is NULL.</param>
public readonly ref struct PgField(ReadOnlySpan<byte> bytes, uint typeId, PgFormat format, bool isNull = false)
{
    /// <summary>The value in its wire form, without its length; empty if it is NULL.</summary>
    public ReadOnlySpan<byte> Bytes { get; } = bytes;

    /// <summary>The type's OID, for a domain that of its base type; 0 if it is not known.</summary>
    public uint TypeId { get; } = typeId;

    /// <summary>The form of <see cref="Bytes"/>.</summary>
    public PgFormat Format { get; } = format;

    /// <summary>Whether the value is NULL.</summary>
    public bool IsNull { get; } = isNull;

    /// <summary>Returns a NULL of a type.</summary>
    /// <param name="typeId">The type's OID.</param>
    /// <returns>The field.</returns>
    public static PgField Null(uint typeId) => new([], typeId, PgFormat.Binary, isNull: true);

    /// <summary>Whether the value is not NULL, in binary form, and of this type.</summary>
    internal bool IsBinary(uint typeId) => TypeId == typeId && Format == PgFormat.Binary && !IsNull;
}

/// <summary>Reads big-endian parts of one field. A part that exceeds the field is an error of that field, not of the connection.</summary>
internal ref struct FieldReader(ReadOnlySpan<byte> bytes, uint typeId)
{
    private readonly uint _typeId = typeId;
    private ReadOnlySpan<byte> _rest = bytes;

    internal readonly ReadOnlySpan<byte> Rest => _rest;

    internal byte ReadByte() => Take(1)[0];

    internal short ReadInt16() => BinaryPrimitives.ReadInt16BigEndian(Take(sizeof(short)));

    internal ushort ReadUInt16() => BinaryPrimitives.ReadUInt16BigEndian(Take(sizeof(ushort)));

    internal int ReadInt32() => BinaryPrimitives.ReadInt32BigEndian(Take(sizeof(int)));

    internal uint ReadUInt32() => BinaryPrimitives.ReadUInt32BigEndian(Take(sizeof(uint)));

    internal double ReadDouble() => BinaryPrimitives.ReadDoubleBigEndian(Take(sizeof(double)));

    /// <summary>Reads a 32-bit count of parts that follow. Each has at least so many bytes, so that nothing is allocated for missing ones.</summary>
    internal int ReadCount(int leastBytes)
    {
        int count = ReadInt32();
        if (count < 0 || count > _rest.Length / leastBytes)
        {
            TypeErrors.ThrowMalformed(_typeId, "it has fewer parts than it says");
        }

        return count;
    }

    /// <summary>Reads a 32-bit length and that many bytes; -1 is NULL.</summary>
    internal ReadOnlySpan<byte> ReadValue(out bool isNull)
    {
        int lengthBytes = ReadInt32();
        isNull = lengthBytes == -1;
        return isNull ? [] : Take(lengthBytes);
    }

    internal PgField ReadField(uint typeId)
    {
        ReadOnlySpan<byte> value = ReadValue(out bool isNull);
        return new PgField(value, typeId, PgFormat.Binary, isNull);
    }

    internal ReadOnlySpan<byte> Take(int lengthBytes)
    {
        if ((uint)lengthBytes > (uint)_rest.Length)
        {
            TypeErrors.ThrowMalformed(_typeId, "it is shorter than its parts");
        }

        ReadOnlySpan<byte> value = _rest[..lengthBytes];
        _rest = _rest[lengthBytes..];
        return value;
    }

    /// <summary>Checks that nothing is left.</summary>
    internal readonly void End()
    {
        if (!_rest.IsEmpty)
        {
            TypeErrors.ThrowMalformed(_typeId, "it is longer than its parts");
        }
    }
}
