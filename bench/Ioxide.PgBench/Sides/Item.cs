using System.Text;
using Ioxide.Pg;

namespace Ioxide.PgBench.Sides;

/// <summary>A row of the items.</summary>
internal sealed record Item(
    int Id, string Name, string Category, int Price, int Quantity, bool Active, string Tags, int RatingScore, int RatingCount)
{
    /// <summary>As <see cref="Tables.ItemsSum"/> counts it.</summary>
    internal long Sum => Id + Encoding.UTF8.GetByteCount(Name) + Encoding.UTF8.GetByteCount(Category) + Price + Quantity
        + (Active ? 1 : 0) + Encoding.UTF8.GetByteCount(Tags) + RatingScore + RatingCount;

    internal static Item Read(PgRow row) => new(
        row.GetInt32(0), row.GetString(1)!, row.GetString(2)!, row.GetInt32(3), row.GetInt32(4), row.GetBoolean(5),
        row.GetString(6)!, row.GetInt32(7), row.GetInt32(8));

    /// <summary>The same sum without an object. The binary form of jsonb is one byte and the text.</summary>
    internal static long SumOf(PgRow row) => row.GetInt32(0) + row.GetUtf8(1).Length + row.GetUtf8(2).Length + row.GetInt32(3)
        + row.GetInt32(4) + (row.GetBoolean(5) ? 1 : 0) + row.GetBytes(6).Length - 1 + row.GetInt32(7) + row.GetInt32(8);
}
