namespace Ioxide.Http2.Tests;

/// <summary>
/// The cases of h2spec (github.com/summerwind/h2spec), each written anew from its line of the RFC. The catalogue is of RFC 7540, so that its
/// numbers are; the sources are those of RFC 9113, which replaced it.
/// </summary>
internal static class Http2Catalog
{
    internal static IReadOnlyDictionary<string, SpecCase> All { get; } = ((SpecCase[])
    [
        .. GenericCases.All, .. HpackCases.All, .. FrameCases.All, .. StreamCases.All, .. ControlCases.All, .. MessageCases.All,
    ]).ToDictionary(static played => played.Id);
}
