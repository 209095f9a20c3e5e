using System.Text;

namespace Ioxide.Pg;

/// <summary>Reads dates and times as the server prints them with <c>DateStyle = ISO</c>, in any time zone.</summary>
internal static class DateTimeParser
{
    /// <summary>Whole hours in the longest interval.</summary>
    private const long MaxHours = long.MaxValue / PgEpoch.MicrosecondsPerHour;

    internal static bool TryParseDate(ReadOnlySpan<byte> text, out int days)
    {
        if (TryParseInfinity(text, out bool isPositive))
        {
            days = isPositive ? int.MaxValue : int.MinValue;
            return true;
        }

        var cursor = new TextCursor(text);
        days = 0;
        if (!TryDay(ref cursor, out long year, out int month, out int day))
        {
            return false;
        }

        long count = PgEpoch.Join(cursor.TryTake(" BC"u8) ? 1 - year : year, month, day);
        days = (int)count;
        return cursor.IsAtEnd && count is > int.MinValue and < int.MaxValue;
    }

    /// <param name="text">The text.</param>
    /// <param name="microseconds">Microseconds since the epoch, in UTC if the text names a time zone.</param>
    internal static bool TryParseTimestamp(ReadOnlySpan<byte> text, out long microseconds)
    {
        if (TryParseInfinity(text, out bool isPositive))
        {
            microseconds = isPositive ? long.MaxValue : long.MinValue;
            return true;
        }

        var cursor = new TextCursor(text);
        microseconds = 0;
        if (!TryDay(ref cursor, out long year, out int month, out int day)
            || !(cursor.TryTake((byte)' ') || cursor.TryTake((byte)'T')) || !TryTime(ref cursor, out long ofDay))
        {
            return false;
        }

        _ = TryOffset(ref cursor, out int offsetSeconds);
        long days = PgEpoch.Join(cursor.TryTake(" BC"u8) ? 1 - year : year, month, day);
        Int128 total = (Int128)days * PgEpoch.MicrosecondsPerDay + ofDay - offsetSeconds * PgEpoch.MicrosecondsPerSecond;
        microseconds = (long)total;
        return cursor.IsAtEnd && total > long.MinValue && total < long.MaxValue;
    }

    internal static bool TryParseTime(ReadOnlySpan<byte> text, out long microseconds)
    {
        var cursor = new TextCursor(text);
        return TryTime(ref cursor, out microseconds) && cursor.IsAtEnd && microseconds <= PgEpoch.MicrosecondsPerDay;
    }

    internal static bool TryParseTimeTz(ReadOnlySpan<byte> text, out long microseconds, out int offsetSeconds)
    {
        var cursor = new TextCursor(text);
        offsetSeconds = 0;
        return TryTime(ref cursor, out microseconds) && TryOffset(ref cursor, out offsetSeconds) && cursor.IsAtEnd
            && microseconds <= PgEpoch.MicrosecondsPerDay;
    }

    internal static bool TryTime(ref TextCursor cursor, out long microseconds)
    {
        microseconds = 0;
        if (!cursor.TryNumber(out long hours) || hours > MaxHours || !cursor.TryTake((byte)':')
            || !cursor.TryNumber(out long minutes) || minutes > 59 || !cursor.TryTake((byte)':')
            || !cursor.TryNumber(out long seconds) || seconds > 60)
        {
            return false;
        }

        long fraction = 0;
        if (cursor.TryTake((byte)'.') && !cursor.TryFraction(6, out fraction))
        {
            return false;
        }

        microseconds = hours * PgEpoch.MicrosecondsPerHour + minutes * PgEpoch.MicrosecondsPerMinute
            + seconds * PgEpoch.MicrosecondsPerSecond + fraction;
        return microseconds >= 0; // Only the last hour in the range of long overflows.
    }

    private static bool TryDay(ref TextCursor cursor, out long year, out int month, out int day)
    {
        // Under another DateStyle the month may come first: a year has at least four digits.
        int before = cursor.Rest.Length;
        bool isDate = cursor.TryNumber(out year) & before - cursor.Rest.Length >= 4 & cursor.TryTake((byte)'-')
            & cursor.TryNumber(out long monthNumber) & cursor.TryTake((byte)'-') & cursor.TryNumber(out long dayNumber);
        month = (int)monthNumber;
        day = (int)dayNumber;
        return isDate && year is > 0 and < 10_000_000 && monthNumber is >= 1 and <= 12 && dayNumber is >= 1 and <= 31;
    }

    private static bool TryOffset(ref TextCursor cursor, out int offsetSeconds)
    {
        offsetSeconds = 0;
        if (cursor.TryTake((byte)'Z'))
        {
            return true;
        }

        bool isWest = cursor.TryTake((byte)'-');
        if ((!isWest && !cursor.TryTake((byte)'+')) || !cursor.TryNumber(out long hours) || hours > 99)
        {
            return false;
        }

        long minutes = 0;
        long seconds = 0;
        _ = cursor.TryTake((byte)':') && cursor.TryNumber(out minutes) && cursor.TryTake((byte)':') && cursor.TryNumber(out seconds);
        int magnitude = (int)(hours * 3600 + minutes * 60 + seconds);
        offsetSeconds = isWest ? -magnitude : magnitude;
        return minutes <= 59 && seconds <= 59;
    }

    private static bool TryParseInfinity(ReadOnlySpan<byte> text, out bool isPositive)
    {
        isPositive = Ascii.EqualsIgnoreCase(text, "infinity"u8);
        return isPositive || Ascii.EqualsIgnoreCase(text, "-infinity"u8);
    }
}
