using System.Globalization;

namespace Ioxide.Pg;

/// <summary><c>uuid</c>.</summary>
internal sealed class GuidCodec() : FixedCodec<Guid>(PgTypeId.Uuid, 16)
{
    internal static readonly GuidCodec Instance = new();

    public override void Write(Guid value, Span<byte> destination) => value.TryWriteBytes(destination, bigEndian: true, out _);

    protected override Guid ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        CheckLength(bytes, 16, typeId);
        return new Guid(bytes, bigEndian: true);
    }

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out Guid value)
        => Guid.TryParse(text, CultureInfo.InvariantCulture, out value);
}
