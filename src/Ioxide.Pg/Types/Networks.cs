using System.Buffers;
using System.Buffers.Binary;
using System.Globalization;
using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.Pg;

/// <summary>A lossless <c>inet</c> or <c>cidr</c>: an address and the number of its network bits.</summary>
public readonly record struct PgInet
{
    /// <param name="address">The address, of IPv4 or IPv6; a scope is not sent.</param>
    /// <param name="prefixLength">The number of network bits, from 0 to 32 or 128.</param>
    /// <param name="isCidr">Whether it is a network (<c>cidr</c>): then the bits after the prefix must be zero.</param>
    public PgInet(IPAddress address, int prefixLength, bool isCidr = false)
    {
        ArgumentNullException.ThrowIfNull(address);
        ArgumentOutOfRangeException.ThrowIfNegative(prefixLength);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(prefixLength, InetWire.BitsOf(address));
        Address = address;
        PrefixLength = prefixLength;
        IsCidr = isCidr;
    }

    /// <param name="address">The address of a host: its prefix covers every bit.</param>
    public PgInet(IPAddress address)
        : this(address, InetWire.BitsOf(address))
    {
    }

    /// <summary>The address.</summary>
    public IPAddress Address { get => field ?? IPAddress.Any; }

    /// <summary>The number of network bits.</summary>
    public int PrefixLength { get; }

    /// <summary>Whether it is a network (<c>cidr</c>).</summary>
    public bool IsCidr { get; }

    /// <summary>Returns the server's text: <c>10.0.0.1</c>, <c>10.0.0.0/8</c>.</summary>
    public override string ToString() => FieldText.Print(PgInetCodec.Instance, this);
}

/// <summary>Lossless <c>inet</c> and <c>cidr</c>.</summary>
internal sealed class PgInetCodec() : BuiltInCodec<PgInet>(PgTypeId.Inet)
{
    internal static readonly PgInetCodec Instance = new();

    public override bool IsTypeFixed => false;

    public override uint TypeIdOf(PgInet value) => value.IsCidr ? PgTypeId.Cidr : PgTypeId.Inet;

    public override int Measure(PgInet value) => InetWire.Measure(value.Address);

    public override void Write(PgInet value, Span<byte> destination)
        => InetWire.Write(value.Address, value.PrefixLength, value.IsCidr, destination);

    internal override bool Reads(uint typeId) => typeId is PgTypeId.Inet or PgTypeId.Cidr;

    internal override PgInet ReadBinary(ReadOnlySpan<byte> bytes, uint typeId) => InetWire.Read(bytes);

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgInet value)
        => InetText.TryParse(text, typeId == PgTypeId.Cidr, out value);
}

/// <summary><c>inet</c> of a host. As in Npgsql, a value that is read loses its prefix; <see cref="PgInet"/> keeps it.</summary>
internal sealed class IPAddressCodec() : ConvertedCodec<IPAddress, PgInet>(PgTypeId.Inet, PgInetCodec.Instance)
{
    public override int Measure(IPAddress value) => InetWire.Measure(value);

    public override void Write(IPAddress value, Span<byte> destination) => InetWire.Write(value, InetWire.BitsOf(value), isCidr: false, destination);

    internal override bool Reads(uint typeId) => typeId == PgTypeId.Inet;

    protected override IPAddress FromExact(PgInet value) => value.Address;
}

/// <summary><c>cidr</c>.</summary>
internal sealed class IPNetworkCodec() : ConvertedCodec<IPNetwork, PgInet>(PgTypeId.Cidr, PgInetCodec.Instance)
{
    internal override string Remedy => "Read it as PgInet or IPAddress: the address of an inet need not be that of a network.";

    public override int Measure(IPNetwork value) => InetWire.Measure(value.BaseAddress);

    public override void Write(IPNetwork value, Span<byte> destination)
        => InetWire.Write(value.BaseAddress, value.PrefixLength, isCidr: true, destination);

    internal override bool Reads(uint typeId) => typeId == PgTypeId.Cidr;

    protected override IPNetwork FromExact(PgInet value)
    {
        try
        {
            return new IPNetwork(value.Address, value.PrefixLength);
        }
        catch (ArgumentException)
        {
            TypeErrors.ThrowRange<IPNetwork>(PgTypeId.Cidr, "bits are set behind its prefix", nameof(PgInet));
            throw;
        }
    }
}

/// <summary>The wire form of <c>inet</c> and <c>cidr</c>: family, bits of the prefix, whether it is a cidr, length, address.</summary>
/// <remarks>Source: network_send in src/backend/utils/adt/network.c.</remarks>
internal static class InetWire
{
    internal const int HeaderBytes = 4;
    internal const byte FamilyV4 = 2;
    internal const byte FamilyV6 = 3;

