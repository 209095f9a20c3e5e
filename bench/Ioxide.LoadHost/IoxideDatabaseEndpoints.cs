using System.Text;
using Ioxide.Pg;

namespace Ioxide.LoadHost;

/// <summary>The database end points on Ioxide.Pg: rows go from its receive buffer into the response.</summary>
internal static class IoxideDatabaseEndpoints
{
    private static readonly PgStatement<int, int> s_byPrice = PgStatement.Create<int, int>(Encoding.UTF8.GetBytes(ItemSql.ByPrice));

    private static readonly PgStatement<string, int> s_byCategory =
        PgStatement.Create<string, int>(Encoding.UTF8.GetBytes(ItemSql.ByCategory));

    private static readonly PgStatement<int> s_byId = PgStatement.Create<int>(Encoding.UTF8.GetBytes(ItemSql.ById));

    private static readonly PgStatement<int, int, int> s_upsert =
        PgStatement.Create<int, int, int>(Encoding.UTF8.GetBytes(ItemSql.Upsert));

    private static readonly PgStatement<int, int, int> s_update =
        PgStatement.Create<int, int, int>(Encoding.UTF8.GetBytes(ItemSql.Update));

    internal static void MapIoxideDatabase(this IEndpointRouteBuilder routes)
    {
        routes.MapGet("/async-db", static (HttpResponse response, PgDataSource db, int min, int max)
            => WriteAsync(response, db.Query(s_byPrice, min, max)));
        routes.MapGet("/crud/items", static (HttpResponse response, PgDataSource db, string category, int page)
            => WriteAsync(response, db.Query(s_byCategory, category, page * 20)));
        routes.MapGet("/crud/items/{id:int}", static (HttpResponse response, PgDataSource db, int id)
            => WriteAsync(response, db.Query(s_byId, id)));
        routes.MapPost("/crud/items/{id:int}", static async (PgDataSource db, int id, ItemChange change)
            => Status((await db.Query(s_upsert, id, change.Price, change.Quantity).ExecuteAsync()).RowsAffected));
        routes.MapPut("/crud/items/{id:int}", static async (PgDataSource db, int id, ItemChange change)
            => Status((await db.Query(s_update, id, change.Price, change.Quantity).ExecuteAsync()).RowsAffected));
    }

    private static async Task WriteAsync<T>(HttpResponse response, PgQuery<T> query)
        where T : struct, IPgParameters
    {
        response.ContentType = "application/json; charset=utf-8";
        await query.WriteJsonAsync(response.BodyWriter);
    }

    private static IResult Status(long changed) => changed == 1 ? TypedResults.NoContent() : TypedResults.NotFound();
}
