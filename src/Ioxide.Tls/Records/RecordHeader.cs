namespace Ioxide.Tls;

/// <summary>The clear head of a record: type, version, length; 5 bytes.</summary>
/// <remarks>Source: RFC 8446, section 5.1; RFC 5246, section 6.2.</remarks>
internal readonly record struct RecordHeader(RecordType Type, int LengthBytes)
{
    internal const int SizeInBytes = 5;

    /// <summary>Plaintext of one record.</summary>
    internal const int MaxPlaintext = 16 * 1024;

    /// <summary>What encryption may add to it.</summary>
    internal const int MaxExpansion13 = 256;
    internal const int MaxExpansion12 = 2048;

    /// <summary>The versions as messages and libraries number them.</summary>
    internal const int Version12 = 0x0303;
    internal const int Version13 = 0x0304;

    private const byte MajorVersion = 3;

    /// <summary>Reads the head where all of it is there.</summary>
    /// <param name="buffer">Received bytes from the start of a record.</param>
    /// <param name="maxExpansion">What the version in use may add to the plaintext.</param>
    /// <param name="header">The head.</param>
    /// <exception cref="TlsException">It is no TLS record, or too long.</exception>
    internal static bool TryRead(in ReadOnlySequence<byte> buffer, int maxExpansion, out RecordHeader header)
    {
        Span<byte> copy = stackalloc byte[SizeInBytes];
        scoped ReadOnlySpan<byte> head = buffer.FirstSpan;
        header = default;
        if (head.Length < SizeInBytes)
        {
            int available = (int)Math.Min(SizeInBytes, buffer.Length);
            buffer.Slice(0, available).CopyTo(copy);
            if (available > 0)
            {
                // What can never become a record need not be waited for.
                CheckStart(copy[..available]);
            }

            if (available < SizeInBytes)
            {
                return false;
            }

            head = copy;
        }

        CheckStart(head);
        header = new RecordHeader((RecordType)head[0], BinaryPrimitives.ReadUInt16BigEndian(head[3..]));
        if (header.LengthBytes > MaxPlaintext + maxExpansion)
        {
            throw new TlsException(TlsFailure.Protocol, $"The peer sent a record of {header.LengthBytes} bytes.", TlsAlert.RecordOverflow);
        }

        return true;
    }

    /// <summary>Whether a whole record is there.</summary>
    internal static bool IsWhole(in ReadOnlySequence<byte> buffer, int maxExpansion, out RecordHeader header)
        => TryRead(buffer, maxExpansion, out header) && buffer.Length >= SizeInBytes + header.LengthBytes;

    private static void CheckStart(ReadOnlySpan<byte> head)
    {
        if (head[0] is < (byte)RecordType.ChangeCipherSpec or > (byte)RecordType.ApplicationData
            || (head.Length > 1 && head[1] != MajorVersion))
        {
            throw new TlsException(TlsFailure.Protocol, "The peer sent something that is not a TLS record.", TlsAlert.UnexpectedMessage);
        }
    }
}
