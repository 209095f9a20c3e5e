using Microsoft.AspNetCore.Routing.Matching;

namespace Ioxide.Files;

/// <summary>Finds the end point that the application's routing selects for a path, for its end points at one moment.</summary>
/// <remarks>
/// <para>Each path takes two questions. The first, to a matcher without policies: which end points could it be, whatever else a request says? Where
/// the answer could depend on more than path and method (a host, a content type, a policy or a constraint of the application's), it is
/// not known. The second, to a matcher with all of the application's policies: which one is it, for GET and for HEAD?</para>
/// <para>Constraints of the application's never run for it, and its policies only to be asked which end points they apply to, which is
/// what routing itself asks them when it is built. Threads: one question at a time.</para>
/// </remarks>
internal sealed class ApplicationRouting : IDisposable
{
    private readonly Dictionary<Endpoint, LooseEndpoint> _endpoints;
    private readonly MatcherPolicy[] _policies;
    private readonly RouteMatcher _byPath;
    private readonly RouteMatcher _byAll;

    /// <param name="services">The application's.</param>
    /// <param name="endpoints">The end points that its routing matches.</param>
    internal ApplicationRouting(IServiceProvider services, IReadOnlyList<Endpoint> endpoints)
    {
        // Which files there are does not matter here: a folder below another has all paths below its prefix.
        MatcherPolicy[] policies = [.. services.GetServices<MatcherPolicy>().Where(static policy => policy is not FilesMatcherPolicy)];
        ParameterPolicyFactory constraints = services.GetRequiredService<ParameterPolicyFactory>();
        _endpoints = endpoints.Select(endpoint => LooseEndpoint.Of(endpoint, constraints)).ToDictionary(static loose => loose.Endpoint);
        _policies = [.. policies.Where(static policy => policy is not HttpMethodMatcherPolicy)];
        _byPath = new RouteMatcher(services, [.. _endpoints.Keys], []);
        _byAll = new RouteMatcher(services, endpoints, policies);
    }

    /// <summary>Whether every GET and HEAD of a path goes to a folder's own end point.</summary>
    /// <param name="files">The folder's.</param>
    /// <param name="path">The decoded path of the request.</param>
    internal async Task<RouteVerdict> JudgeAsync(FilesEndpoint files, string path)
    {
        RouteMatch possible = await _byPath.MatchAsync(HttpMethods.Get, path, isSelecting: false).ConfigureAwait(false);
        if (possible.Candidates is not { } candidates)
        {
            return RouteVerdict.Others;
        }

        if (DoubtOf(candidates) is { } doubt)
        {
            return new RouteVerdict(false, doubt);
        }

        foreach (string method in new[] { HttpMethods.Get, HttpMethods.Head })
        {
            RouteMatch match = await _byAll.MatchAsync(method, path, isSelecting: true).ConfigureAwait(false);
            if (!ReferenceEquals(match.Selected?.Metadata.GetMetadata<FilesEndpoint>(), files))
            {
                return RouteVerdict.Others;
            }
        }

        return RouteVerdict.Own;
    }

    public void Dispose()
    {
        _byPath.Dispose();
        _byAll.Dispose();
    }

    private string? DoubtOf(CandidateSet candidates)
    {
        var all = new List<Endpoint>(candidates.Count);
        var valid = new List<Endpoint>(candidates.Count);
        for (int index = 0; index < candidates.Count; index++)
        {
            LooseEndpoint candidate = _endpoints[candidates[index].Endpoint];
            if (candidate.Constraint is { } constraint)
            {
                return $"the constraint {constraint} of the end point {candidate.Original.DisplayName} may look at more than the path";
            }

            all.Add(candidate.Original);
            if (candidates.IsValidCandidate(index))
            {
                valid.Add(candidate.Original);
            }
        }

        foreach (MatcherPolicy policy in _policies)
        {
            // The framework's selectors run behind the constraints and keep to what those have left.
            if (Applies(policy, all, Framework.Owns(policy) ? valid : all))
            {
                return $"the policy {policy.GetType().Name} chooses between end points by more than path and method: "
                    + string.Join(", ", all.Select(static endpoint => endpoint.DisplayName));
            }
        }

        return null;
    }

    private static bool Applies(MatcherPolicy policy, List<Endpoint> built, List<Endpoint> selected)
        => (policy is INodeBuilderPolicy builder && builder.AppliesToEndpoints(built))
            || (policy is IEndpointSelectorPolicy selector && selector.AppliesToEndpoints(selected));
}

/// <summary>To whom a path goes.</summary>
/// <param name="IsOwn">Whether to the folder's own end point, whatever else a request says.</param>
/// <param name="Doubt">Why that is not known; null where it is.</param>
internal readonly record struct RouteVerdict(bool IsOwn, string? Doubt)
{
    internal static RouteVerdict Own => new(true, null);

    internal static RouteVerdict Others => new(false, null);
}
