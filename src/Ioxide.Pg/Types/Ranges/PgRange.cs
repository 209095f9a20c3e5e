namespace Ioxide.Pg;

/// <summary>Creates ranges without one or both bounds.</summary>
public static class PgRange
{
    /// <summary>Returns the empty range.</summary>
    /// <typeparam name="T">The type of the bounds.</typeparam>
    public static PgRange<T> Empty<T>() => new(RangeFlags.Empty, default, default);

    /// <summary>Returns the range of all values.</summary>
    /// <typeparam name="T">The type of the bounds.</typeparam>
    public static PgRange<T> All<T>() => new(RangeFlags.LowerInfinite | RangeFlags.UpperInfinite, default, default);

    /// <summary>Creates a range without an upper bound.</summary>
    /// <typeparam name="T">The type of the bounds.</typeparam>
    /// <param name="lower">The lower bound.</param>
    /// <param name="inclusive">Whether the bound is in the range.</param>
    public static PgRange<T> From<T>(T lower, bool inclusive = true)
        => new(RangeFlags.UpperInfinite | (inclusive ? RangeFlags.LowerInclusive : 0), lower, default);

    /// <summary>Creates a range without a lower bound.</summary>
    /// <typeparam name="T">The type of the bounds.</typeparam>
    /// <param name="upper">The upper bound.</param>
    /// <param name="inclusive">Whether the bound is in the range.</param>
    public static PgRange<T> To<T>(T upper, bool inclusive = false)
        => new(RangeFlags.LowerInfinite | (inclusive ? RangeFlags.UpperInclusive : 0), default, upper);
}
