using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Files.Tests;

/// <summary>
/// Large bodies in memory are sent by their pages: a count says that they were, and bytes arrive whole, in order and of their own
/// version, also where a socket takes only a part, where several share the pipe, and where the memory is gone meanwhile.
/// </summary>
/// <remarks>Slow: a stop waits 5 s, the host's time for it, for a peer that reads nothing.</remarks>
public class PagesTests
{
    private const int MinPageBytes = 64 * 1024;

    public static TheoryData<Way> RingWays => [Way.Ring, Way.ShortCircuit];

    [Theory, MemberData(nameof(RingWays))]
    public async Task BodiesFromTheLimitOnGoByTheirPages(Way way)
    {
        int[] lengths = [MinPageBytes - 1, MinPageBytes, MinPageBytes + 1, 300_000, 8 * 1024 * 1024];
        using TestFolder folder = new();
        foreach (int length in lengths)
        {
            folder.With($"{length}.bin", Payload.Of(length));
        }

        await using FileServer server = await FileServer.StartAsync(way, folder);
        using RawClient client = await server.ConnectAsync();
        foreach (int length in lengths)
        {
            long before = PageBytes(server);
            Payload.AssertSame(Payload.Of(length), (await client.GetAsync($"/{length}.bin")).Body);
            long byPages = await PageBytesAtRestAsync(server) - before;

            // The end of a body that a socket took in parts is copied when it is short.
            Assert.InRange(byPages, length < MinPageBytes ? 0 : Math.Max(1, length - MinPageBytes), length < MinPageBytes ? 0 : length);
        }
    }

