using System.Globalization;

namespace Ioxide.Pg;

/// <summary><c>money</c> with two digits after the point, as in most locales of the server.</summary>
/// <remarks>The wire form counts the smallest unit, and does not tell which fraction of the currency that is.</remarks>
internal static class MoneyText
{
    private const int UnitsPerWhole = 100;
    private const int MaxDigits = 20;

    internal static decimal ToDecimal(long units)
    {
        ulong magnitude = units < 0 ? 0UL - (ulong)units : (ulong)units;
        return new decimal((int)magnitude, (int)(magnitude >> 32), 0, units < 0, 2);
    }

    /// <summary>Prints it as in the locale C: <c>-$1,234.50</c>.</summary>
    internal static void Write(long units, ref Utf8Sink sink)
    {
        if (units < 0)
        {
            sink.Write('-');
        }

        sink.Write('$');
        ulong magnitude = units < 0 ? 0UL - (ulong)units : (ulong)units;
        Span<byte> text = stackalloc byte[MaxDigits];
        (magnitude / UnitsPerWhole).TryFormat(text, out int length, default, CultureInfo.InvariantCulture);
        for (int index = 0; index < length; index++)
        {
            sink.Write(index > 0 && (length - index) % 3 == 0 ? ","u8 : []);
            sink.Write(text[index]);
        }

        int cents = (int)(magnitude % UnitsPerWhole);
        sink.Write('.');
        sink.Write((char)('0' + cents / 10));
        sink.Write((char)('0' + cents % 10));
    }

    /// <summary>Reads it as in the locale C, with or without the currency sign.</summary>
    internal static bool TryParse(ReadOnlySpan<byte> text, out decimal value)
    {
        bool isNegative = text is [(byte)'-', ..];
        text = isNegative ? text[1..] : text;
        text = text is [(byte)'$', ..] ? text[1..] : text;
        bool isNumber = decimal.TryParse(
            text, NumberStyles.AllowThousands | NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out value);
        value = isNegative ? -value : value;
        return isNumber;
    }
}
