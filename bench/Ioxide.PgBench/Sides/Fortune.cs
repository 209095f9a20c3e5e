using Ioxide.Pg;

namespace Ioxide.PgBench.Sides;

/// <summary>A row of the fortunes.</summary>
internal sealed record Fortune(int Id, string Message)
{
    internal static Fortune Read(PgRow row) => new(row.GetInt32(0), row.GetString(1)!);
}
