using System.Buffers.Binary;
using System.Globalization;
using System.Text;

namespace Ioxide.Pg;

/// <summary>A lossless <c>timetz</c>: a time of day, including 24:00, and a UTC offset in seconds.</summary>
/// <param name="Microseconds">Microseconds since midnight, from 0 to 86,400,000,000.</param>
/// <param name="OffsetSeconds">Seconds east of Greenwich.</param>
public readonly record struct PgTimeTz(long Microseconds, int OffsetSeconds)
{
    /// <summary>The time of the day.</summary>
    public TimeSpan TimeOfDay => new(Microseconds * PgEpoch.TicksPerMicrosecond);

    /// <summary>The UTC offset; positive in the east.</summary>
    public TimeSpan Offset => TimeSpan.FromSeconds(OffsetSeconds);

    /// <summary>Parses the format of <see cref="ToString"/>.</summary>
    /// <exception cref="FormatException">The text is not a time with time zone.</exception>
    public static PgTimeTz Parse(string text)
        => DateTimeParser.TryParseTimeTz(Encoding.UTF8.GetBytes(text), out long microseconds, out int offsetSeconds)
            ? new PgTimeTz(microseconds, offsetSeconds)
            : throw new FormatException("The text is no time with a time zone.");

    /// <summary>Returns the server's text: <c>12:30:00+02</c>.</summary>
    public override string ToString() => FieldText.Print(PgTimeTzCodec.Instance, this);
}

/// <summary><c>timetz</c>. On the wire the offset counts west of Greenwich.</summary>
internal sealed class PgTimeTzCodec() : FixedCodec<PgTimeTz>(PgTypeId.TimeTz, 12)
{
    internal static readonly PgTimeTzCodec Instance = new();

    public override void Write(PgTimeTz value, Span<byte> destination)
    {
        BinaryPrimitives.WriteInt64BigEndian(destination, value.Microseconds);
        BinaryPrimitives.WriteInt32BigEndian(destination[8..], -value.OffsetSeconds);
    }

    internal override PgTimeTz ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        CheckLength(bytes, LengthBytes, typeId);
        return new PgTimeTz(BinaryPrimitives.ReadInt64BigEndian(bytes), -BinaryPrimitives.ReadInt32BigEndian(bytes[8..]));
    }

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgTimeTz value)
    {
        bool isTime = DateTimeParser.TryParseTimeTz(text, out long microseconds, out int offsetSeconds);
        value = new PgTimeTz(microseconds, offsetSeconds);
        return isTime;
    }
}

/// <summary><c>time</c>; fractions of a microsecond are dropped. The server has 24:00, <see cref="TimeOnly"/> does not.</summary>
internal sealed class TimeOnlyCodec() : FixedCodec<TimeOnly>(PgTypeId.Time, sizeof(long))
{
    public override void Write(TimeOnly value, Span<byte> destination)
        => BinaryPrimitives.WriteInt64BigEndian(destination, value.Ticks / PgEpoch.TicksPerMicrosecond);

    internal override TimeOnly ReadBinary(ReadOnlySpan<byte> bytes, uint typeId) => Convert(TimestampWire.Read(bytes, typeId));

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out TimeOnly value)
    {
        bool isTime = DateTimeParser.TryParseTime(text, out long microseconds);
        value = isTime ? Convert(microseconds) : default;
        return isTime;
    }

    private static TimeOnly Convert(long microseconds)
    {
        if (microseconds is < 0 or >= PgEpoch.MicrosecondsPerDay)
        {
            TypeErrors.ThrowRange<TimeOnly>(PgTypeId.Time, "it is not within 0:00 and 23:59:59.999999", nameof(TimeSpan));
        }

        return new TimeOnly(microseconds * PgEpoch.TicksPerMicrosecond);
    }
}

