using System.Buffers.Binary;
using System.Globalization;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Ioxide.Pg;

/// <summary>The codecs of floating-point numbers.</summary>
internal static class FloatCodecs
{
    internal static readonly FloatCodec<double> Double = new(PgTypeId.Float8);
    internal static readonly FloatCodec<float> Single = new(PgTypeId.Float4);
}

/// <summary><c>float8</c> and <c>float4</c>; types that the number holds without loss are read too.</summary>
/// <typeparam name="T"><see cref="double"/> or <see cref="float"/>.</typeparam>
internal sealed class FloatCodec<T>(uint typeId) : FixedCodec<T>(typeId, Unsafe.SizeOf<T>())
    where T : unmanaged, IBinaryFloatingPointIeee754<T>
{
    internal override string Remedy => typeof(T) == typeof(double)
        ? "A double would lose digits: read it as decimal, PgNumeric or long, or cast it in the statement."
        : "A float would lose digits: read it as double or decimal, or cast it in the statement.";

    public override void Write(T value, Span<byte> destination)
    {
        if (typeof(T) == typeof(double))
        {
            BinaryPrimitives.WriteDoubleBigEndian(destination, Unsafe.BitCast<T, double>(value));
        }
        else
        {
            BinaryPrimitives.WriteSingleBigEndian(destination, Unsafe.BitCast<T, float>(value));
        }
    }

    public override T Read(PgField field)
        => field.IsBinary(TypeId) && field.Bytes.Length == Unsafe.SizeOf<T>() ? ReadBinary(field.Bytes, TypeId) : base.Read(field);

    internal override bool Reads(uint typeId)
        => typeId is PgTypeId.Float4 or PgTypeId.Int2 || (typeof(T) == typeof(double) && typeId is PgTypeId.Float8 or PgTypeId.Int4);

    internal override T ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        switch (typeId)
        {
            case PgTypeId.Float8:
                CheckLength(bytes, sizeof(double), typeId);
                return T.CreateTruncating(BinaryPrimitives.ReadDoubleBigEndian(bytes));
            case PgTypeId.Float4:
                CheckLength(bytes, sizeof(float), typeId);
                return T.CreateTruncating(BinaryPrimitives.ReadSingleBigEndian(bytes));
            default:
                return T.CreateTruncating(IntegerCodecs.Read(bytes, typeId));
        }
    }

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out T value)
        => T.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out value);
}

/// <summary>Prints floating-point numbers as the server does: the fewest digits that give the same number again.</summary>
/// <remarks>
/// Without exponent from 0.0001 to below 10^15 (<c>float4</c>: 10^6). Source: src/common/d2s.c and f2s.c.
///
/// A number exactly in the middle between two floating-point numbers is printed by the framework for its even neighbour, to which it is rounded
/// when it is read. The server does not rely on this rounding, and prints more digits. A number with as few digits as are printed can be in the
/// middle only if the neighbours are integers at least 2 apart.
/// </remarks>
internal static class FloatText
{
    private const int MaxDigits = 32;
    private const int MinFixedExponent = -4;
    private const int MaxFixedExponent = 15;
    private const int MaxFixedExponentOfSingle = 6;

    // The odd part of a middle has 55 bits; a product of this many fives has more.
    private const int MaxFives = 24;

    // Indexed by the number of digits after the first one; 17 digits are never a middle.
    private static readonly string[] s_formats =
        [.. Enumerable.Range(0, 17).Select(static digits => string.Create(CultureInfo.InvariantCulture, $"E{digits}"))];

    internal static void Write(double value, ref Utf8Sink sink)
        => Write(value, BitConverter.DoubleToUInt64Bits(value), fractionBits: 52, maxExponent: 1023, MaxFixedExponent, ref sink);

    internal static void Write(float value, ref Utf8Sink sink)
        => Write(value, BitConverter.SingleToUInt32Bits(value), fractionBits: 23, maxExponent: 127, MaxFixedExponentOfSingle, ref sink);

    private static void Write<T>(T value, ulong bits, int fractionBits, int maxExponent, int maxFixedExponent, ref Utf8Sink sink)
        where T : struct, IBinaryFloatingPointIeee754<T>
    {
        if (!T.IsFinite(value))
        {
            sink.Write(T.IsNaN(value) ? "NaN"u8 : T.IsPositive(value) ? "Infinity"u8 : "-Infinity"u8);
            return;
        }

        Span<byte> text = stackalloc byte[MaxDigits];
        int length = FormatStrictly(value, text, bits, fractionBits, maxExponent);
        Layout(text[..length], maxFixedExponent, ref sink);
    }

    /// <summary>Formats the digits and exponent of the framework's text in the server's layout.</summary>
    private static void Layout(scoped Span<byte> text, int maxFixedExponent, ref Utf8Sink sink)
    {
        if (text is [(byte)'-', ..])
        {
            sink.Write('-');
            text = text[1..];
        }

        int exponent = 0;
        int mark = text.IndexOf((byte)'E');
        if (mark >= 0)
        {
            _ = int.TryParse(text[(mark + 1)..], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out exponent);
            text = text[..mark];
        }

        int point = text.IndexOf((byte)'.');
        exponent += (point < 0 ? text.Length : point) - 1;
        if (point >= 0)
        {
            text[(point + 1)..].CopyTo(text[point..]);
            text = text[..^1];
        }

        int zeros = text.IndexOfAnyExcept((byte)'0');
        if (zeros < 0)
        {
            sink.Write('0');
            return;
        }

        Span<byte> digits = text[zeros..].TrimEnd((byte)'0');
        exponent -= zeros;
        if (exponent < MinFixedExponent || exponent >= maxFixedExponent)
        {
            WriteScientific(digits, exponent, ref sink);
        }
        else
        {
            WriteFixed(digits, exponent, ref sink);
        }
    }

    private static void WriteScientific(scoped ReadOnlySpan<byte> digits, int exponent, ref Utf8Sink sink)
    {
        sink.Write(digits[0]);
        if (digits.Length > 1)
        {
            sink.Write('.');
            sink.Write(digits[1..]);
        }

        sink.Write(exponent < 0 ? "e-"u8 : "e+"u8);
        sink.WriteFormatted(Math.Abs(exponent), "00");
    }

    private static void WriteFixed(scoped ReadOnlySpan<byte> digits, int exponent, ref Utf8Sink sink)
    {
        if (exponent < 0)
        {
            sink.Write("0.0000"u8[..(1 - exponent)]);
            sink.Write(digits);
            return;
        }

        int whole = Math.Min(exponent + 1, digits.Length);
        sink.Write(digits[..whole]);
        sink.Write('0', exponent + 1 - digits.Length);
        if (whole < digits.Length)
        {
            sink.Write('.');
            sink.Write(digits[whole..]);
        }
    }

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

        int twos = BitOperations.TrailingZeroCount(digits);
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
