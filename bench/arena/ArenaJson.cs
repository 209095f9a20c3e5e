using System.Text.Json;
using System.Text.Json.Serialization;

namespace Ioxide.Arena;

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(CatalogItem[]))]
[JsonSerializable(typeof(PricedItems))]
[JsonSerializable(typeof(ItemsByPrice))]
[JsonSerializable(typeof(ItemPage))]
[JsonSerializable(typeof(ItemChange))]
internal sealed partial class ArenaJson : JsonSerializerContext;

internal readonly record struct Rating(int Score, int Count);

/// <summary>An item of the list in memory.</summary>
internal sealed record CatalogItem(
    int Id, string Name, string Category, int Price, int Quantity, bool Active, string[] Tags, Rating Rating);

/// <summary>The same with its total.</summary>
internal sealed record PricedItem(
    int Id, string Name, string Category, int Price, int Quantity, bool Active, string[] Tags, Rating Rating, long Total);

internal readonly record struct PricedItems(PricedItem[] Items, int Count);

/// <summary>A row of the table.</summary>
internal sealed record Item(
    int Id, string Name, string Category, int Price, int Quantity, bool Active, JsonElement Tags, Rating Rating);

internal readonly record struct ItemsByPrice(List<Item> Items, int Count);

/// <param name="Total">Items of this page; the board does not ask for those of all pages.</param>
internal readonly record struct ItemPage(List<Item> Items, int Total, int Page, int Limit);

/// <summary>What a POST or a PUT sends, and what it answers.</summary>
internal sealed record ItemChange(int Id, string? Name, string? Category, int Price, int Quantity);
