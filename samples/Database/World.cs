using Ioxide.Pg;

namespace Database;

/// <summary>A row of world.</summary>
internal readonly record struct World(int Id, int RandomNumber)
{
    internal static readonly PgRowReader<World> Reader = static row => new World(row.GetInt32(0), row.GetInt32(1));
}
