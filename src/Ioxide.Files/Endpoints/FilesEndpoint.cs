using Ioxide.AspNetCore;
using Microsoft.Net.Http.Headers;

namespace Ioxide.Files;

/// <summary>One mapped folder in the pipeline; the metadata of its endpoint. It never blocks, so it starts on the reactor.</summary>
internal sealed class FilesEndpoint(FileSite site, int number, bool isFallback) : IRunsOn
{
    internal FileSite Site { get; } = site;

    /// <summary>In the order in which the folders were mapped.</summary>
    internal int Number { get; } = number;

    bool IRunsOn.IsReactor => true;

    /// <summary>Whether it answers what nothing else matches, with the fallback file.</summary>
    internal bool IsFallback { get; } = isFallback;

    /// <summary>Whether the endpoint has a CORS policy, so that preflight requests are its own.</summary>
    internal bool HasCors { get; set; }

    /// <summary>The literal part of the endpoint's pattern, with a slash in front; empty for the root.</summary>
    internal string Prefix { get; set; } = "";

    /// <summary>What the endpoint's metadata says of a folder, or null.</summary>
    internal static FilesEndpoint? Of(Endpoint endpoint) => endpoint.Metadata.GetMetadata<FilesEndpoint>();

    /// <summary>
    /// Orders endpoints that are equal to routing: files before endpoints of the application, those before what comes last; of two folders the
    /// one with the longer prefix, then the one that was mapped first.
    /// </summary>
    internal static int Compare(Endpoint? x, Endpoint? y)
    {
        FilesEndpoint? first = x is null ? null : Of(x);
        FilesEndpoint? second = y is null ? null : Of(y);
        int side = SideOf(x, first).CompareTo(SideOf(y, second));
        if (side != 0 || first is null || second is null)
        {
            return side;
        }

        int prefix = second.Prefix.Length.CompareTo(first.Prefix.Length);
        return prefix != 0 ? prefix : first.Number.CompareTo(second.Number);

        static int SideOf(Endpoint? endpoint, FilesEndpoint? files)
            => files is null ? 0 : endpoint is RouteEndpoint { RoutePattern.PathSegments.Count: 0 } ? -1 : 1;
    }

    /// <summary>Whether the folder has a file, or a folder that lacks its slash, at the path; of a fallback, whether there is one.</summary>
    /// <param name="path">The decoded path of a request that routing found below the prefix; it compares the prefix without looking at case.</param>
    internal bool Has(ReadOnlySpan<char> path)
    {
        ReadOnlySpan<char> below = Below(path);
        FileSnapshot snapshot = Site.Snapshot;
        return IsFallback
            ? snapshot.Fallback is not null
            : snapshot.Find(below) is not null || (Site.Options.RedirectToFolders && snapshot.IsFolder(below));
    }

    /// <summary>Whether the request is for the files: a GET or HEAD, or what asks a CORS policy of theirs for one.</summary>
    internal bool Serves(HttpRequest request) => IsGetOrHead(request.Method) || (HasCors && IsPreflight(request));

    internal Task HandleAsync(HttpContext context)
    {
        FileSnapshot snapshot = Site.Snapshot;
        ReadOnlySpan<char> path = Below(context.Request.Path.Value);
        if (!IsGetOrHead(context.Request.Method))
        {
            context.Response.StatusCode = StatusCodes.Status405MethodNotAllowed;
            context.Response.Headers.Allow = "GET, HEAD";
        }
        else if ((IsFallback ? snapshot.Fallback : snapshot.Find(path)) is { } entry)
        {
            return FileResponse.WriteAsync(context, Site, entry);
        }
        else if (Site.Options.RedirectToFolders && snapshot.IsFolder(path))
        {
            Redirect(context);
        }
        else
        {
            // It was replaced after it was matched.
            context.Response.StatusCode = StatusCodes.Status404NotFound;
        }

        // Without a length: a refusal that has one gets no page of the application's.
        return Task.CompletedTask;
    }

    private static void Redirect(HttpContext context)
    {
        HttpRequest request = context.Request;
        context.Response.StatusCode = StatusCodes.Status301MovedPermanently;

        // From the root, so that a path of several slashes cannot become another host.
        string path = request.PathBase.Add(request.Path).ToUriComponent();
        context.Response.Headers[HeaderNames.Location] = $"/{path.TrimStart('/')}/{request.QueryString.ToUriComponent()}";
    }

    private static bool IsGetOrHead(string method) => HttpMethods.IsGet(method) || HttpMethods.IsHead(method);

    /// <summary>Source: Fetch, section 3.3.2.</summary>
    private static bool IsPreflight(HttpRequest request)
        => HttpMethods.IsOptions(request.Method)
            && request.Headers.Origin.Count > 0
            && request.Headers.AccessControlRequestMethod is [{ } method]
            && IsGetOrHead(method);

    /// <summary>What lies behind the prefix.</summary>
    private ReadOnlySpan<char> Below(ReadOnlySpan<char> path) => path.Length >= Prefix.Length ? path[Prefix.Length..] : default;
}
