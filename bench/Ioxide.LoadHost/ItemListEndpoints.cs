using System.IO.Compression;
using Microsoft.AspNetCore.ResponseCompression;

namespace Ioxide.LoadHost;

/// <summary>A list of items with a computed field, made anew for each request; compressed by the framework where the host has that.</summary>
internal static class ItemListEndpoints
{
    internal static void AddCompression(this IServiceCollection services, LoadHostOptions options)
    {
        if (options.IsCompressing)
        {
            services.Configure<GzipCompressionProviderOptions>(static gzip => gzip.Level = CompressionLevel.Fastest);
            services.AddResponseCompression(static compression =>
            {
                compression.EnableForHttps = true;
                compression.Providers.Add<GzipCompressionProvider>();
            });
        }
    }

    internal static void UseCompression(this WebApplication app, LoadHostOptions options)
    {
        if (options.IsCompressing)
        {
            app.UseResponseCompression();
        }
    }

    internal static void MapItemList(this IEndpointRouteBuilder routes)
        => routes.MapGet("/json/{count:int}", static (int count, int m = 1) => List(count, m));

    private static List<PricedItem> List(int count, int factor)
    {
        count = Math.Clamp(count, 0, CatalogItem.All.Length);
        var items = new List<PricedItem>(count);
        foreach (CatalogItem item in CatalogItem.All.AsSpan(0, count))
        {
            items.Add(new PricedItem(
                item.Id, item.Name, item.Category, item.Price, item.Quantity, item.Active, item.Tags, (long)item.Price * item.Quantity * factor));
        }

        return items;
    }
}
