namespace Ioxide.Pg;

/// <summary>Units and the epoch of the server's dates: 2000-01-01.</summary>
internal static class PgEpoch
{
    internal const long MicrosecondsPerSecond = 1_000_000;
    internal const long MicrosecondsPerMinute = 60 * MicrosecondsPerSecond;
    internal const long MicrosecondsPerHour = 60 * MicrosecondsPerMinute;
    internal const long MicrosecondsPerDay = 24 * MicrosecondsPerHour;
    internal const long TicksPerMicrosecond = TimeSpan.TicksPerMicrosecond;

    /// <summary>Days from 0001-01-01 to 2000-01-01.</summary>
    internal const int Days = 730_119;

    /// <summary>Ticks from 0001-01-01 to 2000-01-01.</summary>
    internal const long Ticks = Days * TimeSpan.TicksPerDay;

    /// <summary>The first microsecond that a <see cref="DateTime"/> can hold.</summary>
    internal const long MinMicroseconds = -Days * MicrosecondsPerDay;

    /// <summary>The last whole microsecond that a <see cref="DateTime"/> can hold.</summary>
    internal const long MaxMicroseconds = (3_652_059L - Days) * MicrosecondsPerDay - 1;

    /// <summary>Splits days since the epoch into a date of the Gregorian calendar; the year before 1 is 0.</summary>
    /// <remarks>Counted in eras of 400 years from March 1st of year 0, so that the leap day is the last of its year.</remarks>
    internal static void Split(long days, out long year, out int month, out int day)
    {
        long fromMarch = days + Days + 306;
        (long era, long dayOfEra) = (Math.DivRem(fromMarch, 146_097, out long rest), rest);
        if (dayOfEra < 0)
        {
            dayOfEra += 146_097;
            era--;
        }

        long yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
        long dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        long shifted = (5 * dayOfYear + 2) / 153;
        day = (int)(dayOfYear - (153 * shifted + 2) / 5 + 1);
        month = (int)(shifted < 10 ? shifted + 3 : shifted - 9);
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
    }

    /// <summary>Days since the epoch; the year before 1 is 0.</summary>
    internal static long Join(long year, int month, int day)
    {
        long shiftedYear = month <= 2 ? year - 1 : year;
        long era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400;
        long yearOfEra = shiftedYear - era * 400;
        long dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
        long dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
        return era * 146_097 + dayOfEra - 306 - Days;
    }

    internal static int DaysInMonth(long year, int month) => month switch
    {
        2 => year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28,
        4 or 6 or 9 or 11 => 30,
        _ => 31,
    };
}
