using System.Buffers.Binary;
using System.Globalization;
using System.Net;
using System.Text;

namespace Ioxide.Pg;

/// <summary>Prints and reads addresses as the server does.</summary>
/// <remarks>Source: src/port/inet_net_ntop.c: the first longest run of two or more zero words becomes <c>::</c>.</remarks>
internal static class InetText
{
    private const int Words = 8;

    internal static void Write(scoped ReadOnlySpan<byte> wire, ref Utf8Sink sink)
    {
        ReadOnlySpan<byte> address = InetWire.Open(wire, out int prefixLength, out bool isCidr);
        if (address.Length == 4)
        {
            WriteV4(address, ref sink);
        }
        else
        {
            WriteV6(address, ref sink);
        }

        if (isCidr || prefixLength != address.Length * 8)
        {
            sink.Write('/');
            WriteNumber(prefixLength, default, ref sink);
        }
    }

    internal static bool TryParse(ReadOnlySpan<byte> text, bool isCidr, out PgInet value)
    {
        value = default;
        int slash = text.IndexOf((byte)'/');
        if (!IPAddress.TryParse(Encoding.UTF8.GetString(slash < 0 ? text : text[..slash]), out IPAddress? address))
        {
            return false;
        }

        int bits = InetWire.BitsOf(address);
        int prefixLength = bits;
        if (slash >= 0 && (!int.TryParse(text[(slash + 1)..], NumberStyles.None, CultureInfo.InvariantCulture, out prefixLength)
            || prefixLength > bits))
        {
            return false;
        }

        value = new PgInet(address, prefixLength, isCidr);
        return true;
    }

    private static void WriteV4(scoped ReadOnlySpan<byte> address, ref Utf8Sink sink)
    {
        for (int index = 0; index < 4; index++)
        {
            sink.Write(index == 0 ? [] : "."u8);
            WriteNumber(address[index], default, ref sink);
        }
    }

    private static void WriteV6(scoped ReadOnlySpan<byte> address, ref Utf8Sink sink)
    {
        FindZeros(address, out int start, out int length);
        for (int word = 0; word < Words; word++)
        {
            if (word >= start && word < start + length)
            {
                sink.Write(word == start ? ":"u8 : []);
                continue;
            }

            sink.Write(word == 0 ? [] : ":"u8);

            // An IPv4 address inside an IPv6 address.
            if (word == 6 && start == 0 && (length == 6 || (length == 5 && WordAt(address, 5) == 0xFFFF)))
            {
                WriteV4(address[12..], ref sink);
                return;
            }

            WriteNumber(WordAt(address, word), "x", ref sink);
        }

        sink.Write(start + length == Words ? ":"u8 : []);
    }

    private static void FindZeros(ReadOnlySpan<byte> address, out int start, out int length)
    {
        start = -1;
        length = 0;
        for (int word = 0; word < Words; word++)
        {
            int end = word;
            while (end < Words && WordAt(address, end) == 0)
            {
                end++;
            }

            if (end - word > Math.Max(length, 1))
            {
                start = word;
                length = end - word;
            }
        }

        start = length == 0 ? Words + 1 : start;
    }

    private static int WordAt(ReadOnlySpan<byte> address, int word) => BinaryPrimitives.ReadUInt16BigEndian(address[(word * 2)..]);

    private static void WriteNumber(int value, ReadOnlySpan<char> format, ref Utf8Sink sink)
    {
        value.TryFormat(sink.Room(8), out int written, format, CultureInfo.InvariantCulture);
        sink.Advance(written);
    }
}
