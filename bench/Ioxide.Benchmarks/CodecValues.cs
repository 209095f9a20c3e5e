namespace Ioxide.Benchmarks;

/// <summary>One value a type.</summary>
internal static class CodecValues
{
    internal static object Of(Type type) => s_all.First(value => value.GetType() == type);

    private static readonly object[] s_all =
    [
        true, 42, 4_200_000_000L, 3.14159, 10_010.5m, new Guid("00112233-4455-6677-8899-aabbccddeeff"),
        new DateTime(2024, 1, 1, 12, 30, 0, DateTimeKind.Utc), new DateOnly(2024, 1, 1), TimeSpan.FromMinutes(90), "twenty-odd characters",
        new[] { 1, 2, 3, 4, 5, 6, 7, 8 },
    ];
}
