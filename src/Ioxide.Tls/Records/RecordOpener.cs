namespace Ioxide.Tls;

/// <summary>Decrypts records of one direction, in order. The twin of <see cref="RecordSealer"/>.</summary>
/// <remarks>What it writes is authentic only once it returns. Where it throws, the output must not be used. Threads: one at a time.</remarks>
internal sealed unsafe class RecordOpener(RecordKeys keys, ulong sequence) : RecordDirection(keys, sequence, isSealing: false)
{
    internal int MaxExpansion => Suite.IsTls13 ? RecordHeader.MaxExpansion13 : RecordHeader.MaxExpansion12;

    /// <summary>Room that decrypting the record may need; 0 and less say that it cannot be a protected record.</summary>
    internal int RoomFor(int recordBodyBytes) => recordBodyBytes - Suite.ExplicitNonceBytes - CipherContext.TagBytes;

    /// <summary>Decrypts one record.</summary>
    /// <param name="header">Its head.</param>
    /// <param name="body">What follows the head, all of it.</param>
    /// <param name="destination">At least <see cref="RoomFor"/> bytes.</param>
    /// <returns>What it carried, and how many bytes of data.</returns>
    /// <exception cref="TlsException">It is not authentic, or not allowed here.</exception>
    internal (RecordType Type, int LengthBytes) Open(RecordHeader header, ReadOnlySequence<byte> body, Span<byte> destination)
    {
        if (Suite.IsTls13 && header.Type != RecordType.ApplicationData)
        {
            throw new TlsException(
                TlsFailure.Protocol, $"The peer sent a record of type {header.Type} in clear text.", TlsAlert.UnexpectedMessage);
        }

        int dataBytes = RoomFor(header.LengthBytes);
        if (dataBytes < (Suite.IsTls13 ? 1 : 0))
        {
            throw BadRecord();
        }

        // TLS 1.3: type and padding count as well (RFC 8446, section 5.4).
        if (dataBytes > MaxDataBytes + (Suite.IsTls13 ? 1 : 0))
        {
            throw new TlsException(
                TlsFailure.Protocol, $"The peer sent a record of {dataBytes} plain bytes; {MaxDataBytes} bytes of data are allowed.",
                TlsAlert.RecordOverflow);
        }

        Span<byte> head = [(byte)header.Type, 3, 3, (byte)(header.LengthBytes >> 8), (byte)header.LengthBytes];
        Span<byte> associated = WriteAssociated(header.Type, head, dataBytes, stackalloc byte[MaxAssociatedBytes]);
        byte* nonce = stackalloc byte[RecordKeys.IvBytes];
        if (Suite.ExplicitNonceBytes == 0)
        {
            WriteNonce(nonce);
        }
        else
        {
            // The peer chooses its part freely.
            Keys.Iv.CopyTo(new Span<byte>(nonce, RecordKeys.IvBytes));
            body.Slice(0, Suite.ExplicitNonceBytes).CopyTo(new Span<byte>(nonce + Suite.FixedIvBytes, Suite.ExplicitNonceBytes));
            body = body.Slice(Suite.ExplicitNonceBytes);
        }

        byte* tag = stackalloc byte[CipherContext.TagBytes];
        body.Slice(dataBytes, CipherContext.TagBytes).CopyTo(new Span<byte>(tag, CipherContext.TagBytes));
        if (!Cipher.Open(nonce, associated, body.Slice(0, dataBytes), tag, destination[..dataBytes]))
        {
            throw BadRecord();
        }

        GC.KeepAlive(this);
        Sequence++;
        return Suite.IsTls13 ? Unpad(destination[..dataBytes]) : (header.Type, dataBytes);
    }

    /// <summary>The type is the last byte that is not zero; what follows it is padding.</summary>
    private static (RecordType Type, int LengthBytes) Unpad(ReadOnlySpan<byte> inner)
    {
        int typeAt = inner.LastIndexOfAnyExcept((byte)0);
        if (typeAt < 0)
        {
            throw new TlsException(TlsFailure.Protocol, "The peer sent a record without a type.", TlsAlert.UnexpectedMessage);
        }

        return ((RecordType)inner[typeAt], typeAt);
    }

    private static TlsException BadRecord()
        => new(TlsFailure.BadRecord, "The peer sent a record that is not authentic.", TlsAlert.BadRecordMac);
}
