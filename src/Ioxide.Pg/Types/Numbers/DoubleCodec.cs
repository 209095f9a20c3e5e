using System.Buffers.Binary;
using System.Globalization;

namespace Ioxide.Pg;

/// <summary><c>float8</c>; types that it holds without loss are read too.</summary>
internal sealed class DoubleCodec() : FixedCodec<double>(PgTypeId.Float8, sizeof(double))
{
    internal static readonly DoubleCodec Instance = new();

    protected override string Remedy => "A double would lose digits: read it as decimal, PgNumeric or long, or cast it in the statement.";

    public override void Write(double value, Span<byte> destination) => BinaryPrimitives.WriteDoubleBigEndian(destination, value);

    public override double Read(PgField field)
        => field.IsBinary(PgTypeId.Float8) && field.Bytes.Length == sizeof(double)
            ? BinaryPrimitives.ReadDoubleBigEndian(field.Bytes)
            : base.Read(field);

    protected override bool Reads(uint typeId) => typeId is PgTypeId.Float8 or PgTypeId.Float4 or PgTypeId.Int2 or PgTypeId.Int4;

    protected override double ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        switch (typeId)
        {
            case PgTypeId.Float8:
                CheckLength(bytes, sizeof(double), typeId);
                return BinaryPrimitives.ReadDoubleBigEndian(bytes);
            case PgTypeId.Float4:
                CheckLength(bytes, sizeof(float), typeId);
                return BinaryPrimitives.ReadSingleBigEndian(bytes);
            default:
                return IntegerCodecs.Read(bytes, typeId);
        }
    }

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out double value)
        => double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out value);
}
