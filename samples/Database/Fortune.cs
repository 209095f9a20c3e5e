using Ioxide.Pg;

namespace Database;

/// <summary>A row of fortune.</summary>
internal sealed record Fortune(int Id, string Message)
{
    internal static readonly PgRowReader<Fortune> Reader = static row => new Fortune(row.GetInt32(0), row.GetString(1) ?? "");
}
