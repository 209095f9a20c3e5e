namespace Ioxide.Files.Tests;

/// <summary>An application as a seed describes it: folders, other end points, security and middleware.</summary>
internal sealed class GeneratedApplication
{
    internal static readonly string[] AllowedHosts = ["localhost", "*.example.com", "example.com"];

    internal const string BranchPath = "/branch";
    internal const int BranchFolder = 2;

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

    internal const int RequestCount = 50;

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

    /// <summary>End points that are there from the middle of the requests on.</summary>
    internal GeneratedRoute[] LateRoutes { get; }

    internal bool IsRoutingExplicit { get; }

    /// <summary>Middleware in front of routing, where that is explicit; else behind it.</summary>
    internal GeneratedMiddleware[] Before { get; }

    /// <summary>Middleware behind routing and security.</summary>
    internal GeneratedMiddleware[] After { get; }

    /// <summary>Whether what no end point takes is answered; only behind an explicit place of the end points.</summary>
    internal bool HasRest { get; }

    internal IReadOnlyList<ApplicationRequest> Requests { get; }

    internal bool HasMiddleware => Before.Length + After.Length > 0;

    /// <summary>Everything in it that may decide an answer, by the name under which it is counted.</summary>
    internal IEnumerable<string> Features =>
    [
        .. Sites.SelectMany(static site => site.Features), .. Routes.Concat(LateRoutes).SelectMany(static route => route.Features),
        .. HasFallbackPolicy ? ["fallback policy"] : Array.Empty<string>(), .. HasAllowedHosts ? ["AllowedHosts"] : Array.Empty<string>(),
        .. HasGlobalLimit ? ["rate limit"] : Array.Empty<string>(), .. HasStatusPages ? ["status pages"] : Array.Empty<string>(),
        .. HasExceptionHandler ? ["exception handler"] : Array.Empty<string>(),
        .. HasHttpsRedirection ? ["HTTPS redirection"] : Array.Empty<string>(), .. HasBranch ? ["folder in a branch"] : Array.Empty<string>(), .. Before.Concat(After).Select(static middleware => middleware.Name),
    ];

    internal static GeneratedApplication Of(ulong seed) => new(seed);

    public override string ToString() => string.Join("\n  ",
    [
        $"services: {Services}{(HasFallbackPolicy ? ", a fallback policy" : "")}{(HasAllowedHosts ? $", hosts {string.Join(' ', AllowedHosts)}" : "")}"
            + $"{(HasGlobalLimit ? ", a global rate limit" : "")}{(HasHttpsRedirection ? ", HTTPS redirection" : "")}",
        .. HasBranch ? [$"app.Map(\"{BranchPath}\", routing of its own with folder {BranchFolder})"] : Array.Empty<string>(),
        .. Before.Select(static middleware => $"app {middleware}"), IsRoutingExplicit ? "app.UseRouting(), then security" : "(routing is first)",
        .. After.Select(static middleware => $"app {middleware}"), .. Sites.Select(static site => $"{site}"),
        .. Routes.Select(static route => $"{route}"), .. LateRoutes.Select(static route => $"later: {route}"),
        .. HasRest ? ["app.Run(\"rest\")"] : Array.Empty<string>(),
    ]);

    /// <summary>What the branch has, and what the root would have if the branch's folder were mapped there.</summary>
    private static IEnumerable<string> BranchPaths => ApplicationFolders.Names[BranchFolder].SelectMany(static name => new[] { $"{BranchPath}/{name}", $"/{name}" });
}
