using Microsoft.AspNetCore.Routing.Patterns;

namespace Ioxide.Files;

/// <summary>The endpoint of a folder, or of its fallback file, as <see cref="FilesMatcherPolicy"/> puts it into the route table.</summary>
internal sealed class FilesRoutes
{
    private static readonly RoutePatternPathSegment s_anything = RoutePatternFactory.Segment(
        RoutePatternFactory.ParameterPart("path", @default: null, RoutePatternParameterKind.CatchAll));

    /// <param name="mapped">As the application has mapped it.</param>
    internal FilesRoutes(RouteEndpoint mapped)
    {
        Files = FilesEndpoint.Of(mapped)!;
        string text = mapped.RoutePattern.RawText ?? "";
        RoutePattern pattern = Files.IsFallback ? mapped.RoutePattern : RoutePatternFactory.Pattern(text, []);
        RoutePattern last = RoutePatternFactory.Pattern(text, s_anything);
        Serving = Copy(mapped, pattern, mapped.Order);
        Refusing = Copy(mapped, last, int.MaxValue);
        AlsoServing = Copy(mapped, pattern, mapped.Order, new Unproven());
        AlsoRefusing = Copy(mapped, last, int.MaxValue, new Unproven());
    }

    internal FilesEndpoint Files { get; }

    /// <summary>
    /// For what is known to be there. A folder's pattern has no segments, so that it sorts before other endpoints of its order, and no parameter,
    /// which would be a string per request.
    /// </summary>
    internal RouteEndpoint Serving { get; }

    /// <summary>For another method. It sorts behind all other endpoints.</summary>
    internal RouteEndpoint Refusing { get; }

    /// <summary>For what may be there, where the folder that is asked first may refuse a request.</summary>
    internal RouteEndpoint AlsoServing { get; }

    /// <inheritdoc cref="AlsoServing"/>
    internal RouteEndpoint AlsoRefusing { get; }

    internal static bool IsAlternative(Endpoint endpoint) => endpoint.Metadata.GetMetadata<Unproven>() is not null;

    private static RouteEndpoint Copy(RouteEndpoint mapped, RoutePattern pattern, int order, params object[] metadata)
        => new(mapped.RequestDelegate!, pattern, order, new EndpointMetadataCollection([.. mapped.Metadata, .. metadata]), mapped.DisplayName);

    /// <summary>Marks an endpoint that has to be asked per request.</summary>
    private sealed class Unproven;
}
