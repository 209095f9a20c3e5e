using Ioxide.Pg;

namespace Ioxide.PgBench.Sides;

/// <summary>Adds rows up; one a caller, used again for each call.</summary>
internal sealed class RowSum
{
    internal static readonly PgRowAction<RowSum> AddFortune = static (row, sum) =>
    {
        sum.Value += row.GetInt32(0) + row.GetUtf8(1).Length;
        sum.RowCount++;
    };

    internal static readonly PgRowAction<RowSum> AddItem = static (row, sum) =>
    {
        sum.Value += Item.SumOf(row);
        sum.RowCount++;
    };

    internal long Value { get; set; }

    internal int RowCount { get; set; }

    internal void Clear()
    {
        Value = 0;
        RowCount = 0;
    }
}
