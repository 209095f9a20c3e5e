using System.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.Win32.SafeHandles;

namespace Ioxide.Files.Tests;

/// <summary>Files over the budget are read piece by piece: whole, in ranges, with bounded memory, never of two versions.</summary>
public class LargeFileTests
{
    private const int LengthBytes = 20 * 1024 * 1024;

    private static readonly byte[] s_content = Payload.Of(LengthBytes);

    [Fact]
    public async Task AFileOverTheBudgetArrivesWholeAndInRanges()
    {
        using TestFolder folder = new TestFolder().With("large.bin", s_content).With("small.txt", "small");
        foreach (Way way in Enum.GetValues<Way>())
        {
            await using FileServer server = await StartAsync(way, folder);
            using RawClient client = await server.ConnectAsync();
            RawResponse whole = await client.GetAsync("/large.bin");
            Payload.AssertSame(s_content, whole.Body);
            RawResponse part = await client.GetAsync("/large.bin", $"Range: bytes=5000000-5999999\r\nIf-Range: {whole.Headers["ETag"]}\r\n");
            Assert.Equal(206, part.Status);
            Payload.AssertSame(s_content[5_000_000..6_000_000], part.Body);
            RawResponse parts = await client.GetAsync("/large.bin", "Range: bytes=0-9,19000000-19999999\r\n");
            Assert.Equal(206, parts.Status);
            Assert.True(parts.Body.AsSpan().IndexOf(s_content.AsSpan(19_000_000, 1_000_000)) > 0);
            Assert.Equal(304, (await client.GetAsync("/large.bin", $"If-None-Match: {whole.Headers["ETag"]}\r\n")).Status);
            Assert.Equal($"{LengthBytes}", (await client.AskAsync(RawClient.Request("HEAD /large.bin"))).Headers["Content-Length"]);
            Assert.Equal("small", (await client.GetAsync("/small.txt")).Text);
            Assert.Equal(1, server.Statistics.DiskFileCount);
        }
    }

    [Fact]
    public async Task AFileOverTheBudgetHasNoMoreRangesThanAllowed()
    {
        using TestFolder folder = new TestFolder().With("large.bin", Payload.Of(100_000));
        await using FileServer server = await FileServer.StartAsync(Way.Ring, folder, static options =>
        {
            options.MemoryBudget = 0;
            options.MaxRanges = 2;
        });
        using RawClient client = await server.ConnectAsync();
        Assert.Equal(206, (await client.GetAsync("/large.bin", "Range: bytes=0-9,20-29\r\n")).Status);
        Assert.Equal(200, (await client.GetAsync("/large.bin", "Range: bytes=0-9,20-29,40-49\r\n")).Status);
    }

