using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Files.Tests;

/// <summary>
/// Requests that are changed by seed get the same answers, and the same end of the connection, from the front way, from the pipeline on
/// the ring and from the server on sockets with the same endpoints. A part runs with all tests; <c>IOXIDE_REQUESTS</c> sets how
/// many, and <c>IOXIDE_SEED</c> which (<c>eng/differential.sh</c>).
/// </summary>
public class MutatedRequestTests
{
    private const int ParallelRequests = 12;

    // Where a server resets the connection, the network's timing decides how much of the answer arrives. A fault stays.
    private const int Attempts = 3;

    private static readonly int s_seed = Number("IOXIDE_SEED", 20_261);

    private static readonly Way[] s_ways = [Way.Sockets, Way.Ring, Way.ShortCircuit];

    [Theory]
    [InlineData(false, 1600)]
    [InlineData(true, 400)]
    public async Task EveryPortAnswersAlike(bool isHttps, int count)
    {
        count = Number("IOXIDE_REQUESTS", Scale.Of(count));
        using TestFolder folder = MakeFolder();
        await using FileServer stock = await StartAsync(Way.Sockets, folder, isHttps);
        await using FileServer ring = await StartAsync(Way.Ring, folder, isHttps);
        await using FileServer shortCircuit = await StartAsync(Way.ShortCircuit, folder, isHttps);
        FileServer[] servers = [stock, ring, shortCircuit];
        ConcurrentQueue<string> differences = [];
        int refusals = 0;
        int repeats = 0;
        await Parallel.ForEachAsync(
            MutatedRequest.Many(s_seed, count), new ParallelOptions { MaxDegreeOfParallelism = ParallelRequests }, async (request, _) =>
            {
                for (int attempt = 1; ; attempt++)
                {
                    RawExchange[] seen = await Task.WhenAll(servers.Select(server => RawExchange.OfAsync(server.EndPoint, isHttps, request)));
                    if (seen.All(exchange => exchange.Answer == seen[0].Answer))
                    {
                        if (seen[0].Answer.Contains("HTTP/1.1 4", StringComparison.Ordinal))
                        {
                            Interlocked.Increment(ref refusals);
                        }

                        return;
                    }

                    if (attempt == Attempts || !seen.Any(static exchange => exchange.WasReset))
                    {
                        differences.Enqueue(
                            $"{request}\n{string.Join('\n', s_ways.Zip(seen, static (way, exchange) => $"  {way}{(exchange.WasReset ? ", reset" : "")}:\n{exchange.Answer}"))}");
                        return;
                    }

                    Interlocked.Increment(ref repeats);
                }
            });

        TestContext.Current.TestOutputHelper?.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{count} requests, seed {s_seed}, {(isHttps ? "TLS" : "cleartext")}: {differences.Count} differences, {repeats} repeats, {refusals} with a refusal."));
        Assert.True(differences.IsEmpty, $"{differences.Count} of {count} differ, seed {s_seed}:\n{string.Join('\n', differences.Take(20))}");

        Assert.InRange(refusals, count / 10, count);
        Assert.InRange(repeats, 0, Attempts + (count / 500));
    }

    private static TestFolder MakeFolder() => new TestFolder().With("coded.css", Payload.Of(1000)).With("coded.css.gz", Payload.Of(600))
        .With("plain.txt", Payload.Of(1000)).With("folder/plain.txt", Payload.Of(999)).With("folder/index.html", Payload.Of(500))
        .With("large.bin", Payload.Of(40_000)).With("name with space.txt", Payload.Of(100));

    private static Task<FileServer> StartAsync(Way way, TestFolder folder, bool isHttps) => FileServer.StartAsync(new FileServerSetup
    {
        Way = way,
        Folder = folder.Path,
        IsHttps = isHttps,
        IsTlsOnRing = isHttps && way != Way.Sockets,
        Protocols = HttpProtocols.Http1,
        Kestrel = static kestrel => kestrel.Limits.MinRequestBodyDataRate = new MinDataRate(240, 2.Seconds()),
        Endpoints = static app =>
        {
            app.MapGet("/dynamic/{id}", static (string id) => id);
            app.MapPost("/echo", static async context =>
            {
                using MemoryStream body = new();
                await context.Request.Body.CopyToAsync(body);
                await context.Response.Body.WriteAsync(body.ToArray());
            });
        },
        After = static context =>
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return context.Response.Body.WriteAsync(Encoding.UTF8.GetBytes($"{context.Request.Method} {context.Request.Path}{context.Request.QueryString}")).AsTask();
        },
        ExpectsErrors = true,
    });

    private static int Number(string variable, int otherwise)
        => Environment.GetEnvironmentVariable(variable) is { Length: > 0 } text ? int.Parse(text, CultureInfo.InvariantCulture) : otherwise;
}
