using Microsoft.AspNetCore.Routing.Constraints;
using Microsoft.AspNetCore.Routing.Patterns;

namespace Ioxide.Files;

/// <summary>
/// An end point that matches every path which the application's may match: without the constraints that could look at more than the
/// path. Routing's own look at the value of a parameter alone (or at the method) and stay.
/// </summary>
/// <param name="Endpoint">What is matched.</param>
/// <param name="Original">The application's.</param>
/// <param name="Constraint">The type of a constraint that was left out; null where all stayed.</param>
internal sealed record LooseEndpoint(Endpoint Endpoint, Endpoint Original, string? Constraint)
{
    internal static LooseEndpoint Of(Endpoint endpoint, ParameterPolicyFactory constraints)
        => endpoint is RouteEndpoint route && ForeignConstraintOf(route.RoutePattern, constraints) is { } constraint
            ? new LooseEndpoint(
                new RouteEndpoint(
                    static _ => Task.CompletedTask, WithoutConstraints(route.RoutePattern), route.Order, route.Metadata, route.DisplayName),
                endpoint,
                constraint)
            : new LooseEndpoint(endpoint, endpoint, null);

    private static string? ForeignConstraintOf(RoutePattern pattern, ParameterPolicyFactory constraints)
        => pattern.ParameterPolicies
            .SelectMany(parameter => parameter.Value.Select(policy => constraints.Create(pattern.GetParameter(parameter.Key), policy)))
            .Select(ForeignConstraintOf)
            .FirstOrDefault(static constraint => constraint is not null);

    private static string? ForeignConstraintOf(IParameterPolicy policy) => policy switch
    {
        OptionalRouteConstraint optional => ForeignConstraintOf(optional.InnerConstraint),
        CompositeRouteConstraint all => all.Constraints.Select(ForeignConstraintOf).FirstOrDefault(static constraint => constraint is not null),
        IRouteConstraint when !Framework.RoutingOwns(policy) => policy.GetType().Name,
        _ => null,
    };

    private static RoutePattern WithoutConstraints(RoutePattern pattern) => RoutePatternFactory.Pattern(
        pattern.RawText,
        new RouteValueDictionary(pattern.Defaults),
        parameterPolicies: null,
        pattern.PathSegments.Select(static segment => RoutePatternFactory.Segment(segment.Parts.Select(static part =>
            part is RoutePatternParameterPart parameter
                ? RoutePatternFactory.ParameterPart(parameter.Name, @default: null, parameter.ParameterKind)
                : part))));
}
