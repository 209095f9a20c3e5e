using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Numerics;
using System.Text;

namespace Ioxide.Pg;

/// <summary>A lossless <c>numeric</c>: up to 131,072 digits before the point and 16,383 after it, NaN and the infinities.</summary>
/// <remarks>
/// Compares like the server: 1.0 equals 1.00, NaN equals itself and is above everything else. <see cref="ToString()"/>
/// prints every digit. The default value is zero.
/// </remarks>
public readonly struct PgNumeric
    : IEquatable<PgNumeric>, IComparable<PgNumeric>, ISpanFormattable, IUtf8SpanFormattable, ISpanParsable<PgNumeric>, IUtf8SpanParsable<PgNumeric>
{
    private const int ScratchBytes = 256;

    private static readonly byte[] s_zero = new byte[NumericView.HeaderBytes];

    private readonly byte[]? _wire;

    internal PgNumeric(byte[] wire) => _wire = wire;

    /// <summary>Zero.</summary>
    public static PgNumeric Zero => default;

    /// <summary>Not a number.</summary>
    public static PgNumeric NaN { get; } = Parse("NaN");

    /// <summary>Above every number.</summary>
    public static PgNumeric PositiveInfinity { get; } = Parse("Infinity");

    /// <summary>Below every number.</summary>
    public static PgNumeric NegativeInfinity { get; } = Parse("-Infinity");

    /// <summary>The number of printed decimal digits after the point, from 0 to 16,383.</summary>
    public int Scale => View.IsSpecial ? 0 : View.Scale;

    /// <summary>Whether it is a number: neither NaN nor an infinity.</summary>
    public bool IsFinite => !View.IsSpecial;

    /// <summary>Whether it is not a number.</summary>
    public bool IsNaN => View.Sign == NumericView.NaN;

    /// <summary>Whether it is an infinity.</summary>
    public bool IsInfinity => View.Sign is NumericView.PositiveInfinity or NumericView.NegativeInfinity;

    /// <summary>Whether it is below zero.</summary>
    public bool IsNegative => View.IsNegative || View.Sign == NumericView.NegativeInfinity;

    /// <summary>Whether all digits after the point are zero.</summary>
    public bool IsInteger => !View.IsSpecial && View.Weight >= View.Count - 1;

    /// <summary>The wire form, as it is sent.</summary>
    internal ReadOnlySpan<byte> Wire => _wire ?? s_zero;

    internal NumericView View => new(Wire);

    /// <summary>Whether two numbers are equal.</summary>
    public static bool operator ==(PgNumeric left, PgNumeric right) => left.Equals(right);

    /// <summary>Whether two numbers differ.</summary>
    public static bool operator !=(PgNumeric left, PgNumeric right) => !left.Equals(right);

    /// <summary>Whether the left number sorts before the right one.</summary>
    public static bool operator <(PgNumeric left, PgNumeric right) => left.CompareTo(right) < 0;

    /// <summary>Whether the left number sorts after the right one.</summary>
    public static bool operator >(PgNumeric left, PgNumeric right) => left.CompareTo(right) > 0;

    /// <summary>Whether the left number does not sort after the right one.</summary>
    public static bool operator <=(PgNumeric left, PgNumeric right) => left.CompareTo(right) <= 0;

    /// <summary>Whether the left number does not sort before the right one.</summary>
    public static bool operator >=(PgNumeric left, PgNumeric right) => left.CompareTo(right) >= 0;

    /// <inheritdoc/>
    public bool Equals(PgNumeric other) => CompareTo(other) == 0;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is PgNumeric other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => View.Hash();

    /// <inheritdoc/>
    public int CompareTo(PgNumeric other) => View.CompareTo(other.View);

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

/// <summary>Lossless <c>numeric</c>; integers are read too.</summary>
internal sealed class PgNumericCodec() : BuiltInCodec<PgNumeric>(PgTypeId.Numeric)
{
    internal static readonly PgNumericCodec Instance = new();

    public override int Measure(PgNumeric value) => value.Wire.Length;

    public override void Write(PgNumeric value, Span<byte> destination) => value.Wire.CopyTo(destination);

    internal override bool Reads(uint typeId) => typeId == PgTypeId.Numeric || IntegerCodecs.IsInteger(typeId);

    internal override PgNumeric ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        if (typeId != PgTypeId.Numeric)
        {
            return IntegerCodecs.Read(bytes, typeId);
        }

        _ = new NumericView(bytes); // Checks it once, so that no later use can fail.
        return new PgNumeric(bytes.ToArray());
    }

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgNumeric value)
        => PgNumeric.TryParse(text, null, out value);
}

/// <summary><c>numeric</c> as an integer of any length; integers are read too.</summary>
internal sealed class BigIntegerCodec() : ConvertedCodec<BigInteger, PgNumeric>(PgTypeId.Numeric, PgNumericCodec.Instance)
{
    public override int Measure(BigInteger value) => Convert(value).Wire.Length;

    public override void Write(BigInteger value, Span<byte> destination) => Convert(value).Wire.CopyTo(destination);

    protected override BigInteger FromExact(PgNumeric value)
    {
        if (!value.IsInteger)
        {
            TypeErrors.ThrowRange<BigInteger>(PgTypeId.Numeric, "it is no integer", nameof(PgNumeric));
        }

        return value.ToBigInteger();
    }

    private static PgNumeric Convert(BigInteger value)
    {
        try
        {
            return value;
        }
        catch (OverflowException)
        {
            TypeErrors.ThrowValue<BigInteger>("numeric", "it has more than 131,072 digits");
            throw;
        }
    }
}

/// <summary><c>numeric</c> as <see cref="decimal"/>, exactly and with its scale; integers and <c>money</c> are read too.</summary>
internal sealed class DecimalCodec() : BuiltInCodec<decimal>(PgTypeId.Numeric)
{
    public override int Measure(decimal value) => NumericDecimal.Measure(value);

    public override void Write(decimal value, Span<byte> destination) => NumericDecimal.Write(value, destination);

    internal override bool Reads(uint typeId)
        => typeId is PgTypeId.Numeric or PgTypeId.Money || IntegerCodecs.IsInteger(typeId);

    internal override decimal ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        if (typeId == PgTypeId.Money)
        {
            CheckLength(bytes, sizeof(long), typeId);
            return MoneyText.ToDecimal(BinaryPrimitives.ReadInt64BigEndian(bytes));
        }

        if (typeId != PgTypeId.Numeric)
        {
            return IntegerCodecs.Read(bytes, typeId);
        }

        if (!NumericDecimal.TryRead(new NumericView(bytes), out decimal value))
        {
            ThrowTooLong();
        }

        return value;
    }

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out decimal value)
    {
        value = 0;
        if (typeId == PgTypeId.Money)
        {
            return MoneyText.TryParse(text, out value);
        }

        if (!PgNumeric.TryParse(text, null, out PgNumeric exact))
        {
            return false;
        }

        if (!exact.TryToDecimal(out value))
        {
            ThrowTooLong();
        }

        return true;
    }

    private static void ThrowTooLong()
        => TypeErrors.ThrowRange<decimal>(PgTypeId.Numeric, "it is NaN, infinite, or has more than 28 digits", nameof(PgNumeric));
}

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
