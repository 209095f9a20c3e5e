using System.Diagnostics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Ioxide.Files.Tests;

/// <summary>An answer with a file allocates nothing between routing and the connection.</summary>
/// <remarks>
/// Counted on the reactor around the endpoint, which answers before it returns: Kestrel's head and the queue of the connection are in it. A body above
/// Kestrel's limit for unsent bytes (64 KiB) waits for the client, which allocates. Code that is not compiled for good boxes what it formats, so batches run
/// until one costs no more, for some time.
/// </remarks>
[Once]
public class AnswerCostTests
{
    private const int Batch = 100;

    // While other tests begin, the runtime puts off to compile for good what runs often: not a number of runs ends that, but time.
    private static readonly TimeSpan s_limit = 60.Seconds();

    /// <summary>A request, its status, and the bytes that it may cost: a range has its Content-Range, which is a string.</summary>
    public static TheoryData<string, string, int, int> Requests => new()
    {
        { "GET /2k.css", "", 200, 0 },
        { "GET /2k.css", "Accept-Encoding: br, gzip\r\n", 200, 0 },
        { "GET /30k.css", "", 200, 0 },
        { "GET /300k.css", "Range: bytes=1000-1999\r\n", 206, 72 },
        { "GET /300k.css", "Range: bytes=1000-40999\r\n", 206, 72 },
        { "GET /30k.css", "If-None-Match: *\r\n", 304, 0 },
        { "HEAD /30k.css", "", 200, 0 },
    };

    [Theory, MemberData(nameof(Requests))]
    public async Task AnAnswerAllocatesNoMoreThanItsRange(string request, string headers, int status, int bytes)
    {
        using TestFolder folder = new TestFolder().With("2k.css", Payload.Of(2000)).With("2k.css.br", Payload.Of(1000))
            .With("30k.css", Payload.Of(30_000)).With("300k.css", Payload.Of(300_000));
        long allocated = 0;
        int asynchronous = 0;
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Folder = folder.Path,
            Services = static services => services.AddLogging(static logging => logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning)),
            Before = app => app.Use((HttpContext context, RequestDelegate next) =>
            {
                long before = GC.GetAllocatedBytesForCurrentThread();
                Task answered = next(context);
                allocated += GC.GetAllocatedBytesForCurrentThread() - before;
                asynchronous += answered.IsCompleted ? 0 : 1;
                return answered;
            }),
        });
        using RawClient client = await server.ConnectAsync();
        string text = RawClient.Request(request, headers);
        long perAnswer = long.MaxValue;
        long started = Stopwatch.GetTimestamp();
        while ((perAnswer > bytes || asynchronous > 0) && Stopwatch.GetElapsedTime(started) < s_limit)
        {
            allocated = 0;
            asynchronous = 0;
            for (int index = 0; index < Batch; index++)
            {
                Assert.Equal(status, (await client.AskAsync(text)).Status);
            }

            perAnswer = allocated / Batch;
        }

        Assert.Equal(0, asynchronous);
        Assert.InRange(perAnswer, 0, bytes);
    }
}
