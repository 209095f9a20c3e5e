using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary>The wire form of <c>numeric</c>, read without a copy.</summary>
/// <remarks>
/// Four 16-bit numbers: count of digits, weight (the power of 10,000 of the first digit), sign, and scale (decimal digits after
/// the point, as printed). Then the digits, each from 0 to 9,999. Source: numeric_send in src/backend/utils/adt/numeric.c.
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
        int count = reader.ReadInt16();
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

    private static int Rank(NumericView value) => value.Sign switch
    {
        NegativeInfinity => -2,
        PositiveInfinity => 2,
        NaN => 3,
        _ => value.IsNegative ? -1 : 0,
    };
}
