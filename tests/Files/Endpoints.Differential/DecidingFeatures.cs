using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Files.Tests;

/// <summary>Metadata of an endpoint: the generated features that its answer is owed to.</summary>
internal sealed record DecidingFeatures(IReadOnlyList<string> Names);

/// <summary>
/// Adds to each answer of the pipeline which features decided it, without being a part of the pipeline. What the server answers
/// itself has no such field.
/// </summary>
internal sealed class MarkingContextFactory(IServiceProvider services, IReadOnlyDictionary<IoxideFilesOptions, IReadOnlyList<string>> sites)
    : IHttpContextFactory
{
    internal const string Field = "X-Decided";

    private static readonly object s_acted = new();
    private readonly DefaultHttpContextFactory _inner = ActivatorUtilities.CreateInstance<DefaultHttpContextFactory>(services);

    /// <summary>Notes that a middleware is at work on the request, until <see cref="Leave"/> says that it has passed it on as it was.</summary>
    internal static void Enter(HttpContext context, string feature) => ActedOn(context).Add(feature);

    internal static void Leave(HttpContext context, string feature) => ActedOn(context).Remove(feature);

    public HttpContext Create(Microsoft.AspNetCore.Http.Features.IFeatureCollection featureCollection)
    {
        HttpContext context = _inner.Create(featureCollection);
        context.Response.OnStarting(() =>
        {
            if (context.Response.StatusCode == StatusCodes.Status401Unauthorized
                && context.GetEndpoint()?.Metadata.GetMetadata<IAuthorizeData>() is null)
            {
                Enter(context, "fallback policy");
            }

            context.Response.Headers[Field] = string.Join("; ", ActedOn(context).Concat(FeaturesOf(context)).DefaultIfEmpty("nothing"));
            return Task.CompletedTask;
        });
        return context;
    }

    public void Dispose(HttpContext httpContext) => _inner.Dispose(httpContext);

    private static HashSet<string> ActedOn(HttpContext context)
    {
        if (!context.Items.TryGetValue(s_acted, out object? acted))
        {
            context.Items[s_acted] = acted = new HashSet<string>();
        }

        return (HashSet<string>)acted!;
    }

    private IEnumerable<string> FeaturesOf(HttpContext context)
    {
        Endpoint? endpoint = context.GetEndpoint();
        if (endpoint?.Metadata.GetMetadata<FilesEndpoint>() is { } files)
        {
            return files.IsFallback ? [.. sites[files.Site.Options], "fallback file"] : sites[files.Site.Options];
        }

        return endpoint?.Metadata.GetMetadata<DecidingFeatures>()?.Names ?? endpoint?.DisplayName switch
        {
            null => [],
            { } name when name.StartsWith("ShortCircuit", StringComparison.Ordinal) => [nameof(GeneratedRoute.Kind.MapShortCircuit)],
            { } name => [name],
        };
    }
}
