using Ioxide.Pg;

namespace Database;

/// <summary>Rows by their keys, as JSON.</summary>
internal static class WorldEndpoints
{
    private const int MaxQueries = 500;

    private static readonly PgStatement<int> s_byId = PgStatement.Create<int>("select id, randomnumber from world where id = $1"u8);

    internal static void MapWorld(this IEndpointRouteBuilder routes)
    {
        routes.MapGet("/db", static (PgDataSource db, CancellationToken cancellation)
            => db.Query(s_byId, RandomId()).FirstAsync(World.Reader, cancellation));

        // All of them are on their way before the first is awaited: they share a few connections.
        routes.MapGet("/queries", static async (PgDataSource db, CancellationToken cancellation, int? n, int? queries) =>
        {
            // Both names are in use by public benchmarks.
            Task<World>[] rows = new Task<World>[Math.Clamp(n ?? queries ?? 1, 1, MaxQueries)];
            for (int i = 0; i < rows.Length; i++)
            {
                rows[i] = db.Query(s_byId, RandomId()).FirstAsync(World.Reader, cancellation).AsTask();
            }

            return await Task.WhenAll(rows);
        });
    }

    private static int RandomId() => Random.Shared.Next(1, Tables.WorldCount + 1);
}
