using System.Text;

namespace Ioxide.Pg;

/// <summary>Prints dates and times as the server does with <c>DateStyle = ISO</c> and the time zone UTC.</summary>
internal static class DateTimeText
{
    internal static void WriteDate(int days, ref Utf8Sink sink)
    {
        if (WriteInfinity(days == int.MaxValue, days == int.MinValue, ref sink))
        {
            return;
        }

        if (WriteDay(days, ref sink))
        {
            sink.Write(" BC"u8);
        }
    }

    /// <param name="microseconds">Microseconds since the epoch; the extremes are the infinities.</param>
    /// <param name="separator">The separator of date and time.</param>
    /// <param name="zone">The text after the time.</param>
    /// <param name="sink">The destination.</param>
    internal static void WriteTimestamp(long microseconds, char separator, scoped ReadOnlySpan<byte> zone, ref Utf8Sink sink)
    {
        if (WriteInfinity(microseconds == long.MaxValue, microseconds == long.MinValue, ref sink))
        {
            return;
        }

        long days = PgEpoch.DaysOf(microseconds, out long ofDay);
        bool isBeforeChrist = WriteDay(days, ref sink);
        sink.Write(separator);
        WriteTime(ofDay, ref sink);
        sink.Write(zone);
        if (isBeforeChrist)
        {
            sink.Write(" BC"u8);
        }
    }

    /// <param name="microseconds">May be negative, and may exceed 24 hours.</param>
    /// <param name="sink">The destination.</param>
    internal static void WriteTime(long microseconds, ref Utf8Sink sink)
    {
        sink.Write(microseconds < 0 ? "-"u8 : []);
        ulong magnitude = microseconds < 0 ? 0 - (ulong)microseconds : (ulong)microseconds; // That of the least does not fit a long.
        long hours = (long)(magnitude / PgEpoch.MicrosecondsPerHour);
        long rest = (long)(magnitude % PgEpoch.MicrosecondsPerHour);
        long minutes = Math.DivRem(rest, PgEpoch.MicrosecondsPerMinute, out rest);
        long seconds = Math.DivRem(rest, PgEpoch.MicrosecondsPerSecond, out long fraction);
        WriteNumber(hours, ref sink);
        sink.Write(':');
        WriteTwo((int)minutes, ref sink);
        sink.Write(':');
        WriteTwo((int)seconds, ref sink);
        if (fraction == 0)
        {
            return;
        }

        sink.Write('.');
        Span<byte> room = sink.Room(6);
        int length = 0;
        for (int index = 5; index >= 0; index--)
        {
            (fraction, long digit) = Math.DivRem(fraction, 10);
            room[index] = (byte)('0' + digit);
            length = length == 0 && digit != 0 ? index + 1 : length;
        }

        sink.Advance(length);
    }

    /// <param name="offsetSeconds">Seconds east of Greenwich.</param>
    /// <param name="sink">The destination.</param>
    internal static void WriteOffset(int offsetSeconds, ref Utf8Sink sink)
    {
        sink.Write(offsetSeconds < 0 ? '-' : '+');
        long seconds = Math.Abs((long)offsetSeconds);
        WriteNumber(seconds / 3600, ref sink);
        long minutes = seconds / 60 % 60;
        seconds %= 60;
        if (minutes != 0 || seconds != 0)
        {
            sink.Write(':');
            WriteTwo((int)minutes, ref sink);
        }

        if (seconds != 0)
        {
            sink.Write(':');
            WriteTwo((int)seconds, ref sink);
        }
    }

    internal static bool WriteInfinity(bool isPositive, bool isNegative, ref Utf8Sink sink)
    {
        sink.Write(isPositive ? "infinity"u8 : isNegative ? "-infinity"u8 : []);
        return isPositive || isNegative;
    }

    /// <returns>Whether the year is BC, which is printed at the end.</returns>
    private static bool WriteDay(long days, ref Utf8Sink sink)
    {
        PgEpoch.Split(days, out long year, out int month, out int day);
        bool isBeforeChrist = year <= 0;
        year = isBeforeChrist ? 1 - year : year;
        if (year < 10_000)
        {
            WriteTwo((int)year / 100, ref sink);
            WriteTwo((int)year % 100, ref sink);
        }
        else
        {
            WriteNumber(year, ref sink);
        }

        sink.Write('-');
        WriteTwo(month, ref sink);
        sink.Write('-');
        WriteTwo(day, ref sink);
        return isBeforeChrist;
    }

    /// <summary>Writes at least two digits.</summary>
    private static void WriteNumber(long value, ref Utf8Sink sink)
    {
        if (value < 100)
        {
            WriteTwo((int)value, ref sink);
            return;
        }

        sink.WriteFormatted(value);
    }

    private static void WriteTwo(int value, ref Utf8Sink sink)
    {
        Span<byte> room = sink.Room(2);
        room[1] = (byte)('0' + value % 10);
        room[0] = (byte)('0' + value / 10);
        sink.Advance(2);
    }
}

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

        int offsetSeconds = 0;
        if (cursor.Rest is [(byte)'Z' or (byte)'+' or (byte)'-', ..] && !TryOffset(ref cursor, out offsetSeconds))
        {
            return false;
        }

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

        if (!TrySixtieth(ref cursor, out long minutes) || !TrySixtieth(ref cursor, out long seconds))
        {
            return false;
        }

        int magnitude = (int)(hours * 3600 + minutes * 60 + seconds);
        offsetSeconds = isWest ? -magnitude : magnitude;
        return true;
    }

    /// <summary>Takes minutes or seconds if a colon precedes them.</summary>
    private static bool TrySixtieth(ref TextCursor cursor, out long value)
    {
        value = 0;
        return !cursor.TryTake((byte)':') || (cursor.TryNumber(out value) && value < 60);
    }

    internal static bool TryParseInfinity(ReadOnlySpan<byte> text, out bool isPositive)
    {
        isPositive = Ascii.EqualsIgnoreCase(text, "infinity"u8);
        return isPositive || Ascii.EqualsIgnoreCase(text, "-infinity"u8);
    }
}
