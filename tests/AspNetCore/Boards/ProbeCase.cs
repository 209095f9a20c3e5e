namespace Ioxide.AspNetCore.Tests;

/// <summary>One case of the probe: what is sent on one connection, and what the answers are worth.</summary>
/// <param name="Id">The catalogue's name of the case.</param>
/// <param name="Section">Where the requirement stands: "RFC 9112, 2.2".</param>
/// <param name="Judge">What the answers are worth.</param>
/// <param name="Steps">
/// Each is sent when the one before is answered, as Latin-1. <c>{ETag}</c> and its like stand for a field of the first answer
/// (<see cref="ProbeText.Fill"/>).
/// </param>
internal sealed record ProbeCase(string Id, string Section, ProbeJudge Judge, params string[] Steps)
{
    /// <summary>Whether the catalogue counts the case; else it is there to be known.</summary>
    internal bool IsScored { get; init; } = true;

    /// <summary>Whether the answer comes from a static file.</summary>
    internal bool AsksForFile => Steps[0].Contains(ProbeText.FilePath, StringComparison.Ordinal);

    internal string Source => IsScored ? Section : $"{Section}; not scored";
}
