namespace Ioxide.AspNetCore.Tests;

/// <summary>The cases of Http11Probe (github.com/MDA2AV/Http11Probe), each written anew from its line of the RFC.</summary>
internal static class Http1Catalog
{
    internal static IReadOnlyDictionary<string, ProbeCase> All { get; } = ((ProbeCase[])
    [
        .. RequestLineCases.All, .. FieldCases.All, .. BodyCases.All, .. LengthCases.All, .. ChunkCases.All, .. DesyncCases.All,
        .. MalformedCases.All, .. NormalizationCases.All, .. CookieCases.All, .. ValidatorCases.All,
    ]).ToDictionary(static played => played.Id);
}
