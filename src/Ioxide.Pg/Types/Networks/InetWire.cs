using System.Net;
using System.Net.Sockets;

namespace Ioxide.Pg;

/// <summary>The wire form of <c>inet</c> and <c>cidr</c>: family, bits of the prefix, whether it is a cidr, length, address.</summary>
/// <remarks>Source: network_send in src/backend/utils/adt/network.c.</remarks>
internal static class InetWire
{
    internal const int HeaderBytes = 4;
    internal const int MaxBytes = HeaderBytes + 16;
    internal const byte FamilyV4 = 2;
    internal const byte FamilyV6 = 3;

    internal static int BitsOf(IPAddress address) => address.AddressFamily == AddressFamily.InterNetwork ? 32 : 128;

    internal static int Measure(IPAddress address) => HeaderBytes + BitsOf(address) / 8;

    /// <returns>Bytes written.</returns>
    internal static int Write(IPAddress address, int prefixLength, bool isCidr, Span<byte> destination)
    {
        destination[0] = address.AddressFamily == AddressFamily.InterNetwork ? FamilyV4 : FamilyV6;
        destination[1] = (byte)prefixLength;
        destination[2] = isCidr ? (byte)1 : (byte)0;
        destination[3] = (byte)(BitsOf(address) / 8);
        address.TryWriteBytes(destination[HeaderBytes..], out int length);
        return HeaderBytes + length;
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