    [Theory, MemberData(nameof(RingWays))]
    public async Task PipelinedNeighboursStayInOrder(Way way)
    {
        byte[] large = Payload.Of(500_000);
        using TestFolder folder = new TestFolder().With("large.bin", large).With("small.txt", "small").With("middle.bin", Payload.Of(20_000));
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Way = way,
            Folder = folder.Path,
            Endpoints = static app => app.MapGet("/dynamic", static context => context.Response.WriteAsync("dynamic")),
        });
        using RawClient client = await server.ConnectAsync();
        const string Head = "HEAD /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n";
        for (int round = 0; round < 20; round++)
        {
            await client.SendAsync(
                RawClient.Get("/small.txt") + RawClient.Get("/large.bin") + RawClient.Get("/dynamic")
                + RawClient.Get("/large.bin", "Range: bytes=100001-400000\r\n") + RawClient.Get("/middle.bin") + Head
                + RawClient.Get("/large.bin", "Range: bytes=1-99999,200000-299999\r\n") + RawClient.Get("/large.bin") + RawClient.Get("/small.txt"));
            Assert.Equal("small", (await client.ReadResponseAsync()).Text);
            Payload.AssertSame(large, (await client.ReadResponseAsync()).Body);
            Assert.Equal("dynamic", (await client.ReadResponseAsync()).Text);
            Payload.AssertSame(large[100_001..400_001], (await client.ReadResponseAsync()).Body);
            Payload.AssertSame(Payload.Of(20_000), (await client.ReadResponseAsync()).Body);
            Assert.Equal("500000", (await client.ReadResponseAsync(isHead: true)).Headers["Content-Length"]);
            byte[] parts = (await client.ReadResponseAsync()).Body;
            Assert.True(parts.AsSpan().IndexOf(large.AsSpan(1, 99_999)) > 0 && parts.AsSpan().IndexOf(large.AsSpan(200_000, 100_000)) > 0);
            Payload.AssertSame(large, (await client.ReadResponseAsync()).Body);
            Assert.Equal("small", (await client.ReadResponseAsync()).Text);
        }

        Assert.True(PageBytes(server) > 20 * large.Length);
    }

    /// <summary>What a full socket leaves in the pipe must not reach the next connection.</summary>
    [Theory, MemberData(nameof(RingWays))]
    public async Task SlowReadersThatShareAReactorGetTheirOwnBytes(Way way)
    {
        const int Readers = 8;
        using TestFolder folder = new();
        byte[][] contents = [.. Enumerable.Range(0, Readers).Select(static index => Payload.Of(3_000_000 + (index * 4099)))];
        for (int index = 0; index < Readers; index++)
        {
            folder.With($"{index}.bin", contents[index]);
        }

        await using FileServer server = await FileServer.StartAsync(way, folder);
        await Task.WhenAll(contents.Select(async (content, index) =>
        {
            using RawClient client = await server.ConnectAsync(receiveBufferBytes: 16 * 1024);
            for (int round = 0; round < 2; round++)
            {
                Payload.AssertSame(content, (await client.GetAsync($"/{index}.bin")).Body);
            }
        }));
        Assert.True(PageBytes(server) > 0);
    }

    /// <summary>Pages that wait in a socket are those of the version that was asked for, though nobody maps them any more.</summary>
    [Theory, MemberData(nameof(RingWays))]
    public async Task PagesInTheSocketOutliveTheSnapshot(Way way)
    {
        const int LengthBytes = 300_000;
        byte[] old = Payload.Of(LengthBytes);
        using TestFolder folder = new TestFolder().With("a.bin", old);
        await using FileServer server = await FileServer.StartAsync(way, folder);
        using RawClient client = await server.ConnectAsync(receiveBufferBytes: 4096);
        await client.SendAsync(RawClient.Get("/a.bin"));
        await Waits.Eventually(() => PageBytes(server) == LengthBytes, 60.Seconds());
        for (int version = 0; version < 50; version++)
        {
            byte[] other = new byte[LengthBytes];
            other.AsSpan().Fill(0xEE);
            folder.Replace("a.bin", other);
            await server.Files.ReloadAsync();
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Payload.AssertSame(old, (await client.ReadResponseAsync()).Body);
        Assert.Equal(0xEE, (await client.GetAsync("/a.bin")).Body[0]);
    }

    /// <summary>A pipe takes up to a megabyte of what a user may have in pipes: one serves all connections of its reactor.</summary>
    [Theory, MemberData(nameof(RingWays))]
    public async Task OnePipeOfAReactorServesEveryConnection(Way way)
    {
        using TestFolder folder = new TestFolder().With("a.bin", Payload.Of(300_000));
        await using FileServer server = await FileServer.StartAsync(way, folder);
        int reactors = server.Services.GetRequiredService<IReactorGroupSource>().GetReactors().Reactors.Count;
        int before = PipeEnds();
        for (int connection = 0; connection < 20; connection++)
        {
            using RawClient client = await server.ConnectAsync();
            Payload.AssertSame(Payload.Of(300_000), (await client.GetAsync("/a.bin")).Body);
        }

        Assert.True(PageBytes(server) > 0);
        Assert.InRange(PipeEnds() - before, int.MinValue, 2 * reactors);
    }

    [Theory, MemberData(nameof(RingWays))]
    public async Task AServerStopsWhileAPeerReadsNothing(Way way)
    {
        using TestFolder folder = new TestFolder().With("a.bin", Payload.Of(30_000_000));
        FileServer server = await FileServer.StartAsync(way, folder);
        using RawClient client = await server.ConnectAsync(receiveBufferBytes: 4096);
        try
        {
            await client.SendAsync(RawClient.Get("/a.bin"));
            await Waits.Eventually(() => PageBytes(server) > 0, 60.Seconds());
        }
        finally
        {
            await server.DisposeAsync();
        }

        // It was cut off: what is there is a beginning.
        Assert.InRange((await client.ReadToEndAsync()).Bytes.Length, 0, 29_999_999);
    }

    private static int PipeEnds() => Descriptors.Of("self").Values.Count(static target => target.StartsWith("pipe:", StringComparison.Ordinal));

    private static long PageBytes(FileServer server)
        => server.Services.GetRequiredService<IReactorGroupSource>().GetReactors().Reactors.Sum(static reactor => reactor.Counters.PageBytesSent);

    /// <summary>The count once the reactors have ended the turns in which it may have changed.</summary>
    private static async Task<long> PageBytesAtRestAsync(FileServer server)
    {
        foreach (Reactor reactor in server.Services.GetRequiredService<IReactorGroupSource>().GetReactors().Reactors)
        {
            await reactor.RunAsync(static () => { }).Within(30.Seconds());
        }

        return PageBytes(server);
    }
}
