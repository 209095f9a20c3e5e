using System.Globalization;
using System.Text;

namespace Ioxide.PgBench;

/// <summary>What <c>bench/pg-fill.sql</c> puts into the tables, so that each side can check each answer.</summary>
internal static class Tables
{
    internal const int WorldCount = 10_000;
    internal const int ItemCount = 100_000;
    internal const int FortuneCount = 12;

    /// <summary>The sum of the fortunes' numbers and of the bytes of their texts.</summary>
    internal const long FortuneSum = 78 + 664;

    internal const string Items =
        "select id, name, category, price, quantity, active, tags, rating_score, rating_count from items";

    private static readonly string[] s_columns =
        ["id", "name", "category", "price", "quantity", "active", "tags", "rating_score", "rating_count"];

    private static readonly Lazy<long[]> s_sums = new(static () => Prefix(SumOf));

    private static readonly Lazy<long[]> s_jsonLengths = new(static () => Prefix(static id => JsonOf(id).Length + 1));

    internal static IReadOnlyList<string> Columns => s_columns;

    internal static int RandomNumber(int id) => (id * 7919 % WorldCount) + 1;

    /// <summary>The sum over items: numbers as they are, texts by their bytes, true as 1.</summary>
    internal static long ItemsSum(int first, int last) => s_sums.Value[last] - s_sums.Value[first - 1];

    /// <summary>Bytes of the items as a JSON array without blanks.</summary>
    internal static long JsonLength(int first, int last) => s_jsonLengths.Value[last] - s_jsonLengths.Value[first - 1] + 1;

    internal static string JsonOf(int id) => string.Create(
        CultureInfo.InvariantCulture,
        $"{{\"id\":{id},\"name\":\"Item {id}\",\"category\":\"Category {id % 5}\",\"price\":{Price(id)},\"quantity\":{id % 100},")
        + string.Create(
            CultureInfo.InvariantCulture,
            $"\"active\":{(id % 2 == 0 ? "true" : "false")},\"tags\":{TagsOf(id)},\"rating_score\":{id % 50},\"rating_count\":{id % 1000}}}");

    private static int Price(int id) => (int)(id * 7919L % 1000);

    private static string TagsOf(int id)
        => string.Create(CultureInfo.InvariantCulture, $"[\"tag{id % 7}\", \"tag{id % 11}\"]");

    private static long SumOf(int id)
        => id + Encoding.UTF8.GetByteCount($"Item {id}") + "Category n".Length + Price(id) + (id % 100) + (id % 2 == 0 ? 1 : 0)
            + TagsOf(id).Length + (id % 50) + (id % 1000);

    private static long[] Prefix(Func<int, long> value)
    {
        long[] sums = new long[ItemCount + 1];
        for (int id = 1; id <= ItemCount; id++)
        {
            sums[id] = sums[id - 1] + value(id);
        }

        return sums;
    }
}
