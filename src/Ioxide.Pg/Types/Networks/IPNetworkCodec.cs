using System.Net;

namespace Ioxide.Pg;

/// <summary><c>cidr</c>.</summary>
internal sealed class IPNetworkCodec() : ValueCodec<IPNetwork>(PgTypeId.Cidr)
{
    internal static readonly IPNetworkCodec Instance = new();

    protected override string Remedy => "Read it as PgInet or IPAddress: the address of an inet need not be that of a network.";

    public override int Measure(IPNetwork value) => InetWire.Measure(value.BaseAddress);

    public override void Write(IPNetwork value, Span<byte> destination)
        => InetWire.Write(value.BaseAddress, value.PrefixLength, isCidr: true, destination);

    protected override IPNetwork ReadBinary(ReadOnlySpan<byte> bytes, uint typeId) => Convert(InetWire.Read(bytes));

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out IPNetwork value)
    {
        bool isNetwork = InetText.TryParse(text, isCidr: true, out PgInet inet);
        value = isNetwork ? Convert(inet) : default;
        return isNetwork;
    }

    private static IPNetwork Convert(PgInet value)
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
