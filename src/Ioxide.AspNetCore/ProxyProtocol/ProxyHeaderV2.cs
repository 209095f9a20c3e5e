using System.Buffers.Binary;
using System.Numerics;
using System.Text.Unicode;

namespace Ioxide.AspNetCore;

/// <summary>Version 2 of the header.</summary>
/// <remarks>
/// <code>
/// 0   signature, 12 bytes
/// 12  version (4 bits, 2), command (4 bits: 0 LOCAL, 1 PROXY)
/// 13  family (4 bits: 0 unspecified, 1 IPv4, 2 IPv6, 3 unix), protocol (4 bits: 0 unspecified, 1 stream, 2 datagram)
/// 14  length of what follows, 2 bytes in network order
/// 16  addresses: source, destination (4, 16 or 108 bytes each), for IP their ports (2 bytes each)
///     values: type (1 byte), length (2 bytes in network order), bytes. The client's TLS (0x20) is a byte of flags, four bytes of the
///     verification's result, and values of its own, 0x21 to 0x2F
/// </code>
/// With LOCAL, and with a family or protocol that is unspecified, the connection keeps its own addresses. Source: proxy-protocol.txt of
/// HAProxy, section 2.2.
/// </remarks>
internal static class ProxyHeaderV2
{
    internal const int FixedBytes = 16;
    internal const int SignatureBytes = 12;
    internal const byte TlsType = 0x20;
    internal const byte LastTypeWithinTls = 0x2F;
    internal const int TlsFixedBytes = 5;

    private const int Version = 2;
    private const int LocalCommand = 0;
    private const int ProxyCommand = 1;
    private const int UnspecifiedFamily = 0;
    private const int IPv4Family = 1;
    private const int IPv6Family = 2;
    private const int UnixFamily = 3;
    private const int StreamProtocol = 1;
    private const int DatagramProtocol = 2;
    private const int PortBytes = 2;
    private const int IPv4Bytes = 4;
    private const int IPv6Bytes = 16;
    private const int UnixBytes = 108;
    private const byte SumType = 0x03;
    private const int ValueHeadBytes = 3;

    internal static ReadOnlySpan<byte> Signature => "\r\n\r\n\0\r\nQUIT\n"u8;

    /// <param name="buffer">What came so far; it begins with the signature, or with the beginning of it.</param>
    /// <param name="maxBytes">The longest header that is taken.</param>
    internal static ProxyHeaderReading Read(in ReadOnlySequence<byte> buffer, int maxBytes)
    {
        if (buffer.Length < FixedBytes)
        {
            return ProxyHeaderReading.Incomplete;
        }

        Span<byte> head = stackalloc byte[FixedBytes];
        buffer.Slice(0, FixedBytes).CopyTo(head);
        if (head[12] >> 4 != Version)
        {
            return ProxyHeaderReading.Refused($"its header has version {head[12] >> 4}. Make the balancer send version 2 or 1.");
        }

        int lengthBytes = FixedBytes + BinaryPrimitives.ReadUInt16BigEndian(head[14..]);
        if (lengthBytes > maxBytes)
        {
            return ProxyHeaderReading.Refused(
                $"its header has {lengthBytes} bytes, more than the {maxBytes} of MaxHeaderBytes. If the length is right, raise MaxHeaderBytes.");
        }

        if (buffer.Length < lengthBytes)
        {
            return ProxyHeaderReading.Incomplete;
        }

        return Parse(buffer.Slice(0, lengthBytes).ToArray());
    }

    /// <summary>The first value of a type.</summary>
    internal static bool TryFind(ReadOnlyMemory<byte> values, byte type, out ReadOnlyMemory<byte> value)
    {
        while (TryTake(ref values, out byte found, out value))
        {
            if (found == type)
            {
                return true;
            }
        }

        return false;
    }

