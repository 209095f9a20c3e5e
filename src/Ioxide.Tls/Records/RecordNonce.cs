namespace Ioxide.Tls;

/// <summary>The nonce of a record and the bytes that are authenticated with it.</summary>
/// <remarks>Source: RFC 8446, sections 5.2 and 5.3; RFC 5246, section 6.2.3.3; RFC 5288; RFC 7905.</remarks>
internal static unsafe class RecordNonce
{
    /// <summary>TLS 1.2: sequence (8), type, version (2), length (2). TLS 1.3: the head, 5 bytes.</summary>
    internal const int MaxAssociatedBytes = 13;

    /// <summary>12 bytes at <paramref name="nonce"/>.</summary>
    internal static void Write(RecordKeys keys, ulong sequence, byte* nonce)
    {
        var target = new Span<byte>(nonce, RecordKeys.IvBytes);
        keys.Iv.CopyTo(target);
        Span<byte> tail = target[(RecordKeys.IvBytes - sizeof(ulong))..];

        // GCM of TLS 1.2 has zeroes here: the number is the part that the record carries.
        BinaryPrimitives.WriteUInt64BigEndian(tail, BinaryPrimitives.ReadUInt64BigEndian(tail) ^ sequence);
    }

    /// <summary>Returns how many bytes were written.</summary>
    internal static int WriteAssociated(
        RecordSuite suite, ulong sequence, RecordType type, ReadOnlySpan<byte> header, int dataBytes, byte* associated)
    {
        var target = new Span<byte>(associated, MaxAssociatedBytes);
        if (suite.IsTls13)
        {
            header.CopyTo(target);
            return RecordHeader.SizeInBytes;
        }

        BinaryPrimitives.WriteUInt64BigEndian(target, sequence);
        target[8] = (byte)type;
        target[9] = 3;
        target[10] = 3;
        BinaryPrimitives.WriteUInt16BigEndian(target[11..], (ushort)dataBytes);
        return MaxAssociatedBytes;
    }
}
