using Microsoft.AspNetCore.Http.Metadata;

namespace Ioxide.AspNetCore;

/// <summary>One endpoint: a copy of it, whose handler runs on the thread pool until it has shown that it does not block.</summary>
internal sealed class EndpointPlacement : Placement
{
    private readonly RequestDelegate _handler;

    internal EndpointPlacement(PlacementRegistry registry, Endpoint original, RequestDelegate handler, bool isPinned)
        : base(registry, isPinned ? PlacementState.Pinned : PlacementState.Proving)
    {
        _handler = handler;
        var route = original as RouteEndpoint;
        Label = original.DisplayName ?? route?.RoutePattern.RawText ?? "without a name";
        Endpoint = route is null
            ? new Endpoint(InvokeAsync, original.Metadata, original.DisplayName)
            : new RouteEndpoint(InvokeAsync, route.RoutePattern, route.Order, route.Metadata, route.DisplayName);
    }

    internal override string Name => $"Endpoint {Label}";

    /// <summary>What the application calls it, or its pattern.</summary>
    internal string Label { get; }

    /// <summary>Its pattern, as <c>http.route</c> has it, where an empty one is <c>/</c>. Empty without a pattern.</summary>
    internal string Route => Endpoint.Metadata.GetMetadata<IRouteDiagnosticsMetadata>() is { Route: var route } ? route.Length > 0 ? route : "/" : "";

    /// <summary>The methods that it answers, or none for all.</summary>
    internal IReadOnlyList<string> Methods => Endpoint.Metadata.GetMetadata<IHttpMethodMetadata>()?.HttpMethods ?? [];

    /// <summary>Equals the original but for where the handler runs.</summary>
    internal Endpoint Endpoint { get; }

    internal Task InvokeAsync(HttpContext context)
    {
        if (Reactor.Current is not { } reactor)
        {
            return IsPartOfPoolRun ? RunOnPoolAsync(_handler, context) : _handler(context);
        }

        return IsInline ? RunInline(_handler, context, reactor, reactor.Ran.Enter(this)) : RunOnPoolAsync(_handler, context);
    }
}
