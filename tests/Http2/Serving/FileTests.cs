using System.IO.Compression;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Ioxide.AspNetCore;
using Ioxide.Files;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Http2.Tests;

/// <summary>Files over the engine: sent from where they lie, within the client's windows, and kept until the last send is over.</summary>
public sealed class FileTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ioxide-h2-files-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 0)]
    [InlineData(16_383, 1)]
    [InlineData(16_384, 1)]
    [InlineData(16_385, 1)]
    [InlineData(30_000, 1)]
    [InlineData(50_000_000, 1)]
    public async Task AFileIsSentFromMemory(int length, int referenceCount)
    {
        byte[] content = Write("file.bin", length);
        await using Http2Host host = await StartAsync();
        using HttpClient client = host.CreateClient();
        Assert.Equal(content, await client.GetByteArrayAsync("/file.bin").Within(60.Seconds()));
        Assert.Equal(referenceCount, Statistics(host).ByReference);
    }

    [Theory, Each(HttpProtocols.Http2, HttpProtocols.Http1AndHttp2)]
    public async Task OverTlsAFileIsEncryptedFromMemory(HttpProtocols protocols)
    {
        byte[] content = Write("file.bin", 300_000);
        using X509Certificate2 certificate = CertificateMaker.SelfSigned();
        await using Http2Host host = await StartAsync(protocols, listen => listen.UseIoxideTls(certificate));
        using HttpClient client = host.CreateClient(isHttps: true);
        Assert.Equal(content, await client.GetByteArrayAsync("/file.bin").Within(60.Seconds()));
        Assert.Equal(1, Statistics(host).ByReference);
    }

    [Fact]
    public async Task BothVersionsOfHttpSendFromMemory()
    {
        byte[] content = Write("file.bin", 100_000);
        await using Http2Host host = await StartAsync(HttpProtocols.Http1AndHttp2);
        foreach (Version version in (Version[])[HttpVersion.Version20, HttpVersion.Version11, HttpVersion.Version20])
        {
            using HttpClient client = host.CreateClient();
            client.DefaultRequestVersion = version;
            using HttpResponseMessage response = await client.GetAsync("/file.bin").Within(30.Seconds());
            Assert.Equal(version, response.Version);
            Assert.Equal(content, await response.Content.ReadAsByteArrayAsync().Within(30.Seconds()));
        }

        Assert.Equal(3, Statistics(host).ByReference);
    }

    [Fact]
    public async Task RangesAreSentFromMemoryAndHeadSendsNothing()
    {
        byte[] content = Write("file.bin", 100_000);
        await using Http2Host host = await StartAsync();
        using FrameClient client = await host.ConnectAsync((4, 1_000_000));
        List<Frame> part = await client.AskAsync(FrameClient.Request(1, "/file.bin", others: ("range", "bytes=10-50009")));
        Assert.Equal(("206", "50000"), (part[0][":status"], part[0]["content-length"]));
        Assert.Equal(content[10..50_010], Body(part));
        Frame head = Assert.Single(await client.AskAsync(FrameClient.Request(3, "/file.bin", method: "HEAD")));
        Assert.Equal("100000", head["content-length"]);
    }

    /// <summary>What looks at the body, as compression does, gets its bytes.</summary>
    [Fact]
    public async Task MiddlewareThatReplacesTheBodySeesItsBytes()
    {
        byte[] content = Write("file.bin", 100_000);
        await using Http2Host host = await StartAsync(before: static app => app.Use(static async (context, next) =>
        {
            IHttpResponseBodyFeature before = context.Features.Get<IHttpResponseBodyFeature>()!;
            await using GZipStream gzip = new(before.Stream, CompressionLevel.Fastest);
            context.Response.OnStarting(() =>
            {
                context.Response.Headers.ContentEncoding = "gzip";
                context.Response.ContentLength = null;
                return Task.CompletedTask;
            });
            context.Features.Set<IHttpResponseBodyFeature>(new StreamResponseBodyFeature(gzip, before));
            await next();
            await context.Response.CompleteAsync();
        }));
        using HttpClient client = host.CreateClient();
        using MemoryStream plain = new();
        await using GZipStream sent = new(await client.GetStreamAsync("/file.bin").Within(30.Seconds()), CompressionMode.Decompress);
        await sent.CopyToAsync(plain).Within(30.Seconds());
        Assert.Equal(content, plain.ToArray());
        Assert.Equal(0, Statistics(host).ByReference);
    }

    /// <summary>The answer under way keeps the bytes that it promised, although nothing else refers to them any more.</summary>
    [Fact]
    public async Task AFileThatIsReplacedMeanwhileIsSentToItsEnd()
    {
        byte[] content = Write("file.bin", 1_000_000);
        await using Http2Host host = await StartAsync();
        using FrameClient client = await host.ConnectAsync((4, 20_000));
        await client.SendAsync(FrameClient.Request(1, "/file.bin"));
        Assert.Equal(Http2FrameType.Headers, (await client.ReadAsync())!.Type);
        byte[] next = Write("file.bin", 500);
        await host.Services.GetRequiredService<IoxideFiles>().ReloadAsync().Within(30.Seconds());
        GC.Collect();
        GC.WaitForPendingFinalizers();
        await client.SendAsync((byte[])[.. FrameClient.Number(Http2FrameType.WindowUpdate, 1, 1_000_000), .. FrameClient.Number(Http2FrameType.WindowUpdate, 0, 1_000_000)]);
        Assert.Equal(content, Body(await client.ReadStreamAsync(1)));
        Assert.Equal(next, Body(await client.AskAsync(FrameClient.Request(3, "/file.bin"))));
    }

    [Fact]
    public async Task AGracefulStopSendsTheFileToItsEnd()
    {
        byte[] content = Write("file.bin", 200_000);
        await using Http2Host host = await StartAsync();
        using FrameClient client = await host.ConnectAsync((4, 1_000));
        await client.SendAsync(FrameClient.Request(1, "/file.bin"));
        Assert.Equal(Http2FrameType.Headers, (await client.ReadAsync())!.Type);
        Assert.Equal(1_000, (await client.ReadAsync())!.Payload.Length);
        Task stop = host.StopAsync();
        Assert.Equal(Http2FrameType.GoAway, (await client.ReadAsync())!.Type);
        await client.SendAsync((byte[])[.. FrameClient.Number(Http2FrameType.WindowUpdate, 1, 200_000), .. FrameClient.Number(Http2FrameType.WindowUpdate, 0, 200_000)]);
        Assert.Equal(content[1_000..], Body(await client.ReadStreamAsync(1)));
        client.Dispose();
        await stop;
    }

    /// <summary>Files that are left on disk come in pieces whose buffers are used again.</summary>
    [Fact]
    public async Task PiecesOfAFileOnDiskAreNotUsedAgainTooEarly()
    {
        byte[] content = Write("file.bin", 3_000_000);
        await using Http2Host host = await StartAsync(options: static options => options.MemoryBudget = 1_000_000);
        using HttpClient client = host.CreateClient();
        byte[][] all = await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => client.GetByteArrayAsync("/file.bin"))).Within(60.Seconds());
        Assert.All(all, got => Assert.True(content.AsSpan().SequenceEqual(got)));
    }

    [Theory]
    [InlineData(1, 300)]
    [InlineData(7, 5_000)]
    [InlineData(16_384, 100_000)]
    [InlineData(65_535, 100_000)]
    public async Task MemoryIsSentWithinTheWindowAndReleasedOnceAtItsEnd(int window, int length)
    {
        using Lease lease = new(length);
        await using Http2Host host = await Http2Host.StartAsync(lease.Write);
        using FrameClient client = await host.ConnectAsync((4, (uint)window));
        await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 0, 1_000_000));
        await client.SendAsync(FrameClient.Request(1));
        List<byte> body = [];
        while (true)
        {
            Frame frame = (await client.ReadAsync())!;
            body.AddRange(frame.Type == Http2FrameType.Data ? frame.Payload : []);
            if (frame.EndsStream)
            {
                break;
            }

            Assert.InRange(frame.Type == Http2FrameType.Data ? frame.Payload.Length : 0, 0, window);
            if (frame.Type == Http2FrameType.Data && body.Count % window == 0)
            {
                // What is left waits for the window.
                Assert.Equal(0, body.Count < length ? lease.Releases : 0);
                await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 1, (uint)window));
            }
        }

        Assert.Equal(lease.Bytes, body);
        await lease.Released.Within(30.Seconds());
        Assert.Equal(1, lease.Releases);
    }

    [Theory, AllValues]
    public async Task MemoryIsReleasedOnceWhereTheAnswerBreaksOff(bool isReset)
    {
        using Lease lease = new(100_000);
        await using Http2Host host = await Http2Host.StartAsync(context => context.Request.Path == "/" ? lease.Write(context) : Task.CompletedTask);
        using FrameClient client = await host.ConnectAsync((4, 30_000));
        await client.SendAsync(FrameClient.Request(1));
        Assert.Equal(Http2FrameType.Headers, (await client.ReadAsync())!.Type);
        Assert.Equal(16_384, (await client.ReadAsync())!.Payload.Length);
        Assert.Equal(0, lease.Releases);
        if (isReset)
        {
            await client.SendAsync(FrameClient.Number(Http2FrameType.RstStream, 1, 8));
            _ = await client.AskAsync(FrameClient.Request(3, "/other"));
        }
        else
        {
            client.Socket.LingerState = new(true, 0);
            client.Dispose();
        }

        await lease.Released.Within(30.Seconds());
        Assert.Equal(1, lease.Releases);
    }

    /// <summary>Nobody waits for a body: HEAD, a handler that fails before its answer began.</summary>
    [Theory, Each("HEAD", "GET")]
    public async Task MemoryThatIsNotSentIsReleasedOnce(string method)
    {
        using Lease lease = new(100_000);
        await using Http2Host host = await Http2Host.StartAsync(isEngine: true, async context =>
        {
            Assert.True(context.Features.Get<IBodyReferenceFeature>()!.TryWrite(context.Response.BodyWriter, lease.Bytes, lease));
            await (context.Request.Method == "GET" ? throw new InvalidOperationException("a fault of the handler") : Task.CompletedTask);
        }, expectsErrors: true);
        using FrameClient client = await host.ConnectAsync();
        Assert.DoesNotContain(await client.AskAsync(FrameClient.Request(1, method: method)), static frame => frame.Payload.Length > 0 && frame.Type == Http2FrameType.Data);
        await lease.Released.Within(30.Seconds());
        Assert.Equal(1, lease.Releases);
    }

    private Task<Http2Host> StartAsync(
        HttpProtocols protocols = HttpProtocols.Http2,
        Action<ListenOptions>? listen = null,
        Action<WebApplication>? before = null,
        Action<IoxideFilesOptions>? options = null)
        => Http2Host.StartAsync(new Http2Setup
        {
            Protocols = protocols,
            Listen = listen,
            Services = static services => services.AddIoxideFiles(),
            Map = app =>
            {
                before?.Invoke(app);
                app.UseRouting();
                app.MapIoxideFiles("/", _folder, files =>
                {
                    files.WatchForChanges = false;
                    options?.Invoke(files);
                });
            },
        });

    private byte[] Write(string name, int length)
    {
        byte[] content = RandomNumberGenerator.GetBytes(length);
        string fresh = Path.Join(_folder, $"{name}.tmp");
        File.WriteAllBytes(fresh, content);
        File.SetLastWriteTimeUtc(fresh, new DateTime(2024, 5, 6, 7, 8, 9, DateTimeKind.Utc).AddSeconds(length));
        File.Move(fresh, Path.Join(_folder, name), overwrite: true);
        return content;
    }

    private static IoxideFilesStatistics Statistics(Http2Host host) => host.Services.GetRequiredService<IoxideFiles>().GetStatistics()[0];

    private static byte[] Body(IEnumerable<Frame> frames)
        => [.. frames.Where(static frame => frame.Type == Http2FrameType.Data).SelectMany(static frame => frame.Payload)];

    /// <summary>Memory that is released, and overwritten then, so that a send that still refers to it shows.</summary>
    private sealed class Lease(int length) : IDisposable
    {
        private readonly byte[] _memory = GC.AllocateArray<byte>(length, pinned: true);
        private readonly TaskCompletionSource _released = Waits.Signal();
        private int _releases;

        internal byte[] Bytes { get; } = RandomNumberGenerator.GetBytes(length);

        internal int Releases => Volatile.Read(ref _releases);

        internal Task Released => _released.Task;

        internal Task Write(HttpContext context)
        {
            Bytes.CopyTo(_memory, 0);
            IBodyReferenceFeature feature = context.Features.Get<IBodyReferenceFeature>()!;
            Assert.True(feature.IsOfStream);
            Assert.True(feature.TryWrite(context.Response.BodyWriter, _memory, new Holder(this)));
            return Task.CompletedTask;
        }

        public void Dispose() => Release();

        private void Release()
        {
            Array.Clear(_memory);
            if (Interlocked.Increment(ref _releases) == 1)
            {
                _released.SetResult();
            }
        }

        private sealed class Holder(Lease lease) : IDisposable
        {
            public void Dispose() => lease.Release();
        }
    }
}
