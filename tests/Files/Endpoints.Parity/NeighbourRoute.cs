namespace Ioxide.Files.Tests;

/// <summary>An endpoint beside the folders.</summary>
internal sealed record NeighbourRoute(string Name, string Pattern, string[] Methods, string? Host, int Order)
{
    public override string ToString() => $"{Name} {string.Join(' ', Methods)} {Pattern} {Host} order {Order}";
}
