namespace Ioxide.Chaos;

/// <summary>What the head of a reply said.</summary>
internal readonly record struct Reply(int Status, int LengthBytes, bool ClosesConnection);
