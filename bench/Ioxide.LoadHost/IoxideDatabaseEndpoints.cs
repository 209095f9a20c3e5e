using System.Buffers;
using System.Text;
using System.Text.Json;
using Ioxide.Pg;

namespace Ioxide.LoadHost;

/// <summary>The database endpoints on Ioxide.Pg: rows go from its receive buffer into the response, or are made objects as in the stock application.</summary>
internal static class IoxideDatabaseEndpoints
{
    private static readonly PgStatement<int, int> s_byPrice = PgStatement.Create<int, int>(Encoding.UTF8.GetBytes(ItemSql.ByPrice));

    private static readonly PgStatement<string, int> s_byCategory =
        PgStatement.Create<string, int>(Encoding.UTF8.GetBytes(ItemSql.ByCategory));

    private static readonly PgStatement s_fortunes = PgStatement.Create(Encoding.UTF8.GetBytes(Fortune.Sql));

    private static readonly PgRowReader<Fortune> s_fortune = static row => new Fortune(row.GetInt32(0), row.Get<string>(1));

    private static readonly PgRowReader<ItemRow> s_item = static row => new ItemRow(
        row.GetInt32(0), row.Get<string>(1), row.Get<string>(2), row.GetInt32(3), row.GetInt32(4),
        row.Get<bool>(5), JsonElement.Parse(row.Get<string>(6)), row.GetInt32(7), row.GetInt32(8));

    private static readonly PgStatement<int> s_byId = PgStatement.Create<int>(Encoding.UTF8.GetBytes(ItemSql.ById));

    private static readonly PgStatement<int, int, int> s_upsert =
        PgStatement.Create<int, int, int>(Encoding.UTF8.GetBytes(ItemSql.Upsert));

    private static readonly PgStatement<int, int, int> s_update =
        PgStatement.Create<int, int, int>(Encoding.UTF8.GetBytes(ItemSql.Update));

    internal static void MapIoxideDatabase(this IEndpointRouteBuilder routes, bool asObjects)
    {
        if (asObjects)
        {
            routes.MapGet("/async-db", static async (PgDataSource db, int min, int max) => await db.Query(s_byPrice, min, max).ListAsync(s_item));
            routes.MapGet("/crud/items", static async (PgDataSource db, string category, int page)
                => await db.Query(s_byCategory, category, page * 20).ListAsync(s_item));
        }
        else
        {
            routes.MapGet("/async-db", static (HttpResponse response, PgDataSource db, int min, int max)
                => WriteAsync(response, db.Query(s_byPrice, min, max)));
            routes.MapGet("/crud/items", static (HttpResponse response, PgDataSource db, string category, int page)
                => WriteAsync(response, db.Query(s_byCategory, category, page * 20)));
        }

        routes.MapGet("/fortunes", static async (PgDataSource db) => Fortune.Page(await db.Query(s_fortunes).ListAsync(s_fortune)));
        PgDataSource items = routes.ServiceProvider.GetRequiredService<PgDataSource>();
        Func<int, IBufferWriter<byte>, Task> fetch = (id, writer) => items.Query(s_byId, id).WriteJsonAsync(writer).AsTask();
        routes.MapGet("/crud/items/{id:int}", (HttpResponse response, ItemCache cache, int id) => cache.WriteAsync(response, id, fetch));
        routes.MapPost("/crud/items/{id:int}", static (PgDataSource db, ItemCache cache, int id, ItemChange change)
            => ChangeAsync(cache, id, db.Query(s_upsert, id, change.Price, change.Quantity)));
        routes.MapPut("/crud/items/{id:int}", static (PgDataSource db, ItemCache cache, int id, ItemChange change)
            => ChangeAsync(cache, id, db.Query(s_update, id, change.Price, change.Quantity)));
    }

    private static async Task WriteAsync<T>(HttpResponse response, PgQuery<T> query)
        where T : struct, IPgParameters
    {
        response.ContentType = "application/json; charset=utf-8";
        await query.WriteJsonAsync(response.BodyWriter);
    }

    private static async Task<IResult> ChangeAsync<T>(ItemCache cache, int id, PgQuery<T> query)
        where T : struct, IPgParameters
    {
        long changed = (await query.ExecuteAsync()).RowsAffected;
        cache.Remove(id);
        return changed == 1 ? TypedResults.NoContent() : TypedResults.NotFound();
    }
}
