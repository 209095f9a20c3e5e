using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary><c>numeric</c> as <see cref="decimal"/>, exactly and with its scale; integers and <c>money</c> are read too.</summary>
internal sealed class DecimalCodec() : ValueCodec<decimal>(PgTypeId.Numeric)
{
    internal static readonly DecimalCodec Instance = new();

    public override int Measure(decimal value) => NumericDecimal.Measure(value);

    public override void Write(decimal value, Span<byte> destination) => NumericDecimal.Write(value, destination);

    protected override bool Reads(uint typeId)
        => typeId is PgTypeId.Numeric or PgTypeId.Money || IntegerCodecs.IsInteger(typeId);

    protected override decimal ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        if (typeId == PgTypeId.Money)
        {
            CheckLength(bytes, sizeof(long), typeId);
            return MoneyText.ToDecimal(BinaryPrimitives.ReadInt64BigEndian(bytes));
        }

        if (typeId != PgTypeId.Numeric)
        {
            return IntegerCodecs.Read(bytes, typeId);
        }

        if (!NumericDecimal.TryRead(new NumericView(bytes), out decimal value))
        {
            ThrowTooLong();
        }

        return value;
    }

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out decimal value)
    {
        value = 0;
        if (typeId == PgTypeId.Money)
        {
            return MoneyText.TryParse(text, out value);
        }

        if (!PgNumeric.TryParse(text, null, out PgNumeric exact))
        {
            return false;
        }

        if (!exact.TryToDecimal(out value))
        {
            ThrowTooLong();
        }

        return true;
    }

    private static void ThrowTooLong()
        => TypeErrors.ThrowRange<decimal>(PgTypeId.Numeric, "it is NaN, infinite, or has more than 28 digits", nameof(PgNumeric));
}