    private static ProxyHeaderReading Parse(byte[] bytes)
    {
        int command = bytes[12] & 0xF;
        int family = bytes[13] >> 4;
        int protocol = bytes[13] & 0xF;
        if (command == LocalCommand)
        {
            return new(new ProxyHeader { LengthBytes = bytes.Length, IsLocal = true }, null);
        }

        if (command != ProxyCommand || family > UnixFamily || protocol > DatagramProtocol)
        {
            return ProxyHeaderReading.Refused(
                $"its header has command {command}, family {family} and protocol {protocol}, which version 2 does not define. The "
                + "balancer may be newer than this library.");
        }

        if (family == UnspecifiedFamily)
        {
            return new(new ProxyHeader { LengthBytes = bytes.Length }, null);
        }

        int addressBytes = family switch { IPv4Family => IPv4Bytes, IPv6Family => IPv6Bytes, _ => UnixBytes };
        int endOfAddresses = FixedBytes + (2 * (addressBytes + (family == UnixFamily ? 0 : PortBytes)));
        if (bytes.Length < endOfAddresses)
        {
            return ProxyHeaderReading.Refused("its header ends within the addresses, which is a fault of the balancer.");
        }

        ReadOnlyMemory<byte> values = bytes.AsMemory(endOfAddresses);
        if (ProblemOf(values, bytes) is { } problem)
        {
            return ProxyHeaderReading.Refused(problem);
        }

        bool hasEndPoints = protocol == StreamProtocol;
        EndPoint? EndPointOf(int index)
        {
            ReadOnlySpan<byte> address = bytes.AsSpan(FixedBytes + (index * addressBytes), addressBytes);
            return !hasEndPoints ? null
                : family == UnixFamily ? UnixEndPointOf(address)
                : new IPEndPoint(
                    new IPAddress(address),
                    BinaryPrimitives.ReadUInt16BigEndian(bytes.AsSpan(FixedBytes + (2 * addressBytes) + (index * PortBytes))));
        }

        return new(
            new ProxyHeader
            {
                LengthBytes = bytes.Length,
                HasEndPoints = hasEndPoints,
                Source = EndPointOf(0),
                Destination = EndPointOf(1),
                Values = values,
            },
            null);
    }

    /// <summary>Null for a socket without a name, and for a name that .NET cannot hold.</summary>
    private static UnixDomainSocketEndPoint? UnixEndPointOf(ReadOnlySpan<byte> path)
    {
        // An abstract name begins with a zero and may hold more of them; here it ends where only zeros follow.
        int length = path[0] == 0 ? path.LastIndexOfAnyExcept((byte)0) + 1 : path.IndexOf((byte)0);
        return length > 0 && length < UnixBytes && Utf8.IsValid(path[..length])
            ? new UnixDomainSocketEndPoint(Encoding.UTF8.GetString(path[..length]))
            : null;
    }

    /// <summary>What is wrong with the values, or null.</summary>
    private static string? ProblemOf(ReadOnlyMemory<byte> rest, ReadOnlySpan<byte> header)
    {
        bool isChecked = false;
        while (TryTake(ref rest, out byte type, out ReadOnlyMemory<byte> value))
        {
            if (type == SumType)
            {
                if (isChecked || value.Length != sizeof(uint) || !IsSumRight(header, header.Length - rest.Length - sizeof(uint)))
                {
                    return "the checksum of its header is wrong. The bytes were changed on the way, or the balancer is at fault.";
                }

                isChecked = true;
            }
            else if (type == TlsType && (value.Length < TlsFixedBytes || !AreWhole(value[TlsFixedBytes..])))
            {
                return "the TLS value of its header is truncated, which is a fault of the balancer.";
            }
        }

        return rest.IsEmpty ? null : "its header ends within a value, which is a fault of the balancer.";
    }

    private static bool AreWhole(ReadOnlyMemory<byte> values)
    {
        while (TryTake(ref values, out _, out _))
        {
        }

        return values.IsEmpty;
    }

    /// <summary>Cuts the first value off.</summary>
    /// <returns>False where nothing is left, and where what is left is no whole value.</returns>
    private static bool TryTake(ref ReadOnlyMemory<byte> rest, out byte type, out ReadOnlyMemory<byte> value)
    {
        (type, value) = (0, default);
        if (rest.Length < ValueHeadBytes)
        {
            return false;
        }

        int lengthBytes = BinaryPrimitives.ReadUInt16BigEndian(rest.Span[1..]);
        if (rest.Length < ValueHeadBytes + lengthBytes)
        {
            return false;
        }

        (type, value) = (rest.Span[0], rest.Slice(ValueHeadBytes, lengthBytes));
        rest = rest[(ValueHeadBytes + lengthBytes)..];
        return true;
    }

    /// <summary>CRC-32C of the header, its own four bytes taken as zeros. Source: RFC 9260, appendix A; in network order.</summary>
    private static bool IsSumRight(ReadOnlySpan<byte> header, int sumOffset)
    {
        uint sum = uint.MaxValue;
        for (int index = 0; index < header.Length; index++)
        {
            bool isOwn = index >= sumOffset && index < sumOffset + sizeof(uint);
            sum = BitOperations.Crc32C(sum, isOwn ? (byte)0 : header[index]);
        }

        return ~sum == BinaryPrimitives.ReadUInt32BigEndian(header[sumOffset..]);
    }
}
