using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary>Lossless <c>date</c>.</summary>
internal sealed class PgDateCodec() : FixedCodec<PgDate>(PgTypeId.Date, sizeof(int))
{
    internal static readonly PgDateCodec Instance = new();

    public override void Write(PgDate value, Span<byte> destination) => BinaryPrimitives.WriteInt32BigEndian(destination, value.Days);

    protected override PgDate ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        CheckLength(bytes, sizeof(int), typeId);
        return new PgDate(BinaryPrimitives.ReadInt32BigEndian(bytes));
    }

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgDate value)
    {
        bool isDate = DateTimeParser.TryParseDate(text, out int days);
        value = new PgDate(days);
        return isDate;
    }
}
