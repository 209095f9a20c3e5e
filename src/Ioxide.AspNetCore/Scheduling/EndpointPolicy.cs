using Microsoft.AspNetCore.Routing.Matching;

namespace Ioxide.AspNetCore;

/// <summary>Puts the replacements of <see cref="PlacementRegistry"/> into the route table.</summary>
/// <remarks>
/// <para>It is the last policy that builds the table: what those for methods, hosts and content types left over is replaced in place by one
/// edge, so that a request pays for one more jump and nothing is looked up. A policy that selects per request would take routing off
/// its fast path.</para>
/// <para>Dynamic endpoints (Razor Pages, dynamic controllers) are chosen per request, by policies of that kind. Only there, behind them, this
/// one selects too.</para>
/// <para>Source: DfaMatcherBuilder.ApplyPolicies and DfaMatcher.FindCandidateSet of ASP.NET Core 10.</para>
/// </remarks>
internal sealed class EndpointPolicy(PlacementRegistry registry) : MatcherPolicy, INodeBuilderPolicy, IEndpointSelectorPolicy
{
    public override int Order => int.MaxValue;

    bool INodeBuilderPolicy.AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints)
        => !ContainsDynamicEndpoints(endpoints) && endpoints.Any(IsReplacedInTable);

    bool IEndpointSelectorPolicy.AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints) => ContainsDynamicEndpoints(endpoints);

    public IReadOnlyList<PolicyNodeEdge> GetEdges(IReadOnlyList<Endpoint> endpoints)
        => [new(nameof(EndpointPolicy), [.. endpoints.Select(endpoint => endpoint is RouteEndpoint ? registry.Replace(endpoint) : endpoint)])];

    public PolicyJumpTable BuildJumpTable(int exitDestination, IReadOnlyList<PolicyJumpTableEdge> edges)
        => new OnlyEdge(edges[0].Destination);

    public Task ApplyAsync(HttpContext httpContext, CandidateSet candidates)
    {
        for (int index = 0; index < candidates.Count; index++)
        {
            CandidateState candidate = candidates[index];
            if (candidates.IsValidCandidate(index) && registry.Replaces(candidate.Endpoint))
            {
                candidates.ReplaceEndpoint(index, registry.Replace(candidate.Endpoint), candidate.Values);
            }
        }

        return Task.CompletedTask;
    }

    /// <summary>What has no route there is a refusal that another policy made: 405, 415.</summary>
    private bool IsReplacedInTable(Endpoint endpoint) => endpoint is RouteEndpoint && registry.Replaces(endpoint);

    private sealed class OnlyEdge(int destination) : PolicyJumpTable
    {
        public override int GetDestination(HttpContext httpContext) => destination;
    }
}
