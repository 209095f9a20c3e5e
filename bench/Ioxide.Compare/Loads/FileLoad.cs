using System.Collections.Concurrent;
using System.Net;

namespace Ioxide.Compare.Loads;

/// <summary>Asks for a static file of a length, after one answer of each server was read and found right.</summary>
/// <param name="lengthBytes">The body as it is sent.</param>
internal sealed class FileLoad(int lengthBytes) : ILoad
{
    private const string Codings = "br, gzip";

    private readonly ConcurrentDictionary<string, ILoad> _loads = new();

    /// <summary>The files of a page in turn instead.</summary>
    internal bool IsMixture { get; init; }

    /// <summary>The client has the file and names its tag: 304.</summary>
    internal bool IsKnown { get; init; }

    /// <summary>So many bytes from the middle; 0 for all.</summary>
    internal int RangeLength { get; init; }

    public async Task<LoadResult> RunAsync(LoadTarget target, TimeSpan duration, CancellationToken cancellation)
    {
        string origin = target.Url("");
        if (!_loads.TryGetValue(origin, out ILoad? load))
        {
            load = await PrepareAsync(target, cancellation);
            _loads[origin] = load;
        }

        return await load.RunAsync(target, duration, cancellation);
    }

    private async Task<ILoad> PrepareAsync(LoadTarget target, CancellationToken cancellation)
    {
        // A side that knows no siblings answers the coded name with the file itself, which is longer; and nginx has no ranges of them.
        bool isCoded = RangeLength == 0 && await HasCodingAsync(target.Url(FileSet.PathOf(lengthBytes, isCoded: true)), cancellation);
        string path = FileSet.PathOf(lengthBytes, isCoded);
        List<string> headers = [$"Accept-Encoding: {Codings}"];
        if (RangeLength > 0)
        {
            headers.Add($"Range: bytes={lengthBytes / 2}-{(lengthBytes / 2) + RangeLength - 1}");
        }

        using HttpResponseMessage first = await GetAsync(target.Url(path), headers, cancellation);
        await CheckAsync(first, RangeLength > 0 ? HttpStatusCode.PartialContent : HttpStatusCode.OK, cancellation);
        if (IsKnown)
        {
            headers.Add($"If-None-Match: {first.Headers.ETag ?? throw new RefusedException($"{target.Url(path)} has no ETag")}");
            using HttpResponseMessage again = await GetAsync(target.Url(path), headers, cancellation);
            await CheckAsync(again, HttpStatusCode.NotModified, cancellation);
        }

        return IsMixture
            ? new WrkLoad($"/{Path.GetExtension(path)}") { Headers = headers, Script = "files.lua" }
            : new WrkLoad(path) { Headers = headers };
    }

    private static async Task<bool> HasCodingAsync(string url, CancellationToken cancellation)
    {
        using HttpResponseMessage answer = await GetAsync(url, [$"Accept-Encoding: {Codings}"], cancellation);
        return answer.Content.Headers.ContentEncoding.Count > 0;
    }

    private async Task CheckAsync(HttpResponseMessage answer, HttpStatusCode status, CancellationToken cancellation)
    {
        int length = (await answer.Content.ReadAsByteArrayAsync(cancellation)).Length;
        int expected = status == HttpStatusCode.NotModified ? 0 : RangeLength > 0 ? RangeLength : lengthBytes;
        if (answer.StatusCode != status || length != expected)
        {
            throw new RefusedException(
                $"{answer.RequestMessage!.RequestUri} answered {(int)answer.StatusCode} with {length} bytes, not {(int)status} with {expected}");
        }
    }

    private static async Task<HttpResponseMessage> GetAsync(string url, IEnumerable<string> headers, CancellationToken cancellation)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, url);
        foreach (string header in headers)
        {
            string[] pair = header.Split(": ", 2);
            request.Headers.TryAddWithoutValidation(pair[0], pair[1]);
        }

        try
        {
            return await DriverClient.Instance.SendAsync(request, cancellation);
        }
        catch (HttpRequestException exception)
        {
            throw new RefusedException($"{url}: {exception.Message}");
        }
    }
}