    internal static int BitsOf(IPAddress address) => address.AddressFamily == AddressFamily.InterNetwork ? 32 : 128;

    internal static int Measure(IPAddress address) => HeaderBytes + BitsOf(address) / 8;

    internal static void Write(IPAddress address, int prefixLength, bool isCidr, Span<byte> destination)
    {
        destination[0] = address.AddressFamily == AddressFamily.InterNetwork ? FamilyV4 : FamilyV6;
        destination[1] = (byte)prefixLength;
        destination[2] = isCidr ? (byte)1 : (byte)0;
        destination[3] = (byte)(BitsOf(address) / 8);
        address.TryWriteBytes(destination[HeaderBytes..], out _);
    }

    /// <summary>Checks a wire form.</summary>
    /// <returns>The bytes of the address.</returns>
    internal static ReadOnlySpan<byte> Open(ReadOnlySpan<byte> wire, out int prefixLength, out bool isCidr)
    {
        var reader = new FieldReader(wire, PgTypeId.Inet);
        byte family = reader.ReadByte();
        prefixLength = reader.ReadByte();
        isCidr = reader.ReadByte() != 0;
        ReadOnlySpan<byte> address = reader.Take(reader.ReadByte());
        reader.End();
        if (family is not (FamilyV4 or FamilyV6) || address.Length != (family == FamilyV4 ? 4 : 16) || prefixLength > address.Length * 8)
        {
            TypeErrors.ThrowMalformed(PgTypeId.Inet, "its family, prefix and length do not fit each other");
        }

        return address;
    }

    internal static PgInet Read(ReadOnlySpan<byte> wire)
    {
        ReadOnlySpan<byte> address = Open(wire, out int prefixLength, out bool isCidr);
        return new PgInet(new IPAddress(address), prefixLength, isCidr);
    }
}

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
            sink.WriteFormatted(prefixLength);
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
            sink.WriteFormatted(address[index]);
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

            sink.WriteFormatted(WordAt(address, word), "x");
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
}

/// <summary><c>macaddr</c> of 6 bytes and <c>macaddr8</c> of 8.</summary>
internal sealed class PhysicalAddressCodec() : BuiltInCodec<PhysicalAddress>(PgTypeId.MacAddr)
{
    private const int ShortBytes = 6;
    private const int LongBytes = 8;

    public override bool IsTypeFixed => false;

    public override uint TypeIdOf(PhysicalAddress value) => value?.GetAddressBytes().Length == LongBytes ? PgTypeId.MacAddr8 : PgTypeId.MacAddr;

    public override int Measure(PhysicalAddress value)
    {
        int length = value.GetAddressBytes().Length;
        if (length is not (ShortBytes or LongBytes))
        {
            TypeErrors.ThrowValue<PhysicalAddress>("macaddr", $"it has {length} bytes");
        }

        return length;
    }

    public override void Write(PhysicalAddress value, Span<byte> destination) => value.GetAddressBytes().CopyTo(destination);

    internal override bool Reads(uint typeId) => typeId is PgTypeId.MacAddr or PgTypeId.MacAddr8;

    /// <summary>Checks a wire form, which is the address.</summary>
    internal static ReadOnlySpan<byte> Open(ReadOnlySpan<byte> bytes, uint typeId)
    {
        CheckLength(bytes, typeId == PgTypeId.MacAddr ? ShortBytes : LongBytes, typeId);
        return bytes;
    }

    internal override PhysicalAddress ReadBinary(ReadOnlySpan<byte> bytes, uint typeId) => new(Open(bytes, typeId).ToArray());

    /// <summary>Reads what the server prints: pairs of digits with colons between them.</summary>
    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PhysicalAddress value)
    {
        const int PairBytes = 3;
        value = PhysicalAddress.None;
        int length = (text.Length + 1) / PairBytes;
        bool fits = length == ShortBytes ? typeId != PgTypeId.MacAddr8 : length == LongBytes && typeId != PgTypeId.MacAddr;
        if (!fits || text.Length != length * PairBytes - 1)
        {
            return false;
        }

        byte[] address = new byte[length];
        for (int index = 0; index < length; index++)
        {
            ReadOnlySpan<byte> pair = text[(index * PairBytes)..];
            if (Convert.FromHexString(pair[..2], address.AsSpan(index), out _, out _) != OperationStatus.Done || pair is [_, _, not (byte)':', ..])
            {
                return false;
            }
        }

        value = new PhysicalAddress(address);
        return true;
    }
}
