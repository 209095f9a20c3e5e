namespace Ioxide.Pg;

/// <summary>A range of the server. A multirange is an array of it.</summary>
/// <typeparam name="T">The type of the bounds.</typeparam>
public readonly record struct PgRange<T>
{
    /// <summary>From <paramref name="lower"/> to below <paramref name="upper"/>.</summary>
    /// <param name="lower">The first value that is in it.</param>
    /// <param name="upper">The first value behind it.</param>
    public PgRange(T lower, T upper)
        : this(lower, lowerInclusive: true, upper, upperInclusive: false)
    {
    }

    /// <summary>A range of two bounds.</summary>
    /// <param name="lower">The lower bound.</param>
    /// <param name="lowerInclusive">Whether it is in the range.</param>
    /// <param name="upper">The upper bound.</param>
    /// <param name="upperInclusive">Whether it is in the range.</param>
    public PgRange(T lower, bool lowerInclusive, T upper, bool upperInclusive)
    {
        Lower = lower;
        Upper = upper;
        Flags = RangeFlags.None | (lowerInclusive ? RangeFlags.LowerInclusive : 0) | (upperInclusive ? RangeFlags.UpperInclusive : 0);
    }

    internal PgRange(RangeFlags flags, T? lower, T? upper)
    {
        Flags = flags;
        Lower = lower;
        Upper = upper;
    }

    /// <summary>The lower bound; the default value where there is none.</summary>
    public T? Lower { get; }

    /// <summary>The upper bound; the default value where there is none.</summary>
    public T? Upper { get; }

    /// <summary>Whether no value is in it.</summary>
    public bool IsEmpty => (Flags & RangeFlags.Empty) != 0;

    /// <summary>Whether the lower bound is in it.</summary>
    public bool LowerInclusive => (Flags & RangeFlags.LowerInclusive) != 0;

    /// <summary>Whether the upper bound is in it.</summary>
    public bool UpperInclusive => (Flags & RangeFlags.UpperInclusive) != 0;

    /// <summary>Whether there is no lower bound.</summary>
    public bool LowerInfinite => (Flags & RangeFlags.LowerInfinite) != 0;

    /// <summary>Whether there is no upper bound.</summary>
    public bool UpperInfinite => (Flags & RangeFlags.UpperInfinite) != 0;

    internal RangeFlags Flags { get; }

    internal bool HasLower => (Flags & (RangeFlags.Empty | RangeFlags.LowerInfinite)) == 0;

    internal bool HasUpper => (Flags & (RangeFlags.Empty | RangeFlags.UpperInfinite)) == 0;

    /// <summary>Bounds as .NET prints them, in the brackets of the server.</summary>
    public override string ToString()
        => IsEmpty ? "empty" : $"{(LowerInclusive ? '[' : '(')}{(HasLower ? Lower?.ToString() : "")},{(HasUpper ? Upper?.ToString() : "")}{(UpperInclusive ? ']' : ')')}";
}
