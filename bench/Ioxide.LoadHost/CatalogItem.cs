namespace Ioxide.LoadHost;

/// <summary>An item of <c>/json/COUNT</c>, held in memory.</summary>
internal sealed record CatalogItem(int Id, string Name, string Category, int Price, int Quantity, bool Active, string[] Tags)
{
    /// <summary>The items of every process, the same in each.</summary>
    internal static readonly CatalogItem[] All = [.. Enumerable.Range(1, 50).Select(static id => new CatalogItem(
        id, $"Item {id}", $"Category {id % 5}", id * 7919 % 1000, (id % 100) + 1, id % 2 == 0, [$"tag{id % 7}", $"tag{id % 11}"]))];
}
