using System.Net;

namespace Ioxide.Pg;

/// <summary><c>inet</c> of a host. As in Npgsql, a value that is read loses its prefix; <see cref="PgInet"/> keeps it.</summary>
internal sealed class IPAddressCodec() : ValueCodec<IPAddress>(PgTypeId.Inet)
{
    internal static readonly IPAddressCodec Instance = new();

    public override int Measure(IPAddress value) => InetWire.Measure(value);

    public override void Write(IPAddress value, Span<byte> destination) => InetWire.Write(value, InetWire.BitsOf(value), isCidr: false, destination);

    protected override IPAddress ReadBinary(ReadOnlySpan<byte> bytes, uint typeId) => new(InetWire.Open(bytes, out _, out _));

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out IPAddress value)
    {
        bool isAddress = InetText.TryParse(text, isCidr: false, out PgInet inet);
        value = inet.Address;
        return isAddress;
    }
}
