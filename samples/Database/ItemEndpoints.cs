using System.Text.Json;
using Ioxide.Pg;
using Microsoft.AspNetCore.Http.HttpResults;

namespace Database;

/// <summary>Rows that are listed, read, written and exported.</summary>
internal static class ItemEndpoints
{
    private const int PageItems = 20; // As in s_page.

    private static readonly PgStatement<int, int> s_byPrice = PgStatement.Create<int, int>(
        """
        select id, name, category, price, quantity, active, tags, rating_score as "ratingScore", rating_count as "ratingCount"
        from items
        where price between $1 and $2 order by price, id limit 50
        """u8);

    private static readonly PgStatement<string, int> s_page = PgStatement.Create<string, int>(
        """
        select id, name, category, price, quantity, active, tags, rating_score as "ratingScore", rating_count as "ratingCount"
        from items
        where category = $1 order by id limit 20 offset $2
        """u8);

    private static readonly PgStatement s_all = PgStatement.Create(
        """
        select id, name, category, price, quantity, active, tags, rating_score as "ratingScore", rating_count as "ratingCount"
        from items order by id
        """u8);

    private static readonly PgStatement<int> s_byId = PgStatement.Create<int>(
        "select id, name, category, price, quantity, active, tags, rating_score, rating_count from items where id = $1"u8);

    private static readonly PgStatement<string, string, int, int, bool, string> s_insert =
        PgStatement.Create<string, string, int, int, bool, string>(
            """
            insert into items (name, category, price, quantity, active, tags) values ($1, $2, $3, $4, $5, $6)
            returning id, name, category, price, quantity, active, tags, rating_score, rating_count
            """u8);

    private static readonly PgStatement<int, string, int, int, bool> s_update = PgStatement.Create<int, string, int, int, bool>(
        """
        update items set name = $2, price = $3, quantity = $4, active = $5 where id = $1
        returning id, name, category, price, quantity, active, tags, rating_score, rating_count
        """u8);

    private static readonly PgStatement<int> s_delete = PgStatement.Create<int>("delete from items where id = $1"u8);

    internal static void MapItems(this IEndpointRouteBuilder routes)
    {
        // The driver writes the array from its receive buffer into the response's; no object is made in between.
        routes.MapGet("/async-db", static (HttpResponse response, PgDataSource db, CancellationToken cancellation, int min = 10, int max = 50) =>
        {
            response.ContentType = "application/json";
            return WriteAsync(db.Query(s_byPrice, min, max).WriteJsonAsync(response.BodyWriter, cancellation));
        });

        // The same of any length: a client that is slow slows the server down, and little is held in between.
        routes.MapGet("/export", static (HttpResponse response, PgDataSource db, CancellationToken cancellation) =>
        {
            response.ContentType = "application/json";
            return WriteAsync(db.Query(s_all).StreamJsonAsync(response.BodyWriter, cancellation));
        });

        RouteGroupBuilder items = routes.MapGroup("/items");
        items.MapGet("/", static (
            HttpResponse response, PgDataSource db, CancellationToken cancellation, string category = "Category 1", int page = 0) =>
        {
            response.ContentType = "application/json";
            return WriteAsync(db.Query(s_page, category, Math.Clamp(page, 0, int.MaxValue / PageItems) * PageItems)
                .WriteJsonAsync(response.BodyWriter, cancellation));
        });
        items.MapGet("/{id:int}", static async Task<Results<Ok<Item>, NotFound>> (int id, PgDataSource db, CancellationToken cancellation)
            => await db.Query(s_byId, id).FirstOrDefaultAsync(Item.Reader, cancellation) is { } item
                ? TypedResults.Ok(item)
                : TypedResults.NotFound());
        items.MapPost("/", static async Task<Results<Created<Item>, BadRequest<string>>> (
            NewItem item, PgDataSource db, CancellationToken cancellation) =>
        {
            if (item.Name is null || item.Category is null)
            {
                return TypedResults.BadRequest("An item has a name and a category.");
            }

            string tags = item.Tags.ValueKind == JsonValueKind.Undefined ? "[]" : item.Tags.GetRawText();
            Item added = await db.Query(s_insert, item.Name, item.Category, item.Price, item.Quantity, item.Active, tags)
                .FirstAsync(Item.Reader, cancellation);
            return TypedResults.Created($"/items/{added.Id}", added);
        });
        items.MapPut("/{id:int}", static async Task<Results<Ok<Item>, NotFound, BadRequest<string>>> (
            int id, ItemChange change, PgDataSource db, CancellationToken cancellation)
            => change.Name is null ? TypedResults.BadRequest("An item has a name.")
                : await db.Query(s_update, id, change.Name, change.Price, change.Quantity, change.Active)
                .FirstOrDefaultAsync(Item.Reader, cancellation) is { } item
                    ? TypedResults.Ok(item)
                    : TypedResults.NotFound());
        items.MapDelete("/{id:int}", static async Task<Results<NoContent, NotFound>> (
            int id, PgDataSource db, CancellationToken cancellation)
            => (await db.Query(s_delete, id).ExecuteAsync(cancellation)).RowsAffected == 1
                ? TypedResults.NoContent()
                : TypedResults.NotFound());
    }

    private static async Task WriteAsync(ValueTask<PgTag> write) => await write;
}
