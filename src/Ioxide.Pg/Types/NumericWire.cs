using System.Buffers;
using System.Buffers.Binary;
using System.Globalization;
using System.Text;

namespace Ioxide.Pg;

/// <summary>The wire form of <c>numeric</c>, read without a copy.</summary>
/// <remarks>
/// Four 16-bit numbers: count of digits, weight (the power of 10,000 of the first digit), sign, and scale (decimal digits after
/// the point, as printed). Then the digits, each from 0 to 9,999. The count has no sign. Source: numeric_send and numeric_recv in
/// src/backend/utils/adt/numeric.c.
/// </remarks>
internal readonly ref struct NumericView
{
    internal const int HeaderBytes = 8;
    internal const int Base = 10_000;
    internal const int DigitsPerGroup = 4;
    internal const int MaxScale = 0x3FFF;
    internal const ushort Negative = 0x4000;
    internal const ushort NaN = 0xC000;
    internal const ushort PositiveInfinity = 0xD000;
    internal const ushort NegativeInfinity = 0xF000;

    private readonly ReadOnlySpan<byte> _groups;

    /// <exception cref="PgTypeException">It is malformed.</exception>
    internal NumericView(ReadOnlySpan<byte> wire)
    {
        var reader = new FieldReader(wire, PgTypeId.Numeric);
        int count = reader.ReadUInt16(); // The longest number has 36,864 digits.
        int weight = reader.ReadInt16();
        Sign = reader.ReadUInt16();
        Scale = reader.ReadInt16();
        ReadOnlySpan<byte> groups = reader.Take(count * sizeof(short));
        reader.End();
        if (Sign is not (0 or Negative or NaN or PositiveInfinity or NegativeInfinity) || Scale is < 0 or > MaxScale)
        {
            TypeErrors.ThrowMalformed(PgTypeId.Numeric, "its sign or scale is not one");
        }

        for (int offset = 0; offset < groups.Length; offset += sizeof(short))
        {
            if (BinaryPrimitives.ReadUInt16BigEndian(groups[offset..]) >= Base)
            {
                TypeErrors.ThrowMalformed(PgTypeId.Numeric, "a digit is above 9999");
            }
        }

        while (groups is [0, 0, ..])
        {
            groups = groups[sizeof(short)..];
            weight--;
        }

        while (groups is [.., 0, 0])
        {
            groups = groups[..^sizeof(short)];
        }

        _groups = groups;
        Weight = groups.IsEmpty ? 0 : weight;
    }

    internal ushort Sign { get; }

    /// <summary>The number of printed decimal digits after the point.</summary>
    internal int Scale { get; }

    /// <summary>The power of 10,000 of the first group.</summary>
    internal int Weight { get; }

    /// <summary>The number of groups of four decimal digits; the first and the last are not zero.</summary>
    internal int Count => _groups.Length / sizeof(short);

    internal bool IsSpecial => Sign is NaN or PositiveInfinity or NegativeInfinity;

    internal bool IsNegative => Sign == Negative && !_groups.IsEmpty;

    internal bool IsZero => !IsSpecial && _groups.IsEmpty;

    /// <summary>The group of a power of 10,000; 0 if there is none.</summary>
    internal int GroupAt(int power)
    {
        int index = Weight - power;
        return (uint)index < (uint)Count ? this[index] : 0;
    }

    internal int this[int index] => BinaryPrimitives.ReadUInt16BigEndian(_groups[(index * sizeof(short))..]);

    /// <summary>Compares as the server does: NaN is above everything and equal to itself; the scale is ignored.</summary>
    internal int CompareTo(NumericView other)
    {
        int order = Rank(this).CompareTo(Rank(other));
        if (order != 0 || IsSpecial)
        {
            return order;
        }

        int magnitude = IsZero && other.IsZero ? 0
            : IsZero ? -1
            : other.IsZero ? 1
            : Weight != other.Weight ? Weight.CompareTo(other.Weight)
            : _groups.SequenceCompareTo(other._groups);
        return IsNegative ? -magnitude : magnitude;
    }

    internal int Hash()
    {
        var hash = default(HashCode);
        hash.Add(IsSpecial ? Sign : IsNegative ? 1 : 0);
        hash.Add(Weight);
        hash.AddBytes(_groups);
        return hash.ToHashCode();
    }

    internal static void WriteHeader(Span<byte> wire, int count, int weight, ushort sign, int scale)
    {
        BinaryPrimitives.WriteInt16BigEndian(wire, (short)count);
        BinaryPrimitives.WriteInt16BigEndian(wire[2..], (short)weight);
        BinaryPrimitives.WriteUInt16BigEndian(wire[4..], sign);
        BinaryPrimitives.WriteInt16BigEndian(wire[6..], (short)scale);
    }

    private static int Rank(NumericView value) => value.Sign switch
    {
        NegativeInfinity => -2,
        PositiveInfinity => 2,
        NaN => 3,
        _ => value.IsNegative ? -1 : 0,
    };
}

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

        sink.WriteFormatted(value.GroupAt(first));
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
        NumericView.WriteHeader(wire, count, weight, sign, scale);
        return wire;
    }
}

/// <summary>Exact conversion between <c>numeric</c> and <see cref="decimal"/>: the scale is kept, and no digit is rounded away.</summary>
internal static class NumericDecimal
{
    /// <summary>The maximum number of groups in a decimal: 29 digits, the point anywhere within a group.</summary>
    internal const int MaxGroups = 9;

