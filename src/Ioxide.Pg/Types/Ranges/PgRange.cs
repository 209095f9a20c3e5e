namespace Ioxide.Pg;

/// <summary>Makes ranges that lack a bound.</summary>
public static class PgRange
{
    /// <summary>The range without a value.</summary>
    /// <typeparam name="T">The type of the bounds.</typeparam>
    public static PgRange<T> Empty<T>() => new(RangeFlags.Empty, default, default);

    /// <summary>The range with every value.</summary>
    /// <typeparam name="T">The type of the bounds.</typeparam>
    public static PgRange<T> All<T>() => new(RangeFlags.LowerInfinite | RangeFlags.UpperInfinite, default, default);

    /// <summary>A range without an upper bound.</summary>
    /// <typeparam name="T">The type of the bounds.</typeparam>
    /// <param name="lower">The lower bound.</param>
    /// <param name="inclusive">Whether it is in the range.</param>
    public static PgRange<T> From<T>(T lower, bool inclusive = true)
        => new(RangeFlags.UpperInfinite | (inclusive ? RangeFlags.LowerInclusive : 0), lower, default);

    /// <summary>A range without a lower bound.</summary>
    /// <typeparam name="T">The type of the bounds.</typeparam>
    /// <param name="upper">The upper bound.</param>
    /// <param name="inclusive">Whether it is in the range.</param>
    public static PgRange<T> To<T>(T upper, bool inclusive = false)
        => new(RangeFlags.LowerInfinite | (inclusive ? RangeFlags.UpperInclusive : 0), default, upper);
}
