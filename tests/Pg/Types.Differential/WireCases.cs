using NpgsqlTypes;

namespace Ioxide.Pg.Tests;

/// <summary>Every type that the driver reads and writes; the parts hold the families.</summary>
internal static partial class WireCases
{
    internal static IReadOnlyDictionary<string, WireCase> All { get; } = new Dictionary<string, WireCase>(
        [.. Numbers(), .. Texts(), .. Times(), .. Networks(), .. Shapes(), .. Ranges(), .. MultiRanges(), .. OwnTypes()]);

    /// <summary>A value type on both sides.</summary>
    private static KeyValuePair<string, WireCase> Values<TOurs, TTheirs>(
        string sqlType, Func<TOurs, TTheirs> convert, Func<Random, TOurs> next, params TOurs[] extremes)
        where TOurs : struct
        where TTheirs : struct => Named(new WireCase<TOurs, TOurs?[], TTheirs, TTheirs?[]>(sqlType, convert, Nullables, Nullables, next, extremes));

    /// <summary>One value type, the same on both sides.</summary>
    private static KeyValuePair<string, WireCase> Values<T>(string sqlType, Func<Random, T> next, params T[] extremes)
        where T : struct => Values(sqlType, static value => value, next, extremes);

    /// <summary>A value type that is a class or a text in Npgsql.</summary>
    private static KeyValuePair<string, WireCase> Mixed<TOurs, TTheirs>(
        string sqlType, Func<TOurs, TTheirs> convert, bool isText, Func<Random, TOurs> next, params TOurs[] extremes)
        where TOurs : struct
        where TTheirs : class
        => Named(new WireCase<TOurs, TOurs?[], TTheirs, TTheirs?[]>(sqlType, convert, Nullables, Objects, next, extremes) { TheirsIsText = isText });

    /// <summary>One class, the same on both sides.</summary>
    private static KeyValuePair<string, WireCase> References<T>(string sqlType, Func<Random, T> next, params T[] extremes)
        where T : class => Named(new WireCase<T, T?[], T, T?[]>(sqlType, static value => value, Objects, Objects, next, extremes));

    private static KeyValuePair<string, WireCase> Named(WireCase @case, string? name = null)
        => new(name ?? $"{@case.SqlType} as {@case.GetType().GetGenericArguments()[0].Name}{(@case.TheirsIsText ? " and text" : "")}", @case);

    private static T?[] Nullables<T>(T[] values)
        where T : struct => [.. values.Select(static (value, index) => index % 4 == 3 ? (T?)null : value)];

    private static T?[] Objects<T>(T[] values)
        where T : class => [.. values.Select(static (value, index) => index % 4 == 3 ? null : value)];

    private static T Pick<T>(Random random, params ReadOnlySpan<T> items) => items[random.Next(items.Length)];

    /// <summary>All magnitudes alike, both signs.</summary>
    private static long Any64(Random random) => (random.NextInt64(long.MinValue, long.MaxValue) >> random.Next(64)) ^ random.Next(-1, 1);

    private static int Any32(Random random) => (int)(random.NextInt64(int.MinValue, 1L + int.MaxValue) >> random.Next(32));
}