    private const int MaxDecimalScale = 28;
    private static readonly UInt128 s_maxMantissa = (UInt128.One << 96) - 1;

    private static readonly ulong[] s_powers =
    [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
    ];

    /// <returns>False if a decimal cannot hold the value.</returns>
    internal static bool TryRead(NumericView value, out decimal result)
    {
        result = 0;
        if (value.IsSpecial || value.Count > MaxGroups || value.Weight is < -8 or > 8)
        {
            return false;
        }

        if (value.IsZero)
        {
            result = new decimal(0, 0, 0, false, (byte)Math.Min(value.Scale, MaxDecimalScale));
            return true;
        }

        return TryReadSmall(value, out result) || TryReadLarge(value, out result);
    }

    /// <summary>Splits a decimal into groups.</summary>
    /// <param name="value">The value.</param>
    /// <param name="groups">Room for <see cref="MaxGroups"/>; filled from its end.</param>
    /// <param name="weight">The power of 10,000 of the first group.</param>
    /// <returns>Groups from the first to the last that are not zero.</returns>
    internal static Span<short> Split(decimal value, Span<short> groups, out int weight)
    {
        Span<int> bits = stackalloc int[4];
        decimal.GetBits(value, bits);
        int scale = value.Scale;
        UInt128 mantissa = new((uint)bits[2], ((ulong)(uint)bits[1] << 32) | (uint)bits[0]);
        int pad = (NumericView.DigitsPerGroup - scale % NumericView.DigitsPerGroup) % NumericView.DigitsPerGroup;
        mantissa *= s_powers[pad];
        int first = groups.Length;
        while (mantissa > ulong.MaxValue)
        {
            (mantissa, UInt128 group) = UInt128.DivRem(mantissa, NumericView.Base);
            groups[--first] = (short)group;
        }

        for (ulong rest = (ulong)mantissa; rest != 0;)
        {
            (rest, ulong group) = Math.DivRem(rest, NumericView.Base);
            groups[--first] = (short)group;
        }

        Span<short> used = groups[first..];
        weight = used.IsEmpty ? 0 : used.Length - (scale + pad) / NumericView.DigitsPerGroup - 1;
        while (used is [.., 0])
        {
            used = used[..^1];
        }

        return used;
    }

    internal static int Measure(decimal value)
        => NumericView.HeaderBytes + Split(value, stackalloc short[MaxGroups], out _).Length * sizeof(short);

    internal static void Write(decimal value, Span<byte> destination)
    {
        Span<short> groups = Split(value, stackalloc short[MaxGroups], out int weight);
        NumericView.WriteHeader(destination, groups.Length, weight, value < 0 ? NumericView.Negative : (ushort)0, value.Scale);
        for (int index = 0; index < groups.Length; index++)
        {
            BinaryPrimitives.WriteInt16BigEndian(destination[(NumericView.HeaderBytes + index * sizeof(short))..], groups[index]);
        }
    }

    /// <summary>Most values: up to 16 digits, which one 64-bit number holds.</summary>
    private static bool TryReadSmall(NumericView value, out decimal result)
    {
        result = 0;
        int behind = (value.Count - 1 - value.Weight) * NumericView.DigitsPerGroup;
        int missing = value.Scale - behind;
        if (value.Count > 4 || value.Scale > MaxDecimalScale || behind < 0 || missing < -3 || missing >= s_powers.Length)
        {
            return false;
        }

        ulong mantissa = 0;
        for (int index = 0; index < value.Count; index++)
        {
            mantissa = mantissa * NumericView.Base + (uint)value[index];
        }

        if (missing < 0)
        {
            (mantissa, ulong lost) = Math.DivRem(mantissa, s_powers[-missing]);
            if (lost != 0)
            {
                return false;
            }
        }
        else
        {
            ulong high = Math.BigMul(mantissa, s_powers[missing], out mantissa);
            if (high != 0)
            {
                return false;
            }
        }

        result = new decimal((int)mantissa, (int)(mantissa >> 32), 0, value.IsNegative, (byte)value.Scale);
        return true;
    }

    /// <summary>Any value: zeros at the end are added or dropped until scale and digits fit.</summary>
    private static bool TryReadLarge(NumericView value, out decimal result)
    {
        result = 0;
        UInt128 mantissa = 0;
        for (int index = 0; index < value.Count; index++)
        {
            mantissa = mantissa * NumericView.Base + (uint)value[index];
        }

        int scale = (value.Count - 1 - value.Weight) * NumericView.DigitsPerGroup;
        while (scale < 0 || (scale < Math.Min(value.Scale, MaxDecimalScale) && mantissa <= s_maxMantissa / 10))
        {
            if (mantissa > s_maxMantissa / 10)
            {
                return false;
            }

            mantissa *= 10;
            scale++;
        }

        while (scale > Math.Min(value.Scale, MaxDecimalScale) || mantissa > s_maxMantissa)
        {
            (UInt128 shorter, UInt128 lost) = UInt128.DivRem(mantissa, 10);
            if (lost != 0 || scale == 0)
            {
                break;
            }

            mantissa = shorter;
            scale--;
        }

        if (scale > MaxDecimalScale || mantissa > s_maxMantissa)
        {
            return false;
        }

        ulong low = (ulong)mantissa;
        result = new decimal((int)low, (int)(low >> 32), (int)(uint)(mantissa >> 64), value.IsNegative, (byte)scale);
        return true;
    }
}
