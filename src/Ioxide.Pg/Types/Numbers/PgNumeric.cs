using System.Buffers;
using System.Globalization;
using System.Numerics;
using System.Text;

namespace Ioxide.Pg;

/// <summary>A lossless <c>numeric</c>: up to 131,072 digits before the point and 16,383 after it, NaN and the infinities.</summary>
/// <remarks>
/// Compares like the server: 1.0 equals 1.00, NaN equals itself and is above everything else. <see cref="ToString()"/>
/// prints every digit. The default value is zero.
/// </remarks>
public readonly partial struct PgNumeric : IEquatable<PgNumeric>, IComparable<PgNumeric>
{
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
}
