namespace Ioxide.Files.Tests;

/// <summary>Folders and the endpoints beside them, as a seed describes them.</summary>
internal sealed class NeighbourApplication
{
    internal const string Host = "files.example";

    private static readonly string[] s_prefixes = ["/", "/", "/", "/docs", "/docs", "/sub", "/Sub", "/with space", "/docs/deep"];

    private static readonly string[] s_patterns =
    [
        "/{**rest}", "/{*rest:nonfile}", "/{**rest:regex(^docs/)}", "/{name}", "/{name}.{extension}", "/{first}/{second}", "/{id:int}", "/a.txt",
        "/A.TXT", "/docs", "/docs/{**rest}", "/docs/{name?}", "/docs/a.txt", "/sub/{name}", "/", "/{name=index.html}", "/{name?}", "/missing.txt",
        "/docs/deep/{id:int}", "/with space/{**rest}",
    ];

    private static readonly string[][] s_methods = [[], [], ["GET"], ["GET"], ["GET", "HEAD"], ["POST"], ["GET", "POST"], ["DELETE"], ["OPTIONS"]];

    internal NeighbourApplication(ulong seed)
    {
        Seed = seed;
        var dice = new FaultDice(seed);
        Folders = [NextFolder(0), .. dice.Several(2, () => 1).Select((_, index) => NextFolder(index + 1))];
        int number = 0;
        Routes = [.. dice.Several(dice.Pick([1, 3, 6]), NextRoute).DistinctBy(static route => route.Pattern.ToUpperInvariant())];
        HasAppFallback = dice.Hits(250);
        HasFallbackFile = !HasAppFallback && dice.Hits(250);
        PathBase = dice.Hits(200) ? "/base" : "";
        HasRest = dice.Hits(400);
        Requests = [.. Enumerable.Range(0, 60).Select(_ => NextRequest())];

        NeighbourFolder NextFolder(int index) => new(
            dice.Pick(s_prefixes), dice.Below(ApplicationFolders.Names.Length), dice.Hits(200) ? "/docs" : "", dice.Hits(200) ? Host : null, index);

        NeighbourRoute NextRoute() => new(
            $"e{number++}", dice.Pick(s_patterns), dice.Pick(s_methods), dice.Hits(100) ? Host : null, dice.Pick([0, 0, 0, 1, 5]));

        NeighbourRequest NextRequest()
        {
            NeighbourFolder folder = dice.Pick(Folders);
            string path = dice.Below(10) switch
            {
                0 => dice.Pick(["/missing.txt", "/missing", "/5", "/docs/none", "/docs/deep/7", "/sub/x.txt", "/with space/y", "/"]),
                1 => folder.Start,
                2 => folder.Start.ToUpperInvariant() + "/a.txt",
                3 => dice.Pick(s_patterns) is { } pattern && !pattern.Contains('{', StringComparison.Ordinal) ? pattern : "/a.txt",
                _ => $"{folder.Start}/{dice.Pick(ApplicationFolders.Names[folder.Number])}",
            };
            path = path.EndsWith("/index.html", StringComparison.Ordinal) && dice.Hits(600)
                ? path[..^(dice.Hits(500) ? "index.html".Length : "/index.html".Length)] : path;
            string method = dice.Pick(["GET", "GET", "GET", "HEAD", "POST", "OPTIONS", "DELETE"]);
            string target = string.Concat(path.Split('/').Select(static segment => "/" + Uri.EscapeDataString(segment)))[1..];
            return new(method, (dice.Hits(800) ? PathBase : "") + (target.Length == 0 ? "/" : target), dice.Hits(300) ? Host : "localhost");
        }
    }

    internal ulong Seed { get; }

    internal IReadOnlyList<NeighbourFolder> Folders { get; }

    internal IReadOnlyList<NeighbourRoute> Routes { get; }

    /// <summary>Whether the application has a fallback of its own.</summary>
    internal bool HasAppFallback { get; }

    /// <summary>Whether the first folder has a fallback file.</summary>
    internal bool HasFallbackFile { get; }

    internal string PathBase { get; }

    /// <summary>Whether a middleware answers what no endpoint takes.</summary>
    internal bool HasRest { get; }

    internal IReadOnlyList<NeighbourRequest> Requests { get; }

    public override string ToString() => string.Join("\n  ",
    [
        $"seed {Seed}{(PathBase.Length > 0 ? ", a path base" : "")}{(HasAppFallback ? ", MapFallback" : "")}"
        + (HasFallbackFile ? ", FallbackFile" : "") + (HasRest ? ", a last middleware" : ""),
        .. Folders.Select(static folder => $"{folder}"), .. Routes.Select(static route => $"{route}"),
    ]);
}
