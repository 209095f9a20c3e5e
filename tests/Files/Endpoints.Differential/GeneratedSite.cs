using Microsoft.Extensions.Primitives;

namespace Ioxide.Files.Tests;

/// <summary>A folder that an application maps.</summary>
/// <param name="Prefix">In its group, with a slash in front.</param>
/// <param name="FolderNumber">Of <see cref="ApplicationFolders"/>.</param>
internal sealed record GeneratedSite(
    string Prefix, int FolderNumber, GeneratedGroup? Group, GeneratedConvention[] Conventions, GeneratedSite.Option[] Options)
{
    private static readonly Option[] s_options =
    [
        new("FallbackFile", static options => options.FallbackFile = "index.html"),
        new("DefaultDocuments", static options => options.DefaultDocuments.Insert(0, "default.htm")),
        new("no DefaultDocuments", static options => options.DefaultDocuments.Clear()),
        new("no RedirectToFolders", static options => options.RedirectToFolders = false),
        new("DefaultContentType", static options => options.DefaultContentType = "application/octet-stream"),
        new("DefaultContentType", static options => options.DefaultContentType = "application/octet-stream"),
        new("IsImmutable", static options => options.IsImmutable = static path => path.EndsWith(".js", StringComparison.Ordinal)),
        new("no CacheControl", static options => options.CacheControl = null),
        new("Headers", static options => options.Headers["X-Site"] = "of its own"),
        new("Headers of two values", static options => options.Headers["X-Sites"] = new StringValues(["of its own", "and another"])),
        new("MemoryBudget", static options => options.MemoryBudget = 500),
        new("ServeDotFiles", static options => options.ServeDotFiles = true),
        new("MaxRanges", static options => options.MaxRanges = 1),
    ];

    /// <summary>The whole prefix; empty for the root.</summary>
    internal string Start => (Group is null or { Prefix: "/" } ? "" : Group.Prefix) + (Prefix == "/" ? "" : Prefix);

    /// <summary>Decoded paths of its files, its siblings and its folders.</summary>
    internal IEnumerable<string> Paths => ApplicationFolders.Names[FolderNumber].Select(name => $"{Start}/{name}");

    internal IReadOnlyList<string> Features =>
    [
        "site", .. Options.Select(static option => $"site: {option.Name}"), .. Conventions.Select(static convention => $"site: {convention.Kind}"),
        .. Group is null ? [] : Group.Conventions.Select(static convention => $"site in group: {convention.Kind}"),
    ];

    internal static GeneratedSite Of(FaultDice dice, ApplicationServices services, IReadOnlyList<GeneratedGroup> groups) => new(
        dice.Pick(["/", "/", "/", "/", "/private", "/private", "/docs", "/Docs", "/sub", "/with space", "/ü"]),
        dice.Below(ApplicationFolders.Names.Length),
        dice.Hits(250) ? groups.FirstOrDefault(static group => !group.HasParameter) : null,
        dice.Hits(300) ? [GeneratedConvention.Of(dice, services)] : [],
        [.. dice.Several(3, () => dice.Pick(s_options)).Distinct()]);

    public override string ToString() => $"{(Group is null ? "app" : Group)}.MapIoxideFiles(\"{Prefix}\", folder {FolderNumber}, "
        + $"{{{string.Join(", ", Options.AsEnumerable())}}}){string.Concat(Conventions.AsEnumerable())}";

    internal sealed record Option(string Name, Action<IoxideFilesOptions> Apply)
    {
        public override string ToString() => Name;
    }
}
