using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Http2.Tests;

/// <summary>What scripts ask for: paths below <c>/do/</c> name it, the query is a length, any other path is echoed.</summary>
internal static class ScriptedApplication
{
    /// <summary>What it can be asked for.</summary>
    internal static string[] Does { get; } =
    [
        "echo", "fields", "large", "pieces", "trailers", "empty", "unchanged", "length", "throw", "late-throw", "early", "drain", "reset", "abort", "start",
        "short", "long", "cookies", "small-limit", "features", "sync", "complete", "bad", "no-content",
    ];

    internal static async Task RunAsync(HttpContext context)
    {
        HttpRequest request = context.Request;
        HttpResponse response = context.Response;
        string does = request.Path.Value is { } path && path.StartsWith("/do/", StringComparison.Ordinal) ? path[4..] : "echo";
        int length = int.TryParse(request.QueryString.Value?.TrimStart('?'), NumberStyles.None, CultureInfo.InvariantCulture, out int number) ? number : 0;
        switch (does)
        {
            case "large":
                await response.Body.WriteAsync(Pattern(length));
                break;
            case "pieces":
                foreach (byte[] piece in Pattern(length).Chunk((length / 5) + 1))
                {
                    await response.Body.WriteAsync(piece);
                    await response.Body.FlushAsync();
                }

                break;
            case "trailers":
                response.DeclareTrailer("Sum");
                await response.WriteAsync("body");
                response.AppendTrailer("Sum", "4");
                break;
            case "empty":
                response.StatusCode = StatusCodes.Status204NoContent;
                break;
            case "no-content":
                response.StatusCode = StatusCodes.Status204NoContent;
                await response.WriteAsync("not allowed");
                break;
            case "unchanged":
                response.StatusCode = StatusCodes.Status304NotModified;
                response.Headers.ETag = "\"1\"";
                break;
            case "length":
                response.ContentLength = length;
                await response.Body.WriteAsync(Pattern(length));
                break;
            case "throw":
                throw new InvalidOperationException("The script wanted it.");
            case "late-throw":
                await response.WriteAsync("begun");
                await response.Body.FlushAsync();
                throw new InvalidOperationException("The script wanted it.");
            case "early":
                await response.WriteAsync("early");
                break;
            case "drain":
                await DrainAsync(context);
                break;
            case "reset":
                context.Features.Get<IHttpResetFeature>()!.Reset(11);
                break;
            case "abort":
                context.Abort();
                break;
            case "start":
                response.Headers["X-Own"] = "1";
                await response.StartAsync();
                await response.WriteAsync($"{response.HasStarted} {response.Headers.IsReadOnly}");
                break;
            case "complete":
                await response.WriteAsync("whole");
                await response.CompleteAsync();
                break;
            case "short":
                response.ContentLength = length + 10;
                await response.WriteAsync("short");
                break;
            case "long":
                response.ContentLength = 3;
                await response.WriteAsync("too long");
                break;
            case "cookies":
                response.Cookies.Append("a", "1");
                response.Cookies.Append("b", "2");
                response.StatusCode = 299;
                await response.WriteAsync(request.Headers.Cookie.ToString());
                break;
            case "small-limit":
                context.Features.Get<IHttpMaxRequestBodySizeFeature>()!.MaxRequestBodySize = 50;
                await DrainAsync(context);
                break;
            case "bad":
                throw new BadHttpRequestException("The script wanted it.", StatusCodes.Status418ImATeapot);
            case "features":
                response.Headers["X-Features"] = $"{context.Features.Get<IHttpRequestTrailersFeature>() is not null} {context.Features.Get<IHttpExtendedConnectFeature>()?.IsExtendedConnect}";
                break;
            case "sync":
                context.Features.Get<IHttpBodyControlFeature>()!.AllowSynchronousIO = true;
                response.Body.Write(Pattern(length));
                break;
            default:
                await EchoAsync(context);
                break;
        }
    }

    private static async Task DrainAsync(HttpContext context)
    {
        using MemoryStream body = new();
        await context.Request.Body.CopyToAsync(body);
        IHeaderDictionary? trailers = context.Features.Get<IHttpRequestTrailersFeature>()?.Trailers;
        IEnumerable<string> sums = trailers is null ? [] : trailers.Select(static trailer => $"{trailer.Key}={trailer.Value}").Order();
        await context.Response.WriteAsync($"{body.Length} {string.Join(',', sums)}");
    }

    private static async Task EchoAsync(HttpContext context)
    {
        using StreamReader reader = new(context.Request.Body);
        string body = await reader.ReadToEndAsync();
        HttpRequest request = context.Request;
        context.Response.Headers["X-Own"] = "1";
        await context.Response.WriteAsync(
            $"{request.Method} {request.Scheme} {request.Host} '{request.Path}' '{request.QueryString}' {request.ContentLength} {body}\n"
            + $"{context.Features.Get<IHttpRequestFeature>()!.RawTarget}\n"
            + string.Join('\n', request.Headers.Select(static header => $"{header.Key}={string.Join('|', header.Value.ToArray())}").Order()));
    }

    private static byte[] Pattern(int length) => [.. Enumerable.Range(0, length).Select(static index => (byte)(index * 31 % 251))];
}