    [Theory]
    [InlineData("2.0", false)]
    [InlineData("1.1", true)]
    [InlineData("2.0", true)]
    public async Task AFileOverTheBudgetArrivesWholeOverOtherProtocols(string version, bool isHttps)
    {
        using TestFolder folder = new TestFolder().With("large.bin", s_content);
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Way = Way.ShortCircuit,
            Folder = folder.Path,
            IsHttps = isHttps,
            Protocols = isHttps ? null : Microsoft.AspNetCore.Server.Kestrel.Core.HttpProtocols.Http2,
            Options = static options => options.MemoryBudget = 0,
        });
        using HttpClient client = server.CreateClient(Version.Parse(version));
        Payload.AssertSame(s_content, await client.GetByteArrayAsync(new Uri("/large.bin", UriKind.Relative)));
    }

    [Theory, AllValues]
    public async Task AFileThatShrinksOrIsWrittenWhileItIsSentEndsTheConnection(bool shrinks)
    {
        using TestFolder folder = new TestFolder().With("large.bin", s_content);
        await using FileServer server = await StartAsync(Way.Ring, folder);
        using RawClient client = await server.ConnectAsync(receiveBufferBytes: 4096);
        await client.SendAsync(RawClient.Get("/large.bin"));
        byte[] begin = await client.ReadExactlyAsync(4096);
        Assert.StartsWith("HTTP/1.1 200 OK", System.Text.Encoding.Latin1.GetString(begin), StringComparison.Ordinal);
        using (FileStream file = File.OpenWrite(folder["large.bin"]))
        {
            if (shrinks)
            {
                file.SetLength(1000);
            }
            else
            {
                await file.WriteAsync(new byte[LengthBytes]);
            }
        }

        await AssertEndsEarlyWithRightBytesAsync(client, begin);
    }

    [Fact]
    public async Task AFileThatIsReplacedWhileItIsSentIsSentAsItWas()
    {
        using TestFolder folder = new TestFolder().With("large.bin", s_content);
        await using FileServer server = await StartAsync(Way.Ring, folder);
        using RawClient client = await server.ConnectAsync(receiveBufferBytes: 4096);
        await client.SendAsync(RawClient.Get("/large.bin"));
        await client.ReadHeadAsync();

        folder.Replace("large.bin", new byte[LengthBytes]);
        Payload.AssertSame(s_content, await client.ReadExactlyAsync(LengthBytes));

        // And whoever asks now gets the new one, though the folder was not read anew.
        Payload.AssertSame(new byte[LengthBytes], (await client.GetAsync("/large.bin")).Body);
    }

    [Fact]
    public async Task AFileThatVanishedIsNotFound()
    {
        using TestFolder folder = new TestFolder().With("large.bin", s_content);
        await using FileServer server = await StartAsync(Way.ShortCircuit, folder);
        File.Delete(folder["large.bin"]);
        using RawClient client = await server.ConnectAsync();
        Assert.Equal(404, (await client.GetAsync("/large.bin")).Status);
    }

    /// <summary>Readers that take a little each: what is held for them are pieces, not files.</summary>
    [Theory, Each(0, long.MaxValue)]
    public async Task SlowReadersOfManyBytesNeedLittleMemory(long budget)
    {
        const int Readers = 40;
        const long FileBytes = 300L * 1024 * 1024;
        using TestFolder folder = new();
        using (FileStream file = File.Create(folder["huge.bin"]))
        {
            file.SetLength(FileBytes);
        }

        await using FileServer server = await FileServer.StartAsync(Way.Ring, folder, options => options.MemoryBudget = budget);
        RawClient[] clients = await Task.WhenAll(Enumerable.Range(0, Readers).Select(_ => server.ConnectAsync(receiveBufferBytes: 4096)));
        long before = Resident();
        await Task.WhenAll(clients.Select(static async client =>
        {
            await client.SendAsync(RawClient.Get("/huge.bin"));
            await client.ReadExactlyAsync(256 * 1024);
        }));
        long held = Resident() - before;
        foreach (RawClient client in clients)
        {
            client.Reset();
        }

        Assert.InRange(held, long.MinValue, 64 * 1024 * 1024);
        using RawClient other = await server.ConnectAsync();
        Assert.Equal("bytes 0-0/" + FileBytes, (await other.GetAsync("/huge.bin", "Range: bytes=0-0\r\n")).Headers["Content-Range"]);
    }

    [Fact]
    public async Task AResetInMidBodyLeavesTheServerWell()
    {
        using TestFolder folder = new TestFolder().With("large.bin", s_content);
        foreach (long budget in new[] { 0, long.MaxValue })
        {
            foreach (Way way in Enum.GetValues<Way>())
            {
                await using FileServer server = await FileServer.StartAsync(way, folder, options => options.MemoryBudget = budget);
                for (int round = 0; round < 20; round++)
                {
                    RawClient client = await server.ConnectAsync(receiveBufferBytes: 4096);
                    await client.SendAsync(RawClient.Get("/large.bin") + RawClient.Get("/large.bin"));
                    await client.ReadExactlyAsync(1 + (round * 10_000));
                    client.Reset();
                }

                using RawClient other = await server.ConnectAsync();
                Payload.AssertSame(s_content, (await other.GetAsync("/large.bin")).Body);
            }
        }
    }

    /// <summary>The kernel may still write to it, into what would be another answer.</summary>
    [Fact]
    public async Task APieceWhoseReadTheRingDidNotEndIsNotUsedAgain()
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, "There is no io_uring.");
        FailingKernel kernel = new();
        await using ReactorGroup group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 1, PlayedKernel = kernel });
        using TestFolder folder = new TestFolder().With("a.bin", Payload.Of(1000));
        using SafeFileHandle handle = File.OpenHandle(folder["a.bin"]);
        Assert.True(FileRoot.TryDescribe(handle, out FileStatus status));
        using OpenFile file = new(handle, FileVersion.Of(status), group.Reactors[0]);

        // One alone is in the pool.
        PieceBuffer[] others = [.. Enumerable.Range(0, 100).Select(static _ => PieceBuffer.Rent())];
        PieceBuffer free = PieceBuffer.Rent();
        free.Dispose();
        kernel.HasFailed = true;

        // The site would log that the file has changed.
        await Assert.ThrowsAsync<ObjectDisposedException>(() => DiskBody.WriteAsync(
            new DefaultHttpContext(), null!, new FileDecision(FileOutcome.Whole, null, new ByteRange(0, 1000)), file).Within(20.Seconds()));

        Assert.NotSame(free, PieceBuffer.Rent());
        Array.ForEach(others, static piece => piece.Dispose());
    }

    private static Task<FileServer> StartAsync(Way way, TestFolder folder)
        => FileServer.StartAsync(way, folder, static options => options.MemoryBudget = 1024);

    /// <summary>What came is a beginning of the old content, shorter than was promised.</summary>
    private static async Task AssertEndsEarlyWithRightBytesAsync(RawClient client, byte[] begin)
    {
        using MemoryStream all = new();
        all.Write(begin);
        all.Write((await client.ReadToEndAsync()).Bytes);
        byte[] bytes = all.ToArray();
        int head = bytes.AsSpan().IndexOf("\r\n\r\n"u8) + 4;
        Assert.InRange(bytes.Length - head, 0, LengthBytes - 1);
        Payload.AssertSame(s_content[..(bytes.Length - head)], bytes[head..]);
    }

    private static long Resident()
    {
        GC.Collect();
        using Process process = Process.GetCurrentProcess();
        return process.WorkingSet64;
    }

    /// <summary>Linux, until its rings can no longer be entered.</summary>
    private sealed unsafe class FailingKernel : Kernel
    {
        private volatile bool _hasFailed;

        internal bool HasFailed
        {
            set => _hasFailed = value;
        }

        internal override int RingEnter(int fd, uint toSubmit, uint minComplete, EnterFlags flags, void* argument, nuint argumentSize)
            => _hasFailed ? -Errno.EBADF : base.RingEnter(fd, toSubmit, minComplete, flags, argument, argumentSize);
    }
}
