using System.Buffers.Binary;
using System.Globalization;

namespace Ioxide.Pg;

/// <summary><c>float4</c>; <c>int2</c> is read too.</summary>
internal sealed class SingleCodec() : FixedCodec<float>(PgTypeId.Float4, sizeof(float))
{
    internal static readonly SingleCodec Instance = new();

    protected override string Remedy => "A float would lose digits: read it as double or decimal, or cast it in the statement.";

    public override void Write(float value, Span<byte> destination) => BinaryPrimitives.WriteSingleBigEndian(destination, value);

    protected override bool Reads(uint typeId) => typeId is PgTypeId.Float4 or PgTypeId.Int2;

    protected override float ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        if (typeId == PgTypeId.Int2)
        {
            return IntegerCodecs.Read(bytes, typeId);
        }

        CheckLength(bytes, sizeof(float), typeId);
        return BinaryPrimitives.ReadSingleBigEndian(bytes);
    }

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out float value)
        => float.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out value);
}
