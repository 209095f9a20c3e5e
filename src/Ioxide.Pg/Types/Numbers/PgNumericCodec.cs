namespace Ioxide.Pg;

/// <summary>Lossless <c>numeric</c>; integers are read too.</summary>
internal sealed class PgNumericCodec() : ValueCodec<PgNumeric>(PgTypeId.Numeric)
{
    internal static readonly PgNumericCodec Instance = new();

    public override int Measure(PgNumeric value) => value.Wire.Length;

    public override void Write(PgNumeric value, Span<byte> destination) => value.Wire.CopyTo(destination);

    protected override bool Reads(uint typeId) => typeId == PgTypeId.Numeric || IntegerCodecs.IsInteger(typeId);

    protected override PgNumeric ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        if (typeId != PgTypeId.Numeric)
        {
            return IntegerCodecs.Read(bytes, typeId);
        }

        _ = new NumericView(bytes); // Checks it once, so that no later use can fail.
        return new PgNumeric(bytes.ToArray());
    }

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgNumeric value)
        => PgNumeric.TryParse(text, null, out value);
}
