namespace Ioxide.Tls;

/// <summary>Encrypts records of one direction, in order.</summary>
/// <remarks>
/// <code>
/// TLS 1.3: 17 03 03 len | AEAD(data, type) | tag 16        nonce = IV xor sequence, authenticated: the head
/// TLS 1.2: type 03 03 len | [nonce 8, GCM] | AEAD(data) | tag 16    authenticated: sequence, type, version, length of data
/// </code>
/// Each number is used once: a repeated nonce would give the key away, so the sequence belongs to this object alone.
/// Threads: one at a time. Source: RFC 8446, section 5; RFC 5246, section 6.2.3.3; RFC 7905.
/// </remarks>
internal sealed unsafe class RecordSealer(RecordKeys keys, ulong sequence) : RecordDirection(keys, sequence, isSealing: true)
{
    // AES-GCM is safe for 2^24.5 full records of one key (RFC 8446, section 5.5).
    private const ulong RecordsOfOneKey = 1UL << 24;

    /// <summary>Bytes that a record adds to its data.</summary>
    internal int OverheadBytes => RecordHeader.SizeInBytes + Suite.ExplicitNonceBytes + (Suite.IsTls13 ? 1 : 0) + CipherContext.TagBytes;

    /// <summary>TLS 1.3: so much was encrypted that a KeyUpdate is due.</summary>
    internal bool NeedsNewKey => Suite.IsTls13 && Sequence >= RecordsOfOneKey;

    /// <summary>Makes one record.</summary>
    /// <param name="type">What it carries.</param>
    /// <param name="data">At most <see cref="RecordDirection.MaxDataBytes"/>.</param>
    /// <param name="destination">Room for the data and <see cref="OverheadBytes"/>. Must not overlap the data.</param>
    /// <returns>Bytes of the record.</returns>
    internal int Seal(RecordType type, ReadOnlySpan<byte> data, Span<byte> destination)
    {
        Debug.Assert(data.Length <= MaxDataBytes);
        int recordBytes = data.Length + OverheadBytes;
        destination = destination[..recordBytes];
        destination[0] = (byte)(Suite.IsTls13 ? RecordType.ApplicationData : type);
        destination[1] = 3;
        destination[2] = 3;
        BinaryPrimitives.WriteUInt16BigEndian(destination[3..], (ushort)(recordBytes - RecordHeader.SizeInBytes));
        byte* nonce = stackalloc byte[RecordKeys.IvBytes];
        WriteNonce(nonce);
        int bodyAt = RecordHeader.SizeInBytes + Suite.ExplicitNonceBytes;
        if (Suite.ExplicitNonceBytes > 0)
        {
            BinaryPrimitives.WriteUInt64BigEndian(destination[RecordHeader.SizeInBytes..], Sequence);
        }

        Span<byte> associated = WriteAssociated(
            type, destination[..RecordHeader.SizeInBytes], data.Length, stackalloc byte[MaxAssociatedBytes]);
        Cipher.Seal(nonce, associated, data, Suite.IsTls13 ? [(byte)type] : default(ReadOnlySpan<byte>), destination[bodyAt..]);
        GC.KeepAlive(this);
        Sequence++;
        return recordBytes;
    }
}
