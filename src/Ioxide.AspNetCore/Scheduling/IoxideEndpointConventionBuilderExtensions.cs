using Ioxide.AspNetCore;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Says where end points run, for one or for a group.</summary>
public static class IoxideEndpointConventionBuilderExtensions
{
    /// <inheritdoc cref="RunOnThreadPoolAttribute"/>
    /// <remarks>What is said of an end point itself overrides what its group says.</remarks>
    public static TBuilder RunOnThreadPool<TBuilder>(this TBuilder builder)
        where TBuilder : IEndpointConventionBuilder
        => builder.WithMetadata(new RunOnThreadPoolAttribute());

    /// <inheritdoc cref="RunOnReactorAttribute"/>
    /// <remarks>What is said of an end point itself overrides what its group says.</remarks>
    public static TBuilder RunOnReactor<TBuilder>(this TBuilder builder)
        where TBuilder : IEndpointConventionBuilder
        => builder.WithMetadata(new RunOnReactorAttribute());
}
