namespace Ioxide.Tls;

/// <summary>What sealing and opening share: the keys of one direction, OpenSSL's context for them, and the number of the next record.</summary>
/// <remarks>Threads: one at a time. Source: RFC 8446, sections 5.2 and 5.3; RFC 5246, section 6.2.3.3; RFC 5288; RFC 7905.</remarks>
internal abstract unsafe class RecordDirection : IDisposable
{
    /// <summary>TLS 1.2: sequence (8), type, version (2), length (2). TLS 1.3: the head, 5 bytes.</summary>
    private protected const int MaxAssociatedBytes = 13;

    private protected RecordDirection(RecordKeys keys, ulong sequence, bool isSealing)
    {
        Keys = keys;
        Sequence = sequence;
        Cipher = new CipherContext(keys.Suite.Cipher, isSealing);
        Cipher.SetKey(keys.Key);
    }

    internal RecordKeys Keys { get; }

    internal RecordSuite Suite => Keys.Suite;

    /// <summary>The number of the next record.</summary>
    internal ulong Sequence { get; set; }

    /// <summary>Data of one record, in bytes: less than <see cref="RecordHeader.MaxPlaintext"/> where the handshake agreed on less.</summary>
    internal int MaxDataBytes { get; set; } = RecordHeader.MaxPlaintext;

    private protected CipherContext Cipher { get; }

    /// <summary>TLS 1.3: continues with the next keys. The KeyUpdate message was the last record of the old ones.</summary>
    internal void Update()
    {
        Keys.Update();
        Sequence = 0;
        Cipher.SetKey(Keys.Key);
    }

    public void Dispose()
    {
        Cipher.Dispose();
        Keys.Dispose();
    }

    /// <summary>Writes the nonce of the next record, 12 bytes.</summary>
    private protected void WriteNonce(byte* nonce)
    {
        var target = new Span<byte>(nonce, RecordKeys.IvBytes);
        Keys.Iv.CopyTo(target);
        Span<byte> tail = target[(RecordKeys.IvBytes - sizeof(ulong))..];

        // GCM of TLS 1.2 has zeroes here: the number is the part that the record carries.
        BinaryPrimitives.WriteUInt64BigEndian(tail, BinaryPrimitives.ReadUInt64BigEndian(tail) ^ Sequence);
    }

    /// <summary>Writes what is authenticated with the next record. Returns it.</summary>
    private protected Span<byte> WriteAssociated(RecordType type, ReadOnlySpan<byte> header, int dataBytes, Span<byte> target)
    {
        if (Suite.IsTls13)
        {
            header.CopyTo(target);
            return target[..RecordHeader.SizeInBytes];
        }

        BinaryPrimitives.WriteUInt64BigEndian(target, Sequence);
        target[8] = (byte)type;
        target[9] = 3;
        target[10] = 3;
        BinaryPrimitives.WriteUInt16BigEndian(target[11..], (ushort)dataBytes);
        return target[..MaxAssociatedBytes];
    }
}
