namespace Ioxide.LoadHost;

/// <summary>An item as <c>/json/COUNT</c> answers it.</summary>
/// <param name="Total">Price times quantity times the request's factor.</param>
internal readonly record struct PricedItem(
    int Id, string Name, string Category, int Price, int Quantity, bool Active, string[] Tags, long Total);
