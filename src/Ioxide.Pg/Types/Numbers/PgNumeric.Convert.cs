using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Numerics;
using System.Text;

namespace Ioxide.Pg;

public readonly partial struct PgNumeric : ISpanFormattable, IUtf8SpanFormattable, ISpanParsable<PgNumeric>, IUtf8SpanParsable<PgNumeric>
{
    private const int ScratchBytes = 256;

    /// <summary>Converts to the same number with the same scale.</summary>
    public static implicit operator PgNumeric(decimal value)
    {
        byte[] wire = new byte[NumericDecimal.Measure(value)];
        NumericDecimal.Write(value, wire);
        return new PgNumeric(wire);
    }

    /// <summary>Converts to the same number.</summary>
    public static implicit operator PgNumeric(long value) => (decimal)value;

    /// <summary>Converts to the same number.</summary>
    /// <exception cref="OverflowException">The number has more than 131,072 digits.</exception>
    public static implicit operator PgNumeric(BigInteger value)
        => TryParse(value.ToString(CultureInfo.InvariantCulture), null, out PgNumeric result)
            ? result
            : throw new OverflowException("The number has more digits than a numeric can hold.");

    /// <summary>Converts to exactly the same number.</summary>
    /// <exception cref="OverflowException">A decimal cannot hold it: it is not finite, or has too many digits.</exception>
    public static explicit operator decimal(PgNumeric value)
        => value.TryToDecimal(out decimal result) ? result : throw new OverflowException("A decimal cannot hold the number exactly.");

    /// <summary>Converts to an integer, without the fraction.</summary>
    /// <exception cref="OverflowException">It is not a finite number.</exception>
    public static explicit operator BigInteger(PgNumeric value) => value.ToBigInteger();

    /// <summary>Parses the format of <see cref="ToString()"/>, also with an exponent.</summary>
    /// <exception cref="FormatException">The text is not a number, or the server cannot hold it.</exception>
    public static PgNumeric Parse(string s, IFormatProvider? provider = null)
    {
        ArgumentNullException.ThrowIfNull(s);
        return Parse(s.AsSpan(), provider);
    }

    /// <inheritdoc/>
    public static PgNumeric Parse(ReadOnlySpan<char> s, IFormatProvider? provider)
        => TryParse(s, provider, out PgNumeric result) ? result : throw NotANumber();

    /// <inheritdoc/>
    public static PgNumeric Parse(ReadOnlySpan<byte> utf8Text, IFormatProvider? provider)
        => TryParse(utf8Text, provider, out PgNumeric result) ? result : throw NotANumber();

    /// <inheritdoc/>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PgNumeric result)
        => TryParse(s.AsSpan(), provider, out result);

    /// <inheritdoc/>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PgNumeric result)
    {
        byte[] rented = ArrayPool<byte>.Shared.Rent(Encoding.UTF8.GetMaxByteCount(s.Length));
        int length = Encoding.UTF8.GetBytes(s, rented);
        bool isNumber = TryParse(rented.AsSpan(0, length), provider, out result);
        ArrayPool<byte>.Shared.Return(rented);
        return isNumber;
    }

    /// <inheritdoc/>
    public static bool TryParse(ReadOnlySpan<byte> utf8Text, IFormatProvider? provider, out PgNumeric result)
    {
        byte[]? wire = NumericParser.Parse(utf8Text);
        result = wire is null ? default : new PgNumeric(wire);
        return wire is not null;
    }

    /// <summary>Converts to exactly the same number.</summary>
    /// <param name="value">The number; zeros after the point may be dropped to make it fit.</param>
    /// <returns>False if a decimal cannot hold it.</returns>
    public bool TryToDecimal(out decimal value) => NumericDecimal.TryRead(View, out value);

    /// <summary>Converts to an integer, without the fraction.</summary>
    /// <exception cref="OverflowException">It is not a finite number.</exception>
    public BigInteger ToBigInteger()
    {
        NumericView view = View;
        if (view.IsSpecial)
        {
            throw new OverflowException("NaN and the infinities are no integers.");
        }

        if (view.Weight < 0 || view.IsZero)
        {
            return BigInteger.Zero;
        }

        string text = ToString();
        int point = text.IndexOf('.', StringComparison.Ordinal);
        return BigInteger.Parse(point < 0 ? text : text.AsSpan(0, point), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture);
    }

    /// <summary>Returns every digit, with <see cref="Scale"/> digits after the point; or NaN, Infinity, -Infinity.</summary>
    public override string ToString()
    {
        var sink = new Utf8Sink(stackalloc byte[ScratchBytes]);
        NumericText.Write(View, ref sink);
        string text = Encoding.ASCII.GetString(sink.Written);
        sink.Dispose();
        return text;
    }

    /// <inheritdoc/>
    public string ToString(string? format, IFormatProvider? formatProvider) => ToString();

    /// <inheritdoc/>
    public bool TryFormat(Span<char> destination, out int charsWritten, ReadOnlySpan<char> format, IFormatProvider? provider)
    {
        var sink = new Utf8Sink(stackalloc byte[ScratchBytes]);
        NumericText.Write(View, ref sink);
        bool fits = Encoding.ASCII.TryGetChars(sink.Written, destination, out charsWritten);
        sink.Dispose();
        return fits;
    }

    /// <inheritdoc/>
    public bool TryFormat(Span<byte> utf8Destination, out int bytesWritten, ReadOnlySpan<char> format, IFormatProvider? provider)
    {
        var sink = new Utf8Sink(stackalloc byte[ScratchBytes]);
        NumericText.Write(View, ref sink);
        bool fits = sink.Written.TryCopyTo(utf8Destination);
        bytesWritten = fits ? sink.Written.Length : 0;
        sink.Dispose();
        return fits;
    }

    private static FormatException NotANumber() => new("The text is no number that a numeric can hold.");
}
