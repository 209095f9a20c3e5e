using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Routing.Matching;
using Microsoft.AspNetCore.Routing.Patterns;

namespace Ioxide.Files;

/// <summary>
/// Puts the question whether a folder has the file into the route table, so that a path without a file is routed as if no folder were mapped.
/// </summary>
/// <remarks>
/// <para>It is the first policy that builds the table. At each path below a folder it makes an edge for the other endpoints, and two for each
/// folder: one for a GET or HEAD of what it has, one for another method. A request pays for one look into the folder's names; a policy that
/// selects per request would take routing off its fast path for every endpoint below the prefix.</para>
/// <para>A file wins over other endpoints, unless their order is lower than the folder's. Where a folder's endpoint has conditions of its own,
/// such as hosts, other endpoints and folders stand beside it, and the choice among folders is made per request.</para>
/// <para>Another method goes to an endpoint of the application that matches, otherwise the folder's endpoint refuses it. A fallback file comes
/// after everything else. Source: DfaMatcherBuilder.ApplyPolicies and DfaMatcher.FindCandidateSet of ASP.NET Core 10.</para>
/// </remarks>
/// <param name="services">Has the other policies, which are read when the table is built.</param>
internal sealed class FilesMatcherPolicy(IServiceProvider services)
    : MatcherPolicy, INodeBuilderPolicy, IEndpointComparerPolicy, IEndpointSelectorPolicy
{
    private readonly ConditionalWeakTable<RouteEndpoint, FilesRoutes> _routes = [];

    /// <summary>What becomes of a request on an edge.</summary>
    private enum Use
    {
        Serve,
        Refuse,
        Fallback,
    }

    public override int Order => int.MinValue;

    public IComparer<Endpoint> Comparer { get; } = Comparer<Endpoint>.Create(FilesEndpoint.Compare);

    bool INodeBuilderPolicy.AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints)
        => endpoints.Any(static endpoint => FilesEndpoint.Of(endpoint) is not null);

    bool IEndpointSelectorPolicy.AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints)
        => endpoints.Any(FilesRoutes.IsAlternative);

    public IReadOnlyList<PolicyNodeEdge> GetEdges(IReadOnlyList<Endpoint> endpoints)
    {
        Endpoint[] others = [.. endpoints.Where(static endpoint => FilesEndpoint.Of(endpoint) is null)];
        ILookup<bool, FilesRoutes> routes = endpoints.OfType<RouteEndpoint>().Where(static endpoint => FilesEndpoint.Of(endpoint) is not null)
            .OrderBy(static endpoint => endpoint.Order).ThenBy(static endpoint => endpoint, Comparer)
            .Select(endpoint => _routes.GetValue(endpoint, static endpoint => new FilesRoutes(endpoint)))
            .ToLookup(static routes => routes.Files.IsFallback);
        List<PolicyNodeEdge> edges = others.Length > 0 ? [new(Edge.Others, others)] : [];
        FilesRoutes[] folders = [.. routes[false]];
        FilesRoutes[] fallbacks = [.. routes[true]];
        for (int index = 0; index < folders.Length; index++)
        {
            FilesRoutes folder = folders[index];
            bool isUnconditional = IsUnconditional(folder.Serving);
            FilesRoutes[] alternatives = isUnconditional ? [] : folders[(index + 1)..];
            FilesRoutes[] last = isUnconditional ? [] : fallbacks;
            IEnumerable<Endpoint> before = others.Where(
                other => !isUnconditional || (other is RouteEndpoint route && route.Order < folder.Serving.Order));
            edges.Add(new(
                new Edge(index, Use.Serve, folder.Files),
                [.. before, folder.Serving, .. alternatives.Concat(last).Select(static alternative => alternative.AlsoServing)]));
            edges.Add(new(
                new Edge(index, Use.Refuse, folder.Files),
                [.. others, folder.Refusing, .. alternatives.Select(static alternative => alternative.AlsoRefusing)]));
        }

        for (int index = 0; index < fallbacks.Length; index++)
        {
            FilesRoutes fallback = fallbacks[index];
            FilesRoutes[] alternatives = IsUnconditional(fallback.Serving) ? [] : fallbacks[(index + 1)..];
            edges.Add(new(
                new Edge(index, Use.Fallback, fallback.Files),
                [.. others, fallback.Serving, .. alternatives.Select(static alternative => alternative.AlsoServing)]));
        }

        return edges;
    }

    public PolicyJumpTable BuildJumpTable(int exitDestination, IReadOnlyList<PolicyJumpTableEdge> edges)
    {
        int others = exitDestination;
        var folders = new SortedList<int, (FilesEndpoint Files, int Serving, int Refusing)>();
        var fallbacks = new SortedList<int, (FilesEndpoint Files, int Destination)>();
        foreach (PolicyJumpTableEdge edge in edges)
        {
            (int index, Use use, FilesEndpoint? files) = (Edge)edge.State;
            if (files is null)
            {
                others = edge.Destination;
            }
            else if (use == Use.Fallback)
            {
                fallbacks[index] = (files, edge.Destination);
            }
            else
            {
                (_, int serving, int refusing) = folders.GetValueOrDefault(index);
                folders[index] = use == Use.Serve ? (files, edge.Destination, refusing) : (files, serving, edge.Destination);
            }
        }

        return new JumpTable([.. folders.Values], [.. fallbacks.Values], others);
    }

    /// <summary>Takes out the alternatives that have no such file.</summary>
    public Task ApplyAsync(HttpContext httpContext, CandidateSet candidates)
    {
        for (int index = 0; index < candidates.Count; index++)
        {
            if (candidates.IsValidCandidate(index)
                && FilesRoutes.IsAlternative(candidates[index].Endpoint)
                && !FilesEndpoint.Of(candidates[index].Endpoint)!.Has(httpContext.Request.Path.Value))
            {
                candidates.SetValidity(index, false);
            }
        }

        return Task.CompletedTask;
    }

    /// <summary>Whether no other policy can refuse a request that has come to the endpoint.</summary>
    private bool IsUnconditional(Endpoint endpoint)
    {
        Endpoint[] alone = [endpoint];
        return !services.GetServices<MatcherPolicy>().Any(policy => policy != this
            && (policy is INodeBuilderPolicy builder && builder.AppliesToEndpoints(alone)
                || policy is IEndpointSelectorPolicy selector && selector.AppliesToEndpoints(alone)));
    }

    /// <param name="Index">In the order in which the folders are asked.</param>
    /// <param name="Use">What becomes of the request.</param>
    /// <param name="Files">The folder's; null for the endpoints of the application.</param>
    private sealed record Edge(int Index, Use Use, FilesEndpoint? Files)
    {
        internal static readonly Edge Others = new(-1, Use.Serve, null);
    }

    private sealed class JumpTable(
        (FilesEndpoint Files, int Serving, int Refusing)[] folders, (FilesEndpoint Files, int Destination)[] fallbacks, int others) : PolicyJumpTable
    {
        public override int GetDestination(HttpContext httpContext)
        {
            string? path = httpContext.Request.Path.Value;
            foreach ((FilesEndpoint files, int serving, int refusing) in folders)
            {
                if (files.Has(path))
                {
                    return files.Serves(httpContext.Request) ? serving : refusing;
                }

                files.Site.Counters.CountMiss();
            }

            foreach ((FilesEndpoint files, int destination) in fallbacks)
            {
                if (files.Has(path) && files.Serves(httpContext.Request))
                {
                    return destination;
                }
            }

            return others;
        }
    }
}
