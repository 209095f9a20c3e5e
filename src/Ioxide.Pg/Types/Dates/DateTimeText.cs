using System.Globalization;

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

        long days = Math.DivRem(microseconds, PgEpoch.MicrosecondsPerDay, out long ofDay);
        if (ofDay < 0)
        {
            ofDay += PgEpoch.MicrosecondsPerDay;
            days--;
        }

        bool isBeforeChrist = WriteDay(days, ref sink);
        sink.Write(separator);
        WriteTime(ofDay, ref sink);
        sink.Write(zone);
        if (isBeforeChrist)
        {
            sink.Write(" BC"u8);
        }
    }

    /// <param name="microseconds">Not negative; may exceed 24 hours.</param>
    /// <param name="sink">The destination.</param>
    internal static void WriteTime(long microseconds, ref Utf8Sink sink)
    {
        long hours = Math.DivRem(microseconds, PgEpoch.MicrosecondsPerHour, out long rest);
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

        value.TryFormat(sink.Room(20), out int written, default, CultureInfo.InvariantCulture);
        sink.Advance(written);
    }

    private static void WriteTwo(int value, ref Utf8Sink sink)
    {
        Span<byte> room = sink.Room(2);
        room[1] = (byte)('0' + value % 10);
        room[0] = (byte)('0' + value / 10);
        sink.Advance(2);
    }
}
