namespace Ioxide.Files.Tests;

/// <summary>An application as a seed describes it: folders, other endpoints, security and middleware.</summary>
internal sealed class GeneratedApplication
{
    internal const int RequestCount = 50;
    internal const string BranchPath = "/branch";
    internal const int BranchFolder = 2;

    internal static readonly string[] AllowedHosts = ["localhost", "*.example.com", "example.com"];

    private static readonly string[] s_none = [];

    private GeneratedApplication(ulong seed)
    {
        Seed = seed;
        var dice = new FaultDice(seed);
        foreach (ApplicationServices service in Enum.GetValues<ApplicationServices>())
        {
            Services |= dice.Hits(service == ApplicationServices.Authorization ? 500 : 200) ? service : 0;
        }

        HasFallbackPolicy = Services.HasFlag(ApplicationServices.Authorization) && dice.Hits(200);
        HasAllowedHosts = dice.Hits(120);
        HasGlobalLimit = Services.HasFlag(ApplicationServices.RateLimits) && dice.Hits(300);
        HasHttpsRedirection = dice.Hits(30);
        HasBranch = dice.Hits(50);
        HasStatusPages = dice.Hits(150);
        HasExceptionHandler = dice.Hits(200);
        GeneratedGroup[] groups = dice.Several(2, () => GeneratedGroup.Of(dice, Services));
        Sites = [GeneratedSite.Of(dice, Services, groups), .. dice.Several(2, () => GeneratedSite.Of(dice, Services, groups))];
        string[] paths = [.. Sites.SelectMany(static site => site.Paths), .. HasBranch ? BranchPaths : []];
        int number = 0;
        Routes = dice.Several(dice.Pick([1, 3, 6]), () => GeneratedRoute.Of(dice, number++, Services, groups, paths));
        LateRoutes = dice.Hits(250) ? [GeneratedRoute.Of(dice, number, Services, [], paths) with { IsLate = true }] : [];
        IsRoutingExplicit = dice.Hits(500);
        Before = dice.Hits(500) ? [] : [.. dice.Several(2, () => dice.Pick(GeneratedMiddleware.All)).Distinct()];
        After = dice.Hits(600) ? [] : [.. dice.Several(2, () => dice.Pick(GeneratedMiddleware.All)).Except(Before).Distinct()];
        HasRest = IsRoutingExplicit && dice.Hits(300);
        Requests = ApplicationRequest.Many(dice, this, paths);
    }

    internal ulong Seed { get; }

    internal ApplicationServices Services { get; }

    internal bool HasFallbackPolicy { get; }

    internal bool HasAllowedHosts { get; }

    internal bool HasGlobalLimit { get; }

    internal bool HasHttpsRedirection { get; }

    /// <summary>Whether a branch of the pipeline has routing and a folder of its own.</summary>
    internal bool HasBranch { get; }

    internal bool HasStatusPages { get; }

    internal bool HasExceptionHandler { get; }

    internal GeneratedSite[] Sites { get; }

    internal GeneratedRoute[] Routes { get; }

    /// <summary>Endpoints that are there from the middle of the requests on.</summary>
    internal GeneratedRoute[] LateRoutes { get; }

    internal bool IsRoutingExplicit { get; }

    /// <summary>Middleware in front of routing, where that is explicit; else behind it.</summary>
    internal GeneratedMiddleware[] Before { get; }

    /// <summary>Middleware behind routing and security.</summary>
    internal GeneratedMiddleware[] After { get; }

    /// <summary>Whether what no endpoint takes is answered; only behind an explicit place of the endpoints.</summary>
    internal bool HasRest { get; }

    internal IReadOnlyList<ApplicationRequest> Requests { get; }

    /// <summary>Everything in it that may decide an answer, by the name under which it is counted.</summary>
    internal IEnumerable<string> Features =>
    [
        .. Sites.SelectMany(static site => site.Features), .. Routes.Concat(LateRoutes).SelectMany(static route => route.Features),
        .. HasFallbackPolicy ? ["fallback policy"] : s_none, .. HasAllowedHosts ? ["AllowedHosts"] : s_none,
        .. HasGlobalLimit ? ["rate limit"] : s_none, .. HasStatusPages ? ["status pages"] : s_none,
        .. HasExceptionHandler ? ["exception handler"] : s_none,
        .. HasHttpsRedirection ? ["HTTPS redirection"] : s_none, .. HasBranch ? ["folder in a branch"] : s_none,
        .. Before.Concat(After).Select(static middleware => middleware.Name),
    ];

    internal static GeneratedApplication Of(ulong seed) => new(seed);

    public override string ToString() => string.Join("\n  ",
    [
        $"services: {Services}",
        .. HasFallbackPolicy ? ["a fallback policy"] : s_none, .. HasAllowedHosts ? [$"allowed hosts {string.Join(' ', AllowedHosts)}"] : s_none,
        .. HasGlobalLimit ? ["a rate limit for all"] : s_none, .. HasHttpsRedirection ? ["HTTPS redirection"] : s_none,
        .. HasExceptionHandler ? ["an exception handler"] : s_none, .. HasStatusPages ? ["status pages"] : s_none,
        .. HasBranch ? [$"app.Map(\"{BranchPath}\", routing of its own with folder {BranchFolder})"] : s_none,
        .. Before.Select(static middleware => $"app {middleware}"), IsRoutingExplicit ? "app.UseRouting(), then security" : "(routing is first)",
        .. After.Select(static middleware => $"app {middleware}"), .. Sites.Select(static site => $"{site}"),
        .. Routes.Select(static route => $"{route}"), .. LateRoutes.Select(static route => $"later: {route}"),
        .. HasRest ? ["app.Run(\"rest\")"] : s_none,
    ]);

    /// <summary>What the branch has, and what the root would have if the branch's folder were mapped there.</summary>
    private static IEnumerable<string> BranchPaths
        => ApplicationFolders.Names[BranchFolder].SelectMany(static name => new[] { $"{BranchPath}/{name}", $"/{name}" });
}
