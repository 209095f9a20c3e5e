using System.Diagnostics;
using System.Net;
using System.Net.Http;

namespace Ioxide.Soak;

/// <summary>Sessions with the site of all packages: TLS, HTTP/1.1 and HTTP/2, each with a connection of its own.</summary>
internal static class PackageLoads
{
    /// <summary>Files, whole and in ranges.</summary>
    internal static void Files(Worker worker) => Play(worker, static (random, client, limit) =>
    {
        int key = random.Next(PackageFiles.Count);
        int length = PackageFiles.LengthOf(key);
        return length > 0 && random.Next(3) == 0
            ? RangeAsync(client, key, length, random, limit)
            : GetAsync(client, $"/files/{PackageFiles.NameOf(key)}", key, length, limit);
    });

    /// <summary>Bytes that went to the database and came back.</summary>
    internal static void Rows(Worker worker) => Play(worker, static (random, client, limit) => AskAsync(client, "/row", random, 20_000, limit));

    /// <summary>Bytes that the server fetches over a connection of its own.</summary>
    internal static void Through(Worker worker)
        => Play(worker, static (random, client, limit) => AskAsync(client, "/through", random, 100_000, limit));

    /// <summary>Asks each of them once, so that the server has the connections that it keeps.</summary>
    internal static async Task WarmUpAsync(IPEndPoint endPoint)
    {
        using var limit = new CancellationTokenSource(Surroundings.PatienceMs);
        using HttpClient client = Connect(endPoint, HttpVersion.Version20);
        Random random = new(1);
        await GetAsync(client, $"/files/{PackageFiles.NameOf(1)}", 1, PackageFiles.LengthOf(1), limit.Token);
        await AskAsync(client, "/row", random, 100, limit.Token);
        await AskAsync(client, "/through", random, 100, limit.Token);
    }

    private static void Play(Worker worker, Func<Random, HttpClient, CancellationToken, Task> askAsync)
    {
        const int RequestCount = 200;
        using var limit = new CancellationTokenSource();
        using HttpClient client = Connect(
            worker.Surroundings.Packages, worker.Random.Next(2) == 0 ? HttpVersion.Version11 : HttpVersion.Version20);
        for (int i = 0; i < RequestCount && worker.Gate.IsOpen; i++)
        {
            limit.CancelAfter(Surroundings.PatienceMs);
            long started = Stopwatch.GetTimestamp();
            askAsync(worker.Random, client, limit.Token).GetAwaiter().GetResult();
            worker.Surroundings.Counters.PackageLatencies.AddSince(started);
            worker.AddAnswer();
        }
    }

    private static HttpClient Connect(IPEndPoint endPoint, Version version)
    {
        var handler = new SocketsHttpHandler { MaxConnectionsPerServer = 1 };
        handler.SslOptions.RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate is not null;
        return new HttpClient(handler)
        {
            BaseAddress = new Uri($"https://{endPoint}"),
            DefaultRequestVersion = version,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Timeout = Timeout.InfiniteTimeSpan,
        };
    }

    private static Task AskAsync(HttpClient client, string path, Random random, int maxLength, CancellationToken limit)
    {
        long key = random.NextInt64();
        int length = random.Next(maxLength);
        return GetAsync(client, $"{path}?key={key}&length={length}", key, length, limit);
    }

    private static async Task GetAsync(HttpClient client, string path, long key, int length, CancellationToken limit)
    {
        using HttpResponseMessage response = await client.GetAsync(new Uri(path, UriKind.Relative), limit);
        await CheckAsync(response, HttpStatusCode.OK, key, offset: 0, length, limit);
    }

    private static async Task RangeAsync(HttpClient client, int key, int length, Random random, CancellationToken limit)
    {
        int first = random.Next(length);
        int last = random.Next(first, length);
        using HttpRequestMessage request = new(HttpMethod.Get, $"/files/{PackageFiles.NameOf(key)}")
        {
            Version = client.DefaultRequestVersion,
            VersionPolicy = client.DefaultVersionPolicy,
        };
        request.Headers.Range = new(first, last);
        using HttpResponseMessage response = await client.SendAsync(request, limit);
        await CheckAsync(response, HttpStatusCode.PartialContent, key, first, last - first + 1, limit);
    }

    private static async Task CheckAsync(
        HttpResponseMessage response, HttpStatusCode status, long key, long offset, int length, CancellationToken limit)
    {
        byte[] body = await response.Content.ReadAsByteArrayAsync(limit);
        int wrong = Payload.FirstDifference(body, key, offset);
        if (response.StatusCode != status || body.Length != length || wrong >= 0)
        {
            throw new InvalidDataException(
                $"{response.RequestMessage?.RequestUri}: {(int)response.StatusCode} with {body.Length} bytes of {length}, byte {wrong} is wrong.");
        }
    }
}
