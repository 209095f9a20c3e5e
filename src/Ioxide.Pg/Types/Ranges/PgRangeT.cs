namespace Ioxide.Pg;

/// <summary>A PostgreSQL range. A multirange is an array of ranges.</summary>
/// <typeparam name="T">The type of the bounds.</typeparam>
public readonly record struct PgRange<T>
{
    /// <summary>Creates a range with two bounds.</summary>
    /// <param name="lower">The lower bound.</param>
    /// <param name="lowerInclusive">Whether the lower bound is in the range.</param>
    /// <param name="upper">The upper bound.</param>
    /// <param name="upperInclusive">Whether the upper bound is in the range.</param>
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

    /// <summary>The lower bound; the default value if there is none.</summary>
    public T? Lower { get; }

    /// <summary>The upper bound; the default value if there is none.</summary>
    public T? Upper { get; }

    /// <summary>Whether the range is empty.</summary>
    public bool IsEmpty => (Flags & RangeFlags.Empty) != 0;

    /// <summary>Whether the lower bound is in the range.</summary>
    public bool LowerInclusive => (Flags & RangeFlags.LowerInclusive) != 0;

    /// <summary>Whether the upper bound is in the range.</summary>
    public bool UpperInclusive => (Flags & RangeFlags.UpperInclusive) != 0;

    /// <summary>Whether there is no lower bound.</summary>
    public bool LowerInfinite => (Flags & RangeFlags.LowerInfinite) != 0;

    /// <summary>Whether there is no upper bound.</summary>
    public bool UpperInfinite => (Flags & RangeFlags.UpperInfinite) != 0;

    internal RangeFlags Flags { get; }

    internal bool HasLower => (Flags & (RangeFlags.Empty | RangeFlags.LowerInfinite)) == 0;

    internal bool HasUpper => (Flags & (RangeFlags.Empty | RangeFlags.UpperInfinite)) == 0;

    /// <summary>Returns the bounds in .NET's format, in PostgreSQL's brackets.</summary>
    public override string ToString()
        => IsEmpty
            ? "empty"
            : $"{(LowerInclusive ? '[' : '(')}{(HasLower ? Lower?.ToString() : "")},"
                + $"{(HasUpper ? Upper?.ToString() : "")}{(UpperInclusive ? ']' : ')')}";
}
