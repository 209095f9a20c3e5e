namespace Ioxide.Pg;

/// <summary>Lossless <c>inet</c> and <c>cidr</c>.</summary>
internal sealed class PgInetCodec() : ValueCodec<PgInet>(PgTypeId.Inet)
{
    internal static readonly PgInetCodec Instance = new();

    public override bool IsTypeFixed => false;

    public override uint TypeIdOf(PgInet value) => value.IsCidr ? PgTypeId.Cidr : PgTypeId.Inet;

    public override int Measure(PgInet value) => InetWire.Measure(value.Address);

    public override void Write(PgInet value, Span<byte> destination)
        => InetWire.Write(value.Address, value.PrefixLength, value.IsCidr, destination);

    protected override bool Reads(uint typeId) => typeId is PgTypeId.Inet or PgTypeId.Cidr;

    protected override PgInet ReadBinary(ReadOnlySpan<byte> bytes, uint typeId) => InetWire.Read(bytes);

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgInet value)
        => InetText.TryParse(text, typeId == PgTypeId.Cidr, out value);
}
