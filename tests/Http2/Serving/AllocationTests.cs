using System.Buffers;
using System.Collections.Concurrent;
using System.IO.Pipelines;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Ioxide.Http2.Tests;

/// <summary>
/// What the reactor allocates from one request to the next, once all is warm: measured inside the handler, over batches that a client sends at
/// once. The median counts, because now and then a block or an array is fetched. Without a log the host makes no activity.
/// </summary>
public class AllocationTests(ITestOutputHelper output)
{
    private const int BatchSize = 50;
    private const int BatchCount = 40;

    [Fact]
    public async Task ARequestWithoutABodyAllocatesNothing()
        => Assert.Equal(0, await MeasureAsync(
            static context =>
            {
                context.Response.StatusCode = StatusCodes.Status204NoContent;
                return Task.CompletedTask;
            },
            static stream => Request(stream, isPost: false)));

    [Fact]
    public async Task AnAnswerWithALengthAndABodyAllocatesNothing()
        => Assert.Equal(0, await MeasureAsync(
            static context =>
            {
                const int Length = 3000;
                context.Response.ContentLength = Length;
                context.Response.BodyWriter.GetSpan(Length)[..Length].Clear();
                context.Response.BodyWriter.Advance(Length);
                return Task.CompletedTask;
            },
            static stream => Request(stream, isPost: false)));

    /// <summary>The shape of a unary call: a body that came with its head, an answer with trailers, a token that is asked for.</summary>
    [Fact]
    public async Task ABodyTrailersAndTheAbortTokenAllocateNothing()
        => Assert.Equal(0, await MeasureAsync(
            static context =>
            {
                _ = context.RequestAborted;
                ValueTask<ReadResult> read = context.Request.BodyReader.ReadAtLeastAsync(100);
                return read.IsCompletedSuccessfully ? Answer(context, read.Result) : AnswerLaterAsync(context, read);
            },
            static stream => [.. Request(stream, isPost: true), .. FrameClient.Data(stream, new byte[100], ends: true)]));

    /// <summary>As command line clients and gRPC's of C++ send them.</summary>
    [Fact]
    public async Task APathAndALengthThatTheClientDoesNotIndexAllocateNothingWhereTheyRecur()
        => Assert.Equal(0, await MeasureAsync(
            static context =>
            {
                context.Response.StatusCode = context.Request.Path == "/a/path" ? StatusCodes.Status204NoContent : StatusCodes.Status404NotFound;
                return Task.CompletedTask;
            },
            static stream => FrameClient.Request(stream, "/a/path", others: ("accept-language", "en"))));

    /// <summary>12,000 characters are 24,000 bytes in pieces, and as many as one string. Joined piece by piece they would be half a million.</summary>
    [Fact]
    public async Task ACookieInManyPiecesIsJoinedOnce()
        => Assert.InRange(
            await MeasureAsync(
                static context =>
                {
                    context.Response.StatusCode = StatusCodes.Status204NoContent;
                    return Task.CompletedTask;
                },
                static stream => FrameClient.Request(stream, others: [.. Enumerable.Repeat(("cookie", new string('c', 300)), 40)])),
            24_000, 100_000);

    private static Task Answer(HttpContext context, ReadResult read)
    {
        context.Request.BodyReader.AdvanceTo(read.Buffer.End);
        context.Response.BodyWriter.Write("an answer"u8);
        context.Features.Get<IHttpResponseTrailersFeature>()!.Trailers["grpc-status"] = "0";
        return Task.CompletedTask;
    }

    private static async Task AnswerLaterAsync(HttpContext context, ValueTask<ReadResult> read) => await Answer(context, await read);

    /// <summary>As browsers send it from the second request on: each field is one of the tables.</summary>
    private static byte[] Request(int stream, bool isPost)
    {
        const byte Get = 0x82, Post = 0x83, Root = 0x84, Http = 0x86, FirstAuthority = 0x41, SameAuthority = 0xBE;
        byte[] block = [isPost ? Post : Get, Http, Root, .. stream == 1 ? [FirstAuthority, 9, .. "localhost"u8] : (byte[])[SameAuthority]];
        return FrameClient.Frame(Http2FrameType.Headers, Http2FrameFlags.EndHeaders | (isPost ? 0 : Http2FrameFlags.EndStream), stream, block);
    }

    private async Task<long> MeasureAsync(Func<HttpContext, Task> handle, Func<int, byte[]> request)
    {
        ConcurrentQueue<long> totals = new();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Services = static services => services.PostConfigure<LoggerFilterOptions>(static options => options.MinLevel = LogLevel.None),

            // On a slow machine handlers go to the thread pool, where nothing would be seen of what the reactor allocates.
            Transport = static options => options.ApplicationScheduling = ApplicationScheduling.Inline,
            Handler = context =>
            {
                totals.Enqueue(GC.GetAllocatedBytesForCurrentThread());
                return handle(context);
            },
        });
        using FrameClient client = await host.ConnectAsync((4, 1_000_000u));
        await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 0, 1_000_000_000));
        int stream = 1;
        for (int batch = 0; batch < BatchCount; batch++)
        {
            int last = stream + ((BatchSize - 1) * 2);
            await client.SendAsync(Enumerable.Range(0, BatchSize).SelectMany(index => request(stream + (index * 2))).ToArray());
            _ = await client.ReadStreamAsync(last);
            stream = last + 2;
        }

        long[] measured = [.. totals.TakeLast(BatchSize * BatchCount / 2)];
        long[] allocated = [.. measured.Zip(measured.Skip(1), static (before, after) => after - before).Order()];
        output.WriteLine($"Bytes per request: least {allocated[0]}, median {allocated[allocated.Length / 2]}, most {allocated[^1]}.");
        return allocated[allocated.Length / 2];
    }
}
