using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary><c>date</c>. As in Npgsql, the infinities are <see cref="DateOnly.MaxValue"/> and <see cref="DateOnly.MinValue"/>.</summary>
internal sealed class DateOnlyCodec() : FixedCodec<DateOnly>(PgTypeId.Date, sizeof(int))
{
    internal static readonly DateOnlyCodec Instance = new();

    public override void Write(DateOnly value, Span<byte> destination)
        => BinaryPrimitives.WriteInt32BigEndian(
            destination,
            value == DateOnly.MaxValue ? int.MaxValue : value == DateOnly.MinValue ? int.MinValue : value.DayNumber - PgEpoch.Days);

    protected override DateOnly ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        CheckLength(bytes, sizeof(int), typeId);
        return Convert(BinaryPrimitives.ReadInt32BigEndian(bytes));
    }

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out DateOnly value)
    {
        bool isDate = DateTimeParser.TryParseDate(text, out int days);
        value = isDate ? Convert(days) : default;
        return isDate;
    }

    private static DateOnly Convert(int days)
    {
        if (new PgDate(days).TryToDateOnly(out DateOnly value))
        {
            return value;
        }

        if (days is not (int.MaxValue or int.MinValue))
        {
            TypeErrors.ThrowRange<DateOnly>(PgTypeId.Date, "it lies outside the years 1 to 9999", nameof(PgDate));
        }

        return days > 0 ? DateOnly.MaxValue : DateOnly.MinValue;
    }
}
