using System.Diagnostics.CodeAnalysis;
using Ioxide.Files;
using Microsoft.AspNetCore.Cors.Infrastructure;
using Microsoft.AspNetCore.Routing.Patterns;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Maps folders of static files.</summary>
public static class IoxideFilesEndpointRouteBuilderExtensions
{
    /// <summary>Serves the files of a folder below a path prefix. Other endpoints answer what the folder does not contain.</summary>
    /// <remarks>A file wins over other endpoints of the same path, unless their order is lower (docs/files.md).</remarks>
    /// <param name="endpoints">The application, or a group whose prefix has no parameters.</param>
    /// <param name="prefix">The path prefix, for example <c>/</c> or <c>/assets</c>. It must have no parameters.</param>
    /// <param name="folder">The path of the folder. A relative path starts at the working directory.</param>
    /// <param name="configure">Sets the options.</param>
    /// <returns>
    /// The endpoint, to add authorization, CORS and other conventions. With <c>ShortCircuit()</c> the middleware behind routing does not run for
    /// the files.
    /// </returns>
    /// <exception cref="InvalidOperationException"><c>AddIoxideFiles</c> was not called.</exception>
    /// <exception cref="ArgumentException">The prefix has parameters, or an option is invalid.</exception>
    public static IEndpointConventionBuilder MapIoxideFiles(
        this IEndpointRouteBuilder endpoints,
        [StringSyntax("Route")] string prefix,
        string folder,
        Action<IoxideFilesOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(prefix);
        ArgumentException.ThrowIfNullOrEmpty(folder);
        FileSites sites = endpoints.ServiceProvider.GetService<FileSites>()
            ?? throw new InvalidOperationException("Call builder.Services.AddIoxideFiles() before MapIoxideFiles.");
        var options = new IoxideFilesOptions();
        configure?.Invoke(options);
        FileSite site = sites.Add(folder, options);
        int number = sites.All.Count;
        string start = prefix.Trim('/') is { Length: > 0 } path ? $"/{path}" : "";
        IEndpointConventionBuilder files = Map(endpoints, $"{start}/{{**path}}", new FilesEndpoint(site, number, isFallback: false));
        if (options.FallbackFile is null)
        {
            return files;
        }

        IEndpointConventionBuilder fallback = Map(endpoints, $"{start}/{{**path:nonfile}}", new FilesEndpoint(site, number, isFallback: true));
        fallback.Add(static builder => ((RouteEndpointBuilder)builder).Order = int.MaxValue);
        return new ConventionsOfBoth(files, fallback);
    }

    private static IEndpointConventionBuilder Map(IEndpointRouteBuilder endpoints, string pattern, FilesEndpoint files)
    {
        IEndpointConventionBuilder builder = endpoints.Map(RoutePatternFactory.Parse(pattern), files.HandleAsync);
        builder.Add(endpoint =>
        {
            endpoint.Metadata.Add(files);
            endpoint.DisplayName = $"Files {pattern} => {files.Site.Folder}";
        });
        builder.Finally(endpoint =>
        {
            files.Prefix = PrefixOf(((RouteEndpointBuilder)endpoint).RoutePattern);
            files.HasCors = endpoint.Metadata.OfType<ICorsMetadata>().Any();
        });
        return builder;
    }

    private static string PrefixOf(RoutePattern pattern)
    {
        string prefix = "";
        foreach (RoutePatternPathSegment segment in pattern.PathSegments.SkipLast(1))
        {
            prefix += segment.Parts is [RoutePatternLiteralPart literal]
                ? "/" + literal.Content : throw new ArgumentException($"The prefix of files must have no parameters: {pattern.RawText}.");
        }

        return prefix;
    }

    /// <summary>Applies conventions to the files and to the fallback.</summary>
    private sealed class ConventionsOfBoth(IEndpointConventionBuilder files, IEndpointConventionBuilder fallback)
        : IEndpointConventionBuilder
    {
        public void Add(Action<EndpointBuilder> convention)
        {
            files.Add(convention);
            fallback.Add(convention);
        }

        public void Finally(Action<EndpointBuilder> finallyConvention)
        {
            files.Finally(finallyConvention);
            fallback.Finally(finallyConvention);
        }
    }
}
