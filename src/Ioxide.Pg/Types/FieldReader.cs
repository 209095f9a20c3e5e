using System.Buffers.Binary;

namespace Ioxide.Pg;

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
