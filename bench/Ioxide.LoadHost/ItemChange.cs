namespace Ioxide.LoadHost;

/// <summary>What a PUT of <c>/crud/items</c> sends.</summary>
internal sealed record ItemChange(int Price, int Quantity);
