using System.Buffers;
using System.Buffers.Binary;
using System.Globalization;
using System.Text;

namespace Ioxide.Pg;

/// <summary>Reads the text of a <c>numeric</c> into its wire form.</summary>
internal static class NumericParser
{
    /// <summary>Decimal digits before the point that the server's type can hold.</summary>
    private const int MaxIntegerDigits = 131_072;

    /// <returns>The wire form, or null if the text is not a number or the server cannot hold it.</returns>
    internal static byte[]? Parse(ReadOnlySpan<byte> text)
    {
        bool isNegative = text is [(byte)'-', ..];
        if (text is [(byte)'-' or (byte)'+', ..])
        {
            text = text[1..];
        }

        if (text.IsEmpty || !char.IsAsciiDigit((char)text[0]) && text[0] != '.')
        {
            return ParseSpecial(text, isNegative);
        }

        int exponent = 0;
        int mark = text.IndexOfAny((byte)'e', (byte)'E');
        if (mark >= 0)
        {
            if (!int.TryParse(text[(mark + 1)..], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out exponent)
                || exponent is < -MaxIntegerDigits or > MaxIntegerDigits)
            {
                return null;
            }

            text = text[..mark];
        }

        int point = text.IndexOf((byte)'.');
        ReadOnlySpan<byte> integer = point < 0 ? text : text[..point];
        ReadOnlySpan<byte> fraction = point < 0 ? [] : text[(point + 1)..];
        return integer.IsEmpty && fraction.IsEmpty ? null : ParseDigits(integer, fraction, exponent, isNegative);
    }

    private static byte[]? ParseSpecial(ReadOnlySpan<byte> text, bool isNegative)
    {
        ushort? sign = Ascii.EqualsIgnoreCase(text, "nan"u8) ? NumericView.NaN
            : Ascii.EqualsIgnoreCase(text, "infinity"u8) || Ascii.EqualsIgnoreCase(text, "inf"u8)
                ? isNegative ? NumericView.NegativeInfinity : NumericView.PositiveInfinity
            : null;
        return sign is { } special ? Header(0, 0, special, 0) : null;
    }

    /// <summary>Digits are aligned to groups of four around the point, which the exponent moves.</summary>
    private static byte[]? ParseDigits(ReadOnlySpan<byte> integer, ReadOnlySpan<byte> fraction, int exponent, bool isNegative)
    {
        int scale = Math.Max(fraction.Length - exponent, 0);
        int total = integer.Length + fraction.Length;
        byte[] rented = ArrayPool<byte>.Shared.Rent(total);
        try
        {
            Span<byte> digits = rented.AsSpan(0, total);
            integer.CopyTo(digits);
            fraction.CopyTo(digits[integer.Length..]);
            if (digits.ContainsAnyExceptInRange((byte)'0', (byte)'9'))
            {
                return null;
            }

            int zeros = digits.IndexOfAnyExcept((byte)'0');
            int before = integer.Length + exponent; // Digits before the point; negative: zeros after it.
            if (zeros < 0)
            {
                return scale > NumericView.MaxScale ? null : Header(0, 0, 0, scale);
            }

            digits = digits[zeros..].TrimEnd((byte)'0');
            before -= zeros;
            return before > MaxIntegerDigits || scale > NumericView.MaxScale ? null : Pack(digits, before, scale, isNegative);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    /// <param name="digits">ASCII digits, the first and the last not zero.</param>
    /// <param name="before">The number of digits before the point; the point may be outside the digits.</param>
    /// <param name="scale">The number of printed digits after the point.</param>
    /// <param name="isNegative">The sign.</param>
    private static byte[] Pack(ReadOnlySpan<byte> digits, int before, int scale, bool isNegative)
    {
        int groupsBefore = (int)Math.Ceiling(before / (double)NumericView.DigitsPerGroup);
        int lead = groupsBefore * NumericView.DigitsPerGroup - before; // Zeros before the first digit in its group.
        int count = (lead + digits.Length + NumericView.DigitsPerGroup - 1) / NumericView.DigitsPerGroup;
        byte[] wire = Header(count, groupsBefore - 1, isNegative ? NumericView.Negative : (ushort)0, scale);
        for (int group = 0; group < count; group++)
        {
            int value = 0;
            for (int index = 0; index < NumericView.DigitsPerGroup; index++)
            {
                int at = group * NumericView.DigitsPerGroup + index - lead;
                value = value * 10 + ((uint)at < (uint)digits.Length ? digits[at] - '0' : 0);
            }

            BinaryPrimitives.WriteInt16BigEndian(wire.AsSpan(NumericView.HeaderBytes + group * sizeof(short)), (short)value);
        }

        return wire;
    }

    private static byte[] Header(int count, int weight, ushort sign, int scale)
    {
        byte[] wire = new byte[NumericView.HeaderBytes + count * sizeof(short)];
        BinaryPrimitives.WriteInt16BigEndian(wire, (short)count);
        BinaryPrimitives.WriteInt16BigEndian(wire.AsSpan(2), (short)weight);
        BinaryPrimitives.WriteUInt16BigEndian(wire.AsSpan(4), sign);
        BinaryPrimitives.WriteInt16BigEndian(wire.AsSpan(6), (short)scale);
        return wire;
    }
}
