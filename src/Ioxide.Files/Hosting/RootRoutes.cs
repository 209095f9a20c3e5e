using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;

namespace Ioxide.Files;

/// <summary>The end points that the routing at the root of the application's pipeline matches.</summary>
/// <remarks>
/// <c>UseRouting</c> leaves the builder whose end points it matches in the properties of the application builder, where
/// <c>UseEndpoints</c> finds it; it is read there when the pipeline is complete. Branches (<c>Map</c>, <c>UseWhen</c>) and a second
/// <c>UseRouting</c> have a builder of their own. The service <see cref="EndpointDataSource"/> is composed of the sources of all builders.
/// </remarks>
internal sealed class RootRoutes(FileSites sites, EndpointDataSource all) : IStartupFilter
{
    private const string BuilderKey = "__EndpointRouteBuilder";

    private IEndpointRouteBuilder? _builder;

    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        next(app);

        // With a Startup class the folders are mapped just now, and the server starts when this returns.
        Task.Run(() => sites.LoadAsync(CancellationToken.None)).GetAwaiter().GetResult();
        _builder = app.Properties.TryGetValue(BuilderKey, out object? builder) ? builder as IEndpointRouteBuilder : null;
    };

    /// <summary>The sources of the end points, or null: the application has other routing as well, or none at the root.</summary>
    internal EndpointDataSource[]? FindSources()
    {
        EndpointDataSource[] sources = [.. _builder?.DataSources ?? []];
        return _builder is not null && all is CompositeEndpointDataSource composite && composite.DataSources.ToHashSet().SetEquals(sources)
            ? sources
            : null;
    }
}
