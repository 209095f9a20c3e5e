using System.Text.Json;
using Ioxide.Pg;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.Extensions.Caching.Memory;

namespace Ioxide.Arena;

/// <summary>Rows of PostgreSQL: by price, in pages, and one by its key through a cache of the process.</summary>
internal static class ItemEndpoints
{
    private const int MaxItems = 50;

    // What the board says.
    private static readonly TimeSpan s_cacheLife = TimeSpan.FromMilliseconds(200);

    private static readonly PgStatement<int, int, int> s_byPrice = PgStatement.Create<int, int, int>(
        """
        select id, name, category, price, quantity, active, tags, rating_score, rating_count
        from items where price between $1 and $2 limit $3
        """u8);

    private static readonly PgStatement<string, int, int> s_page = PgStatement.Create<string, int, int>(
        """
        select id, name, category, price, quantity, active, tags, rating_score, rating_count
        from items where category = $1 order by id limit $2 offset $3
        """u8);

    private static readonly PgStatement<int> s_byId = PgStatement.Create<int>(
        "select id, name, category, price, quantity, active, tags, rating_score, rating_count from items where id = $1"u8);

    private static readonly PgStatement<int, string, string, int, int> s_upsert = PgStatement.Create<int, string, string, int, int>(
        """
        insert into items (id, name, category, price, quantity, active, tags, rating_score, rating_count)
        values ($1, $2, $3, $4, $5, true, '["bench"]', 0, 0)
        on conflict (id) do update set name = excluded.name, price = excluded.price, quantity = excluded.quantity
        """u8);

    private static readonly PgStatement<int, string, int, int> s_update = PgStatement.Create<int, string, int, int>(
        "update items set name = $2, price = $3, quantity = $4 where id = $1"u8);

    private static readonly PgRowReader<Item> s_item = static row => new Item(
        row.GetInt32(0), row.Get<string>(1), row.Get<string>(2), row.GetInt32(3), row.GetInt32(4), row.GetBoolean(5),
        row.Get<JsonElement>(6), new Rating(row.GetInt32(7), row.GetInt32(8)));

    internal static void MapItems(this IEndpointRouteBuilder routes)
    {
        routes.MapGet("/async-db", static async (PgDataSource db, CancellationToken cancellation, int min = 10, int max = 50, int limit = MaxItems) =>
        {
            List<Item> items = await db.Query(s_byPrice, min, max, Math.Clamp(limit, 1, MaxItems)).ListAsync(s_item, cancellation);
            return new ItemsByPrice(items, items.Count);
        });

        RouteGroupBuilder crud = routes.MapGroup("/crud/items");
        crud.MapGet("/", static async (
            PgDataSource db, CancellationToken cancellation, string category = "electronics", int page = 1, int limit = 10) =>
        {
            page = Math.Max(page, 1);
            limit = limit is < 1 or > MaxItems ? 10 : limit;
            List<Item> items = await db.Query(s_page, category, limit, (page - 1) * limit).ListAsync(s_item, cancellation);
            return new ItemPage(items, items.Count, page, limit);
        });
        crud.MapGet("/{id:int}", ReadAsync);
        crud.MapPost("/", static async (ItemChange item, PgDataSource db, IMemoryCache cache, CancellationToken cancellation) =>
        {
            await db.Query(s_upsert, item.Id, item.Name ?? "New Product", item.Category ?? "test", item.Price, item.Quantity).ExecuteAsync(cancellation);
            cache.Remove(item.Id);
            return TypedResults.Created($"/crud/items/{item.Id}", item);
        });
        crud.MapPut("/{id:int}", static async Task<Results<Ok<ItemChange>, NotFound>> (
            int id, ItemChange item, PgDataSource db, IMemoryCache cache, CancellationToken cancellation) =>
        {
            PgTag done = await db.Query(s_update, id, item.Name ?? "Updated", item.Price, item.Quantity).ExecuteAsync(cancellation);
            cache.Remove(id);
            return done.RowsAffected == 1 ? TypedResults.Ok(item with { Id = id }) : TypedResults.NotFound();
        });
    }

    /// <summary>The cache holds rows, not answers: each is serialized for each request.</summary>
    private static async Task<Results<Ok<Item>, NotFound>> ReadAsync(
        int id, HttpResponse response, PgDataSource db, IMemoryCache cache, CancellationToken cancellation)
    {
        bool isKnown = cache.TryGetValue(id, out Item? item);
        if (!isKnown)
        {
            item = await db.Query(s_byId, id).FirstOrDefaultAsync(s_item, cancellation);
            if (item is null)
            {
                return TypedResults.NotFound();
            }

            cache.Set(id, item, s_cacheLife);
        }

        response.Headers["X-Cache"] = isKnown ? "HIT" : "MISS";
        return TypedResults.Ok(item!);
    }
}
