using System.Globalization;
using System.Numerics;

namespace Ioxide.Pg.Tests;

internal static partial class WireCases
{
    private static IEnumerable<KeyValuePair<string, WireCase>> Numbers() =>
    [
        Values("bool", static random => random.Next(2) == 0, true, false),
        Values("int2", static random => (short)Any32(random), (short)0, (short)-1, short.MaxValue, short.MinValue),
        Values("int4", Any32, 0, -1, int.MaxValue, int.MinValue),
        Values("int8", Any64, 0, -1, long.MaxValue, long.MinValue),
        Values("oid", static random => (uint)Any32(random), 0u, uint.MaxValue),
        Values("xid8", static random => (ulong)Any64(random), 0ul, ulong.MaxValue),
        Values(
            "float4", static random => BitConverter.Int32BitsToSingle((int)random.NextInt64(int.MinValue, 1L + int.MaxValue)),
            0f, -0f, 0.1f, float.MaxValue, float.MinValue, float.Epsilon, 1.1754944e-38f, float.NaN, float.PositiveInfinity, float.NegativeInfinity),
        Values(
            "float8", static random => BitConverter.Int64BitsToDouble(random.NextInt64(long.MinValue, long.MaxValue)),
            0, -0d, 0.1, double.MaxValue, double.MinValue, double.Epsilon, 2.2250738585072014e-308, 9007199254740993, double.NaN,
            double.PositiveInfinity, double.NegativeInfinity),
        Values(
            "numeric", AnyDecimal,
            0m, 0.00m, -1m, 10_000m, 9_999m, 0.0001m, 1.50m, decimal.MaxValue, decimal.MinValue, 0.0000000000000000000000000001m,
            -7.9228162514264337593543950335m),
        Values("numeric", AnyInteger, BigInteger.Zero, BigInteger.MinusOne, BigInteger.Pow(10, 4000), -BigInteger.Pow(10, 131_000)),
        Mixed("numeric", static value => value.ToString(), isText: true, AnyNumeric, [.. Extremes().Select(static text => PgNumeric.Parse(text))]),
        Values("money", static random => Any64(random) / 100m + 0.00m, 0.00m, -0.01m, long.MaxValue / 100m, long.MinValue / 100m),
        Named(new WireCase<uint, uint?[], uint, uint?[]>(
            "regtype", static value => value, Nullables, Nullables, static random => (uint)Any32(random), [0, 23, uint.MaxValue]) { Text = "v::oid" }),
        .. Names.Select(static sqlType => Named(new WireCase<uint, uint?[], string, string?[]>(
            sqlType, static value => $"{value}", Nullables, Objects, AnyStranger, [uint.MaxValue]) { Text = "v::oid", TheirsIsText = true, Via = "oid" })),
    ];

    // What stands for a name that Npgsql neither reads nor writes; psql prints the number where there is no such thing.
    private static string[] Names =>
    ["regclass", "regproc", "regprocedure", "regoper", "regoperator", "regrole", "regnamespace", "regconfig", "regdictionary", "regcollation"];

    private static uint AnyStranger(Random random) => (uint)random.NextInt64(int.MaxValue, uint.MaxValue);

    private static string[] Extremes() =>
    [
        "NaN", "Infinity", "-Infinity", "0", "0.000", "1e131071", "-1e131071", "1e-16383", "12345678901234567890123456789012345678901234567890.5",
        "79228162514264337593543950336", "-0.00000000000000000000000000000000000001", "10000.00010000",
        $"{new string('1', 131_072)}.1111", $"-{new string('9', 131_072)}.{new string('9', 16_383)}",
    ];

    private static decimal AnyDecimal(Random random)
        => new(Any32(random), random.Next(2) * Any32(random), random.Next(2) * Any32(random), random.Next(2) == 0, (byte)random.Next(29));

    private static BigInteger AnyInteger(Random random)
    {
        byte[] bytes = new byte[random.Next(1, 60)];
        random.NextBytes(bytes);
        return new BigInteger(bytes);
    }

    private static PgNumeric AnyNumeric(Random random)
        => PgNumeric.Parse($"{(random.Next(2) == 0 ? "-" : "")}{Digits(random, 90)}{(random.Next(4) == 0 ? "" : $".{Digits(random, 60)}")}");

    private static string Digits(Random random, int max)
        => string.Concat(Enumerable.Range(0, random.Next(1, max)).Select(_ => (random.Next(3) == 0 ? 0 : random.Next(10)).ToString(CultureInfo.InvariantCulture)));
}
