using System.Globalization;

namespace Ioxide.Pg;

/// <summary>Numbers exactly in the middle between two floating-point numbers.</summary>
/// <remarks>
/// The framework prints such a number for its even neighbour, to which it is rounded when it is read. The server does not rely on
/// this rounding, and prints more digits. A number with as few digits as are printed can be in the middle only if the neighbours are
/// integers at least 2 apart.
/// </remarks>
internal static partial class FloatText
{
    // The odd part of a middle has 55 bits; a product of this many fives has more.
    private const int MaxFives = 24;

    // Indexed by the number of digits after the first one; 17 digits are never a middle.
    private static readonly string[] s_formats =
        [.. Enumerable.Range(0, 17).Select(static digits => string.Create(CultureInfo.InvariantCulture, $"E{digits}"))];

    private static int FormatStrictly(double value, Span<byte> text)
        => FormatStrictly(value, text, BitConverter.DoubleToUInt64Bits(value), fractionBits: 52, maxExponent: 1023);

    private static int FormatStrictly(float value, Span<byte> text)
        => FormatStrictly(value, text, BitConverter.SingleToUInt32Bits(value), fractionBits: 23, maxExponent: 127);

    /// <param name="value">A finite number.</param>
    /// <param name="text">Takes the text.</param>
    /// <param name="bits">The number's form in memory.</param>
    /// <param name="fractionBits">How many of them are the fraction.</param>
    /// <param name="maxExponent">The largest exponent, which is also what the stored one is too large by.</param>
    private static int FormatStrictly<T>(T value, Span<byte> text, ulong bits, int fractionBits, int maxExponent)
        where T : struct, IUtf8SpanFormattable
    {
        value.TryFormat(text, out int length, "R", CultureInfo.InvariantCulture);
        ulong one = 1UL << fractionBits;
        ulong fraction = bits & (one - 1);
        int exponent = ((int)(bits >> fractionBits) & (2 * maxExponent + 1)) - maxExponent - fractionBits;
        if (exponent > 0)
        {
            for (int count = DigitCount(text[..length]); IsMiddle(text[..length], fraction | one, exponent, fraction == 0); count++)
            {
                value.TryFormat(text, out length, s_formats[count], CultureInfo.InvariantCulture);
            }
        }

        return length;
    }

    /// <summary>Compares a number with the middles on both sides of a floating-point number, exactly.</summary>
    /// <param name="text">Digits with a point and an exponent.</param>
    /// <param name="mantissa">The floating-point number is this times a power of two.</param>
    /// <param name="exponent">The exponent of two; at least 1.</param>
    /// <param name="isPower">The next lower number is half as far away.</param>
    private static bool IsMiddle(ReadOnlySpan<byte> text, ulong mantissa, int exponent, bool isPower)
    {
        ulong digits = Digits(text, out int tens);
        if (tens is < 0 or > MaxFives)
        {
            return false;
        }

        int twos = System.Numerics.BitOperations.TrailingZeroCount(digits);
        UInt128 odd = digits >> twos;
        for (int fives = tens; fives > 0; fives--)
        {
            odd *= 5;
        }

        twos += tens;
        return (odd == 2 * mantissa + 1 && twos == exponent - 1)
            || (isPower ? odd == 4 * mantissa - 1 && twos == exponent - 2 : odd == 2 * mantissa - 1 && twos == exponent - 1);
    }

    /// <summary>The number of digits of a text, without trailing zeros.</summary>
    private static int DigitCount(ReadOnlySpan<byte> text)
    {
        int count = 0;
        for (ulong digits = Digits(text, out _); digits > 0; digits /= 10)
        {
            count += count > 0 || digits % 10 > 0 ? 1 : 0;
        }

        return count;
    }

    /// <summary>The digits as an integer, and the power of ten to multiply it by.</summary>
    private static ulong Digits(ReadOnlySpan<byte> text, out int tens)
    {
        ulong digits = 0;
        tens = 0;
        bool isFraction = false;
        int mark = text.IndexOf((byte)'E');
        foreach (byte character in mark < 0 ? text : text[..mark])
        {
            isFraction |= character == '.';
            if (char.IsAsciiDigit((char)character))
            {
                digits = digits * 10 + (ulong)(character - '0');
                tens -= isFraction ? 1 : 0;
            }
        }

        if (mark >= 0)
        {
            _ = int.TryParse(text[(mark + 1)..], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int exponent);
            tens += exponent;
        }

        return digits;
    }
}
