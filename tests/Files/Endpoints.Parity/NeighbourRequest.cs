namespace Ioxide.Files.Tests;

/// <summary>A request to a generated application.</summary>
internal sealed record NeighbourRequest(string Method, string Target, string Host);
