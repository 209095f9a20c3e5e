namespace Ioxide.Files;

/// <summary>What the front door answers. Immutable; it is replaced as a whole.</summary>
/// <param name="Routes">The longest prefix first: it is the most specific.</param>
/// <param name="IsForTlsAlone">Whether connections in cleartext are left to the pipeline, which redirects them.</param>
internal sealed record FrontDoorPlan(FrontDoorRoute[] Routes, bool IsForTlsAlone)
{
    internal static readonly FrontDoorPlan Closed = new([], false);

    internal bool IsOpenTo(bool isTls) => isTls || !IsForTlsAlone;
}
