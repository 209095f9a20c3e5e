using System.Text.Json;

namespace Ioxide.LoadHost;

/// <summary>A row of items, as the stock application makes it.</summary>
internal sealed record ItemRow(
    int Id, string Name, string Category, int Price, int Quantity, bool Active, JsonElement Tags, int RatingScore, int RatingCount);
