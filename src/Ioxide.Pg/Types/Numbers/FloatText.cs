using System.Globalization;

namespace Ioxide.Pg;

/// <summary>Prints floating-point numbers as the server does: the fewest digits that give the same number again.</summary>
/// <remarks>Without exponent from 0.0001 to below 10^15 (<c>float4</c>: 10^6). Source: src/common/d2s.c and f2s.c.</remarks>
internal static partial class FloatText
{
    private const int MaxDigits = 32;
    private const int MinFixedExponent = -4;
    private const int MaxFixedExponent = 15;
    private const int MaxFixedExponentOfSingle = 6;

    internal static void Write(double value, ref Utf8Sink sink)
    {
        if (!WriteSpecial(value, ref sink))
        {
            Span<byte> text = stackalloc byte[MaxDigits];
            int length = FormatStrictly(value, text);
            Layout(text[..length], MaxFixedExponent, ref sink);
        }
    }

    internal static void Write(float value, ref Utf8Sink sink)
    {
        if (!WriteSpecial(value, ref sink))
        {
            Span<byte> text = stackalloc byte[MaxDigits];
            int length = FormatStrictly(value, text);
            Layout(text[..length], MaxFixedExponentOfSingle, ref sink);
        }
    }

    private static bool WriteSpecial(double value, ref Utf8Sink sink)
    {
        if (double.IsFinite(value))
        {
            return false;
        }

        sink.Write(double.IsNaN(value) ? "NaN"u8 : value > 0 ? "Infinity"u8 : "-Infinity"u8);
        return true;
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
        Math.Abs(exponent).TryFormat(sink.Room(4), out int written, "00", CultureInfo.InvariantCulture);
        sink.Advance(written);
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
        for (int missing = exponent + 1 - digits.Length; missing > 0; missing--)
        {
            sink.Write('0');
        }

        if (whole < digits.Length)
        {
            sink.Write('.');
            sink.Write(digits[whole..]);
        }
    }
}
