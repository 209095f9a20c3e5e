using System.Globalization;
using System.Text;

namespace Ioxide.Pg;

/// <summary>Intervals as the server prints them with <c>IntervalStyle = postgres</c>.</summary>
/// <remarks>Source: EncodeInterval in src/backend/utils/adt/datetime.c.</remarks>
internal static class IntervalText
{
    private const int MonthsPerYear = 12;

    internal static void Write(PgInterval value, ref Utf8Sink sink)
    {
        if (DateTimeText.WriteInfinity(value == PgInterval.Infinity, value == PgInterval.NegativeInfinity, ref sink))
        {
            return;
        }

        bool isFirst = true;
        bool isBefore = false;
        WritePart(value.Months / MonthsPerYear, "year"u8, ref isFirst, ref isBefore, ref sink);
        WritePart(value.Months % MonthsPerYear, "mon"u8, ref isFirst, ref isBefore, ref sink);
        WritePart(value.Days, "day"u8, ref isFirst, ref isBefore, ref sink);
        if (value.Microseconds == 0 && !isFirst)
        {
            return;
        }

        sink.Write(isFirst ? [] : " "u8);
        sink.Write(value.Microseconds < 0 ? "-"u8 : isBefore ? "+"u8 : []);
        if (value.Microseconds == long.MinValue)
        {
            sink.Write("2562047788:00:54.775808"u8); // Its magnitude does not fit a long.
            return;
        }

        DateTimeText.WriteTime(Math.Abs(value.Microseconds), ref sink);
    }

    internal static bool TryParse(ReadOnlySpan<byte> text, out PgInterval value)
    {
        value = Ascii.EqualsIgnoreCase(text, "infinity"u8) ? PgInterval.Infinity : PgInterval.NegativeInfinity;
        if (Ascii.EqualsIgnoreCase(text, "infinity"u8) || Ascii.EqualsIgnoreCase(text, "-infinity"u8))
        {
            return true;
        }

        value = default;
        if (text.IsEmpty)
        {
            return false;
        }

        long months = 0;
        long days = 0;
        Int128 microseconds = 0;
        while (!text.IsEmpty)
        {
            int space = text.IndexOf((byte)' ');
            ReadOnlySpan<byte> word = space < 0 ? text : text[..space];
            text = space < 0 ? [] : text[(space + 1)..];
            bool isPart = word.Contains((byte)':')
                ? text.IsEmpty && TryTime(word, out microseconds)
                : TryPart(word, ref text, ref months, ref days);
            if (!isPart)
            {
                return false;
            }
        }

        value = new PgInterval((int)months, (int)days, (long)microseconds);
        return months == value.Months && days == value.Days && microseconds == value.Microseconds;
    }

    private static void WritePart(int value, ReadOnlySpan<byte> unit, ref bool isFirst, ref bool isBefore, ref Utf8Sink sink)
    {
        if (value == 0)
        {
            return;
        }

        sink.Write(isFirst ? [] : " "u8);
        sink.Write(isBefore && value > 0 ? "+"u8 : []);
        value.TryFormat(sink.Room(16), out int written, default, CultureInfo.InvariantCulture);
        sink.Advance(written);
        sink.Write(' ');
        sink.Write(unit);
        sink.Write(value == 1 ? [] : "s"u8);
        isFirst = false;
        isBefore = value < 0;
    }

    private static bool TryTime(ReadOnlySpan<byte> word, out Int128 microseconds)
    {
        bool isNegative = word[0] == '-';
        microseconds = long.MinValue;
        if (word.SequenceEqual("-2562047788:00:54.775808"u8))
        {
            return true;
        }

        var cursor = new TextCursor(word[0] is (byte)'-' or (byte)'+' ? word[1..] : word);
        bool isTime = DateTimeParser.TryTime(ref cursor, out long magnitude) && cursor.IsAtEnd;
        microseconds = isNegative ? -magnitude : magnitude;
        return isTime;
    }

    private static bool TryPart(ReadOnlySpan<byte> number, ref ReadOnlySpan<byte> text, ref long months, ref long days)
    {
        int space = text.IndexOf((byte)' ');
        ReadOnlySpan<byte> unit = (space < 0 ? text : text[..space]).TrimEnd((byte)'s');
        text = space < 0 ? [] : text[(space + 1)..];
        if (!int.TryParse(number, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int count))
        {
            return false;
        }

        months += unit.SequenceEqual("year"u8) ? count * (long)MonthsPerYear : unit.SequenceEqual("mon"u8) ? count : 0;
        days += unit.SequenceEqual("day"u8) ? count : 0;
        return unit.SequenceEqual("year"u8) || unit.SequenceEqual("mon"u8) || unit.SequenceEqual("day"u8);
    }
}
