namespace Ioxide.Pg.Tests;

/// <summary>Rows that are read where they lie.</summary>
internal static class RowReading
{
    internal delegate void RowReader(PgRow row);

    /// <summary>Reads what is left; each batch comes within a minute.</summary>
    internal static async Task EachAsync(this PgRows rows, RowReader read)
    {
        while (await rows.NextBatchAsync().Within(60.Seconds()))
        {
            foreach (PgRow row in rows.Batch)
            {
                read(row);
            }
        }
    }
}
