using Ioxide.AspNetCore;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Selects which thread runs endpoints, for one endpoint or a group.</summary>
public static class IoxideEndpointConventionBuilderExtensions
{
    /// <inheritdoc cref="RunOnThreadPoolAttribute"/>
    /// <remarks>A setting on an endpoint overrides the setting on its group.</remarks>
    public static TBuilder RunOnThreadPool<TBuilder>(this TBuilder builder)
        where TBuilder : IEndpointConventionBuilder
        => builder.WithMetadata(new RunOnThreadPoolAttribute());

    /// <inheritdoc cref="RunOnReactorAttribute"/>
    /// <remarks>A setting on an endpoint overrides the setting on its group.</remarks>
    public static TBuilder RunOnReactor<TBuilder>(this TBuilder builder)
        where TBuilder : IEndpointConventionBuilder
        => builder.WithMetadata(new RunOnReactorAttribute());
}
