using System.Buffers.Binary;

namespace Ioxide.Pg;

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
        BinaryPrimitives.WriteInt16BigEndian(destination, (short)groups.Length);
        BinaryPrimitives.WriteInt16BigEndian(destination[2..], (short)weight);
        BinaryPrimitives.WriteUInt16BigEndian(destination[4..], value < 0 ? NumericView.Negative : (ushort)0);
        BinaryPrimitives.WriteInt16BigEndian(destination[6..], value.Scale);
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
