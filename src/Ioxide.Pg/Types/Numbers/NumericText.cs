using System.Globalization;

namespace Ioxide.Pg;

/// <summary>Prints <c>numeric</c>: every digit, with its scale's number of digits after the point.</summary>
internal static class NumericText
{
    internal static void Write(scoped NumericView value, ref Utf8Sink sink)
    {
        if (value.IsSpecial)
        {
            sink.Write(value.Sign switch
            {
                NumericView.NaN => "NaN"u8,
                NumericView.PositiveInfinity => "Infinity"u8,
                _ => "-Infinity"u8,
            });
            return;
        }

        if (value.IsNegative)
        {
            sink.Write('-');
        }

        WriteInteger(value, ref sink);
        if (value.Scale > 0)
        {
            sink.Write('.');
            WriteFraction(value, ref sink);
        }
    }

    private static void WriteInteger(scoped NumericView value, ref Utf8Sink sink)
    {
        int first = value.IsZero ? -1 : value.Weight;
        if (first < 0)
        {
            sink.Write('0');
            return;
        }

        value.GroupAt(first).TryFormat(sink.Room(NumericView.DigitsPerGroup), out int written, default, CultureInfo.InvariantCulture);
        sink.Advance(written);
        for (int power = first - 1; power >= 0; power--)
        {
            WriteGroup(value.GroupAt(power), NumericView.DigitsPerGroup, ref sink);
        }
    }

    private static void WriteFraction(scoped NumericView value, ref Utf8Sink sink)
    {
        int power = -1;
        for (int left = value.Scale; left > 0; left -= NumericView.DigitsPerGroup)
        {
            WriteGroup(value.GroupAt(power--), Math.Min(left, NumericView.DigitsPerGroup), ref sink);
        }
    }

    private static void WriteGroup(int group, int digitCount, ref Utf8Sink sink)
    {
        Span<byte> room = sink.Room(NumericView.DigitsPerGroup);
        for (int index = NumericView.DigitsPerGroup - 1; index >= 0; index--)
        {
            (group, int digit) = Math.DivRem(group, 10);
            room[index] = (byte)('0' + digit);
        }

        sink.Advance(digitCount);
    }
}