/// <summary>A lossless <c>interval</c>. Its parts are independent: months have no fixed number of days, and days none of hours.</summary>
/// <param name="Months">Months; a year is twelve.</param>
/// <param name="Days">Days.</param>
/// <param name="Microseconds">The rest, in microseconds.</param>
public readonly record struct PgInterval(int Months, int Days, long Microseconds)
{
    /// <summary>Longer than every interval; needs server version 17.</summary>
    public static PgInterval Infinity => new(int.MaxValue, int.MaxValue, long.MaxValue);

    /// <summary>Shorter than every interval; needs server version 17.</summary>
    public static PgInterval NegativeInfinity => new(int.MinValue, int.MinValue, long.MinValue);

    /// <summary>Converts to days and a rest; fractions of a microsecond are dropped.</summary>
    public static implicit operator PgInterval(TimeSpan value)
        => new(0, value.Days, (value.Ticks - value.Days * TimeSpan.TicksPerDay) / PgEpoch.TicksPerMicrosecond);

    /// <summary>Parses the format of <see cref="ToString"/>.</summary>
    /// <exception cref="FormatException">The text is not an interval.</exception>
    public static PgInterval Parse(string text)
        => IntervalText.TryParse(Encoding.UTF8.GetBytes(text), out PgInterval value)
            ? value
            : throw new FormatException("The text is no interval.");

    /// <summary>Converts to a <see cref="TimeSpan"/>; a day counts as 24 hours.</summary>
    /// <returns>False if it has months or is too long.</returns>
    public bool TryToTimeSpan(out TimeSpan value)
    {
        Int128 ticks = (Int128)Days * TimeSpan.TicksPerDay + (Int128)Microseconds * PgEpoch.TicksPerMicrosecond;
        bool fits = Months == 0 && ticks >= long.MinValue && ticks <= long.MaxValue;
        value = fits ? new TimeSpan((long)ticks) : default;
        return fits;
    }

    /// <summary>Returns the server's text: <c>1 year 2 mons 3 days 04:05:06.5</c>.</summary>
    public override string ToString() => FieldText.Print(PgIntervalCodec.Instance, this);
}

/// <summary>Lossless <c>interval</c>: microseconds, days, months.</summary>
internal sealed class PgIntervalCodec() : FixedCodec<PgInterval>(PgTypeId.Interval, 16)
{
    internal static readonly PgIntervalCodec Instance = new();

    public override void Write(PgInterval value, Span<byte> destination)
    {
        BinaryPrimitives.WriteInt64BigEndian(destination, value.Microseconds);
        BinaryPrimitives.WriteInt32BigEndian(destination[8..], value.Days);
        BinaryPrimitives.WriteInt32BigEndian(destination[12..], value.Months);
    }

    internal override PgInterval ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        CheckLength(bytes, LengthBytes, typeId);
        return new PgInterval(
            BinaryPrimitives.ReadInt32BigEndian(bytes[12..]),
            BinaryPrimitives.ReadInt32BigEndian(bytes[8..]),
            BinaryPrimitives.ReadInt64BigEndian(bytes));
    }

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgInterval value) => IntervalText.TryParse(text, out value);
}

/// <summary><c>interval</c> without months, as in Npgsql: a day is 24 hours, parts of a microsecond are dropped. <c>time</c> is read too.</summary>
internal sealed class TimeSpanCodec() : ConvertedCodec<TimeSpan, PgInterval>(PgTypeId.Interval, PgIntervalCodec.Instance)
{
    public override int Measure(TimeSpan value) => PgIntervalCodec.Instance.Measure(value);

    public override void Write(TimeSpan value, Span<byte> destination) => PgIntervalCodec.Instance.Write(value, destination);

    internal override bool Reads(uint typeId) => typeId is PgTypeId.Interval or PgTypeId.Time;

    internal override TimeSpan ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
        => typeId == PgTypeId.Interval ? base.ReadBinary(bytes, typeId) : FromExact(new PgInterval(0, 0, TimestampWire.Read(bytes, typeId)));

    protected override TimeSpan FromExact(PgInterval value)
    {
        if (!value.TryToTimeSpan(out TimeSpan span))
        {
            TypeErrors.ThrowRange<TimeSpan>(PgTypeId.Interval, "it has months, or is too long", nameof(PgInterval));
        }

        return span;
    }
}

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
        sink.Write(isBefore && value.Microseconds >= 0 ? "+"u8 : []);
        DateTimeText.WriteTime(value.Microseconds, ref sink);
    }

    internal static bool TryParse(ReadOnlySpan<byte> text, out PgInterval value)
    {
        if (DateTimeParser.TryParseInfinity(text, out bool isPositive))
        {
            value = isPositive ? PgInterval.Infinity : PgInterval.NegativeInfinity;
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
        sink.WriteFormatted(value);
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

        var cursor = new TextCursor(isNegative || word[0] == '+' ? word[1..] : word);
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
