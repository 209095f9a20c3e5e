namespace Ioxide.Tls;

/// <summary>Looks for a whole ClientHello in what a client has sent: OpenSSL is called when there is work for it, not before.</summary>
/// <remarks>
/// <para>OpenSSL allocates for a message as soon as it knows its length: 9 bytes would cost 128 KiB. Until the message is here, a client
/// costs what it has sent. A hello may come in fragments of any size, so the bytes that they take together are bounded, not their number.</para>
/// <para>A second hello answers a HelloRetryRequest. Records of other types may come before it (RFC 8446, section 4.2.10 and appendix
/// D.4); OpenSSL judges each of them.</para>
/// <para>A mutable struct: a record that was seen whole is not looked at again, so nothing may be consumed between two looks.
/// Source: RFC 8446, sections 4 and 5.1.</para>
/// </remarks>
internal struct HelloScan(bool isSecond)
{
    /// <summary>The most that one hello may take on the wire. A browser's takes about 2 KiB.</summary>
    internal const int MaxBytes = 32 * 1024;

    private const int HeadBytes = 4;
    private const int ClientHello = 1;
    private const int LengthBits = 24;
    private const uint LengthMask = (1 << LengthBits) - 1;

    private int _scannedBytes;
    private int _messageBytes;
    private uint _head;

    /// <summary>Whether the hello, or a record in front of a second one, is whole.</summary>
    /// <param name="buffer">What was received, from the same place at each look.</param>
    /// <param name="lengthBytes">How much of the buffer it takes, with the heads of its records.</param>
    /// <exception cref="TlsException">What the client sent cannot become a hello.</exception>
    internal bool IsWhole(in ReadOnlySequence<byte> buffer, out int lengthBytes)
    {
        lengthBytes = 0;
        while (TryTakeRecord(buffer.Slice(_scannedBytes), out RecordType type))
        {
            bool isWhole = type != RecordType.Handshake
                || (_messageBytes >= HeadBytes && _messageBytes - HeadBytes >= (_head & LengthMask));
            if (isWhole)
            {
                lengthBytes = _scannedBytes;
                return true;
            }
        }

        return false;
    }

    /// <summary>Only application data may be empty (RFC 8446, section 5.1); empty handshake records would cost nothing and never end.</summary>
    /// <exception cref="TlsException">The record carries handshake messages and is empty.</exception>
    internal static void ThrowIfEmpty(in RecordHeader header)
    {
        if (header is { Type: RecordType.Handshake, LengthBytes: 0 })
        {
            throw new TlsException(TlsFailure.Protocol, "The peer sent an empty handshake record.", TlsAlert.UnexpectedMessage);
        }
    }

    private bool TryTakeRecord(in ReadOnlySequence<byte> rest, out RecordType type)
    {
        bool hasHead = RecordHeader.TryRead(rest, isSecond ? RecordHeader.MaxExpansion13 : 0, out RecordHeader header);
        type = header.Type;
        if (!hasHead)
        {
            return false;
        }

        CheckType(header);
        if (_scannedBytes + RecordHeader.SizeInBytes + header.LengthBytes > MaxBytes)
        {
            throw TooLong();
        }

        if (rest.Length < RecordHeader.SizeInBytes + header.LengthBytes)
        {
            return false;
        }

        _scannedBytes += RecordHeader.SizeInBytes + header.LengthBytes;
        if (type == RecordType.Handshake)
        {
            TakeFragment(rest.Slice(RecordHeader.SizeInBytes, header.LengthBytes));
        }

        return true;
    }

    private readonly void CheckType(in RecordHeader header)
    {
        ThrowIfEmpty(header);
        bool mayComeFirst = isSecond && _messageBytes == 0;
        if (header.Type == RecordType.Alert && !mayComeFirst)
        {
            throw new TlsException(TlsFailure.PeerAlert, "The client sent an alert in place of its hello.");
        }

        if (header.Type != RecordType.Handshake && !mayComeFirst)
        {
            throw new TlsException(
                TlsFailure.Protocol, $"The client sent a record of type {header.Type} in place of its hello.", TlsAlert.UnexpectedMessage);
        }
    }

    private void TakeFragment(in ReadOnlySequence<byte> fragment)
    {
        Span<byte> start = stackalloc byte[HeadBytes];
        start = start[..(int)Math.Clamp(HeadBytes - _messageBytes, 0, Math.Min(HeadBytes, fragment.Length))];
        fragment.Slice(0, start.Length).CopyTo(start);
        foreach (byte next in start)
        {
            if (_messageBytes == 0 && next != ClientHello)
            {
                throw new TlsException(
                    TlsFailure.Protocol, $"The client's first message is of type {next}; a hello is of type {ClientHello}.",
                    TlsAlert.UnexpectedMessage);
            }

            _head = (_head << 8) | next;
            _messageBytes++;
        }

        _messageBytes += (int)fragment.Length - start.Length;
        if (_messageBytes >= HeadBytes && (_head & LengthMask) > MaxBytes)
        {
            throw TooLong();
        }
    }

    private static TlsException TooLong()
        => new(TlsFailure.Protocol, $"The client's hello takes more than {MaxBytes} bytes.", TlsAlert.IllegalParameter);
}
