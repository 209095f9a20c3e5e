using System.Text.Json;
using Ioxide.Pg;

namespace Database;

/// <summary>A row of items.</summary>
internal sealed record Item(
    int Id, string Name, string Category, int Price, int Quantity, bool Active, JsonElement Tags, int RatingScore, int RatingCount)
{
    internal static readonly PgRowReader<Item> Reader = static row => new Item(
        row.GetInt32(0), row.Get<string>(1), row.Get<string>(2), row.GetInt32(3), row.GetInt32(4), row.GetBoolean(5),
        row.Get<JsonElement>(6), row.GetInt32(7), row.GetInt32(8));
}

/// <summary>What a POST sends.</summary>
internal sealed record NewItem(string? Name, string? Category, int Price, int Quantity, bool Active, JsonElement Tags);

/// <summary>What a PUT sends.</summary>
internal sealed record ItemChange(string? Name, int Price, int Quantity, bool Active);
