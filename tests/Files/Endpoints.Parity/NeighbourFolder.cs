namespace Ioxide.Files.Tests;

/// <summary>A folder of a generated application.</summary>
/// <param name="Number">Of <see cref="ApplicationFolders"/>.</param>
/// <param name="Group">The prefix of its group; empty for none.</param>
/// <param name="Host">What it requires; null for none.</param>
internal sealed record NeighbourFolder(string Prefix, int Number, string Group, string? Host, int Index)
{
    /// <summary>The whole prefix; empty for the root.</summary>
    internal string Start => Group + (Prefix == "/" ? "" : Prefix);
}
