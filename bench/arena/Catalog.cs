using System.Text.Json;

namespace Ioxide.Arena;

/// <summary>The first items of a list in memory, with a computed total; made and serialized anew for each request.</summary>
internal static class Catalog
{
    internal static async Task<CatalogItem[]> ReadAsync(string file)
    {
        if (!File.Exists(file))
        {
            return [];
        }

        await using FileStream json = File.OpenRead(file);
        return await JsonSerializer.DeserializeAsync(json, ArenaJson.Default.CatalogItemArray) ?? [];
    }

    internal static void MapCatalog(this IEndpointRouteBuilder routes, CatalogItem[] catalog)
        => routes.MapGet("/json/{count:int}", (int count, int m = 1) =>
        {
            var items = new PricedItem[Math.Clamp(count, 0, catalog.Length)];
            for (int index = 0; index < items.Length; index++)
            {
                CatalogItem item = catalog[index];
                items[index] = new PricedItem(
                    item.Id, item.Name, item.Category, item.Price, item.Quantity, item.Active, item.Tags, item.Rating, (long)item.Price * item.Quantity * m);
            }

            return new PricedItems(items, items.Length);
        });
}
