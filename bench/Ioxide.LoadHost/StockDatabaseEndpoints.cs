using System.Buffers;
using System.Text.Json;
using Npgsql;

namespace Ioxide.LoadHost;

/// <summary>The database endpoints on Npgsql: a connection of its pool, automatic preparation, objects, the framework's JSON.</summary>
internal static class StockDatabaseEndpoints
{
    internal static void MapStockDatabase(this IEndpointRouteBuilder routes)
    {
        routes.MapGet("/async-db", static (NpgsqlDataSource db, int min, int max)
            => ListAsync(db, ItemSql.ByPrice, Number(min), Number(max)));
        routes.MapGet("/crud/items", static (NpgsqlDataSource db, string category, int page)
            => ListAsync(db, ItemSql.ByCategory, new NpgsqlParameter<string> { TypedValue = category }, Number(page * 20)));
        routes.MapGet("/fortunes", static async (NpgsqlDataSource db) => Fortune.Page(await FortunesAsync(db)));
        NpgsqlDataSource items = routes.ServiceProvider.GetRequiredService<NpgsqlDataSource>();
        Func<int, IBufferWriter<byte>, Task> fetch = (id, writer) => FetchAsync(items, id, writer);
        routes.MapGet("/crud/items/{id:int}", (HttpResponse response, ItemCache cache, int id) => cache.WriteAsync(response, id, fetch));
        routes.MapPost("/crud/items/{id:int}", static (NpgsqlDataSource db, ItemCache cache, int id, ItemChange change)
            => ChangeAsync(db, ItemSql.Upsert, cache, id, change));
        routes.MapPut("/crud/items/{id:int}", static (NpgsqlDataSource db, ItemCache cache, int id, ItemChange change)
            => ChangeAsync(db, ItemSql.Update, cache, id, change));
    }

    private static NpgsqlParameter<int> Number(int value) => new() { TypedValue = value };

    private static async Task<List<ItemRow>> ListAsync(NpgsqlDataSource db, string sql, params NpgsqlParameter[] parameters)
    {
        await using NpgsqlCommand command = db.CreateCommand(sql);
        command.Parameters.AddRange(parameters);
        await using NpgsqlDataReader reader = await command.ExecuteReaderAsync();
        var items = new List<ItemRow>();
        while (await reader.ReadAsync())
        {
            items.Add(new ItemRow(
                reader.GetInt32(0), reader.GetString(1), reader.GetString(2), reader.GetInt32(3), reader.GetInt32(4),
                reader.GetBoolean(5), JsonElement.Parse(reader.GetString(6)), reader.GetInt32(7), reader.GetInt32(8)));
        }

        return items;
    }

    private static async Task<List<Fortune>> FortunesAsync(NpgsqlDataSource db)
    {
        await using NpgsqlCommand command = db.CreateCommand(Fortune.Sql);
        await using NpgsqlDataReader reader = await command.ExecuteReaderAsync();
        var fortunes = new List<Fortune>();
        while (await reader.ReadAsync())
        {
            fortunes.Add(new Fortune(reader.GetInt32(0), reader.GetString(1)));
        }

        return fortunes;
    }

    private static async Task FetchAsync(NpgsqlDataSource db, int id, IBufferWriter<byte> writer)
    {
        List<ItemRow> items = await ListAsync(db, ItemSql.ById, Number(id));
        await using var json = new Utf8JsonWriter(writer);
        JsonSerializer.Serialize(json, items, LoadJsonContext.Default.ListItemRow);
    }

    private static async Task<IResult> ChangeAsync(NpgsqlDataSource db, string sql, ItemCache cache, int id, ItemChange change)
    {
        await using NpgsqlCommand command = db.CreateCommand(sql);
        command.Parameters.Add(Number(id));
        command.Parameters.Add(Number(change.Price));
        command.Parameters.Add(Number(change.Quantity));
        int changed = await command.ExecuteNonQueryAsync();
        cache.Remove(id);
        return changed == 1 ? TypedResults.NoContent() : TypedResults.NotFound();
    }
}
