using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.AspNetCore.Tests;

/// <summary>PROXY protocol headers as a balancer writes them, and as no balancer should.</summary>
internal static class HeaderBytes
{
    internal const byte Local = 0x20;
    internal const byte Proxy = 0x21;
    internal const byte Unspecified = 0x00;
    internal const byte Tcp4 = 0x11;
    internal const byte Udp4 = 0x12;
    internal const byte Tcp6 = 0x21;
    internal const byte Unix = 0x31;
    internal const int FixedBytes = 16;
    internal const byte Authority = 0x02;
    internal const byte Crc32c = 0x03;
    internal const byte Noop = 0x04;
    internal const byte UniqueId = 0x05;
    internal const byte Tls = 0x20;

    internal static readonly IPEndPoint Client = IPEndPoint.Parse("203.0.113.7:51000");
    internal static readonly IPEndPoint Service = IPEndPoint.Parse("198.51.100.1:443");
    internal static readonly IPEndPoint Client6 = IPEndPoint.Parse("[2001:db8::7]:51000");
    internal static readonly IPEndPoint Service6 = IPEndPoint.Parse("[2001:db8:1::1]:443");

    /// <summary>A header for a TCP connection, with values behind the addresses.</summary>
    internal static byte[] Of(IPEndPoint source, IPEndPoint destination, params byte[][] values)
    {
        byte[] ports = new byte[4];
        BinaryPrimitives.WriteUInt16BigEndian(ports, (ushort)source.Port);
        BinaryPrimitives.WriteUInt16BigEndian(ports.AsSpan(2), (ushort)destination.Port);
        byte family = source.AddressFamily == AddressFamily.InterNetwork ? Tcp4 : Tcp6;
        return Raw(Proxy, family, [.. source.Address.GetAddressBytes(), .. destination.Address.GetAddressBytes(), .. ports], values);
    }

    /// <summary>The usual header.</summary>
    internal static byte[] OfClient(params byte[][] values) => Of(Client, Service, values);

    /// <summary>A header between two unix sockets; each name is cut or filled with zeros to its 108 bytes.</summary>
    internal static byte[] OfUnix(byte[] source, byte[] destination)
    {
        byte[] addresses = new byte[2 * 108];
        source.AsSpan(0, Math.Min(source.Length, 108)).CopyTo(addresses);
        destination.AsSpan(0, Math.Min(destination.Length, 108)).CopyTo(addresses.AsSpan(108));
        return Raw(Proxy, Unix, addresses);
    }

    /// <summary>A header of any bytes behind a right signature and a right length.</summary>
    internal static byte[] Raw(byte versionAndCommand, byte familyAndProtocol, byte[] addresses, params byte[][] values)
    {
        byte[] block = [.. addresses, .. values.SelectMany(static value => value)];
        byte[] length = new byte[2];
        BinaryPrimitives.WriteUInt16BigEndian(length, (ushort)block.Length);
        return [.. "\r\n\r\n\0\r\nQUIT\n"u8, versionAndCommand, familyAndProtocol, .. length, .. block];
    }

    internal static byte[] Value(byte type, params byte[] bytes)
    {
        byte[] head = [type, 0, 0];
        BinaryPrimitives.WriteUInt16BigEndian(head.AsSpan(1), (ushort)bytes.Length);
        return [.. head, .. bytes];
    }

    internal static byte[] Value(byte type, string text) => Value(type, Encoding.UTF8.GetBytes(text));

    /// <summary>The usual header with a checksum between two other values.</summary>
    internal static byte[] WithSum()
    {
        byte[] header = OfClient(Value(Authority, "a.example"), Value(Crc32c, 0, 0, 0, 0), Value(UniqueId, 1, 2, 3));
        BinaryPrimitives.WriteUInt32BigEndian(header.AsSpan(SumOffset), SumOf(header));
        return header;
    }

    /// <summary>Where the checksum of <see cref="WithSum"/> lies.</summary>
    internal static int SumOffset => OfClient(Value(Authority, "a.example")).Length + 3;

    /// <summary>CRC-32C bit by bit. Source: RFC 9260, appendix A; the polynomial is 0x1EDC6F41, reflected.</summary>
    private static uint SumOf(ReadOnlySpan<byte> bytes)
    {
        uint sum = uint.MaxValue;
        foreach (byte value in bytes)
        {
            sum ^= value;
            for (int bit = 0; bit < 8; bit++)
            {
                sum = (sum >> 1) ^ ((sum & 1) == 0 ? 0 : 0x82F63B78);
            }
        }

        return ~sum;
    }
}
