namespace Ioxide.Pg;

/// <summary><c>bool</c>; a single bit is read too.</summary>
internal sealed class BoolCodec() : FixedCodec<bool>(PgTypeId.Bool, 1)
{
    internal static readonly BoolCodec Instance = new();

    public override void Write(bool value, Span<byte> destination) => destination[0] = value ? (byte)1 : (byte)0;

    public override bool Read(PgField field)
        => field.IsBinary(PgTypeId.Bool) && field.Bytes.Length == 1 ? field.Bytes[0] != 0 : base.Read(field);

    protected override bool Reads(uint typeId) => typeId is PgTypeId.Bool or PgTypeId.Bit or PgTypeId.VarBit;

    protected override bool ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        if (typeId == PgTypeId.Bool)
        {
            CheckLength(bytes, 1, typeId);
            return bytes[0] != 0;
        }

        var reader = new FieldReader(bytes, typeId);
        int bitCount = reader.ReadInt32();
        if (bitCount != 1)
        {
            TypeErrors.ThrowRange<bool>(typeId, $"it has {bitCount} bits", nameof(PgBits));
        }

        return (reader.ReadByte() & 0x80) != 0;
    }

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out bool value)
    {
        value = text is [(byte)'t' or (byte)'1'];
        return text is [(byte)'t' or (byte)'f' or (byte)'1' or (byte)'0'];
    }
}
