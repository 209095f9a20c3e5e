using System.Net;
using System.Net.NetworkInformation;
using NpgsqlTypes;

namespace Ioxide.Pg.Tests;

internal static partial class WireCases
{
    private static IEnumerable<KeyValuePair<string, WireCase>> Networks() =>
    [
        References("inet", AnyAddress, IPAddress.Any, IPAddress.Broadcast, IPAddress.IPv6Any, IPAddress.IPv6Loopback),
        Values("inet", static value => new NpgsqlInet(value.Address, (byte)value.PrefixLength), AnyInet,
            new PgInet(IPAddress.Any, 0), new PgInet(IPAddress.Loopback, 32), new PgInet(IPAddress.IPv6Any, 0), new PgInet(IPAddress.Parse("::ffff:1.2.3.4"), 128)),
        Values("cidr", AnyNetwork, IPNetwork.Parse("0.0.0.0/0"), IPNetwork.Parse("10.0.0.1/32"), IPNetwork.Parse("::/0"), IPNetwork.Parse("2001:db8::/32")),
        References("macaddr", static random => AnyMac(random, 6), new PhysicalAddress(new byte[6]), PhysicalAddress.Parse("FF-FF-FF-FF-FF-FF")),
        References("macaddr8", static random => AnyMac(random, 8), new PhysicalAddress(new byte[8])),
    ];

    private static IPAddress AnyAddress(Random random)
    {
        byte[] bytes = new byte[random.Next(2) == 0 ? 4 : 16];
        random.NextBytes(bytes);
        for (int zeros = random.Next(bytes.Length); zeros > 0; zeros--)
        {
            bytes[random.Next(bytes.Length)] = 0;
        }

        return new IPAddress(bytes);
    }

    private static PgInet AnyInet(Random random)
    {
        IPAddress address = AnyAddress(random);
        return new PgInet(address, random.Next(address.GetAddressBytes().Length * 8 + 1));
    }

    private static IPNetwork AnyNetwork(Random random)
    {
        byte[] bytes = AnyAddress(random).GetAddressBytes();
        int prefixLength = random.Next(bytes.Length * 8 + 1);
        for (int bit = prefixLength; bit < bytes.Length * 8; bit++)
        {
            bytes[bit / 8] &= (byte)~(0x80 >> (bit % 8));
        }

        return new IPNetwork(new IPAddress(bytes), prefixLength);
    }

    private static PhysicalAddress AnyMac(Random random, int lengthBytes)
    {
        byte[] bytes = new byte[lengthBytes];
        random.NextBytes(bytes);
        return new PhysicalAddress(bytes);
    }
}
