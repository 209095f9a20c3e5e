namespace Ioxide.Chaos;

/// <summary>What the head of a reply said.</summary>
/// <param name="Status">The status code.</param>
/// <param name="LengthBytes">The body's length.</param>
/// <param name="ClosesConnection">Nothing follows on the connection.</param>
/// <param name="Instance">Which instance the balancer had asked; empty without a balancer.</param>
internal readonly record struct Reply(int Status, int LengthBytes, bool ClosesConnection, string Instance);
