using System.Net;
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
    public override string ToString()
    {
        Span<byte> wire = stackalloc byte[InetWire.MaxBytes];
        int length = InetWire.Write(Address, PrefixLength, IsCidr, wire);
        var sink = new Utf8Sink(stackalloc byte[64]);
        InetText.Write(wire[..length], ref sink);
        return Encoding.ASCII.GetString(sink.Written);
    }
}
