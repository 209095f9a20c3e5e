using Ioxide.AspNetCore;
using Microsoft.Net.Http.Headers;

namespace Ioxide.Files;

/// <summary>One mapped folder in the pipeline; the metadata of its endpoint. It never blocks, so it starts on the reactor.</summary>
internal sealed class FilesEndpoint(FileSite site, bool isFallback) : IRunsOn
{
    private int _prefixLength;

    internal FileSite Site { get; } = site;

    bool IRunsOn.IsReactor => true;

    /// <summary>Whether it answers what nothing else matches, with the fallback file.</summary>
    internal bool IsFallback { get; } = isFallback;

    /// <summary>The literal part of the endpoint's pattern, with a slash in front; empty for the root.</summary>
    internal string Prefix
    {
        get;
        set
        {
            field = value;
            _prefixLength = value.Length;
        }
    } = "";

    /// <summary>Whether there is an answer to this request; if not, other endpoints and the rest of the pipeline get it.</summary>
    internal bool Matches(HttpContext context)
    {
        if (IsFallback)
        {
            return Site.Snapshot.Fallback is not null && IsGetOrHead(context.Request.Method);
        }

        ReadOnlySpan<char> path = PathOf(context);
        FileSnapshot snapshot = Site.Snapshot;
        bool isThere = snapshot.Find(path) is not null || (Site.Options.RedirectToFolders && snapshot.IsFolder(path));
        if (!isThere)
        {
            Site.Counters.CountMiss();
        }

        return isThere;
    }

    internal Task HandleAsync(HttpContext context)
    {
        FileSnapshot snapshot = Site.Snapshot;
        ReadOnlySpan<char> path = PathOf(context);
        if ((IsFallback ? snapshot.Fallback : snapshot.Find(path)) is { } entry)
        {
            if (IsGetOrHead(context.Request.Method))
            {
                return FileResponse.WriteAsync(context, Site, entry);
            }

            context.Response.StatusCode = StatusCodes.Status405MethodNotAllowed;
            context.Response.Headers.Allow = "GET, HEAD";
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

        context.Response.ContentLength = 0;
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

    /// <summary>The decoded path behind the prefix: routing has compared the prefix already, without looking at case.</summary>
    private ReadOnlySpan<char> PathOf(HttpContext context)
    {
        ReadOnlySpan<char> path = context.Request.Path.Value;
        return path.Length >= _prefixLength ? path[_prefixLength..] : default;
    }
}
