using System.Numerics;

namespace Ioxide.Pg;

/// <summary><c>numeric</c> as an integer of any length; integers are read too.</summary>
internal sealed class BigIntegerCodec() : ValueCodec<BigInteger>(PgTypeId.Numeric)
{
    internal static readonly BigIntegerCodec Instance = new();

    public override int Measure(BigInteger value) => Convert(value).Wire.Length;

    public override void Write(BigInteger value, Span<byte> destination) => Convert(value).Wire.CopyTo(destination);

    protected override bool Reads(uint typeId) => typeId == PgTypeId.Numeric || IntegerCodecs.IsInteger(typeId);

    protected override BigInteger ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
        => IntegerOf(PgNumericCodec.Instance.Read(new PgField(bytes, typeId, PgFormat.Binary)));

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out BigInteger value)
    {
        bool isNumber = PgNumeric.TryParse(text, null, out PgNumeric number);
        value = isNumber ? IntegerOf(number) : default;
        return isNumber;
    }

    private static BigInteger IntegerOf(PgNumeric value)
    {
        if (!value.IsInteger)
        {
            TypeErrors.ThrowRange<BigInteger>(PgTypeId.Numeric, "it is no integer", nameof(PgNumeric));
        }

        return value.ToBigInteger();
    }

    private static PgNumeric Convert(BigInteger value)
    {
        try
        {
            return value;
        }
        catch (OverflowException)
        {
            TypeErrors.ThrowValue<BigInteger>("numeric", "it has more than 131,072 digits");
            throw;
        }
    }
}
