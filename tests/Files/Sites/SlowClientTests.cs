using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Files.Tests;

/// <summary>Kestrel's <c>MinResponseDataRate</c> counts a file's bytes, though nobody copies them.</summary>
public class SlowClientTests
{
    // Kestrel allows none below a second. Its timer looks once a second, and counts one more.
    private static readonly TimeSpan s_grace = 1200.Milliseconds();

    private static readonly byte[] s_content = Payload.Of(24 * 1024 * 1024);

    public static TheoryData<Way, bool, bool> Files => new()
    {
        { Way.Sockets, false, false },
        { Way.Ring, false, false },
        { Way.Ring, true, false },
        { Way.Ring, false, true },
        { Way.Ring, true, true },
    };

    /// <summary>At the default rate the bytes in front of the client have hours: it rests for longer than the grace period.</summary>
    [Theory, MemberData(nameof(Files))]
    public async Task AClientThatRestsGetsTheRest(Way way, bool isOnDisk, bool isHttps)
    {
        using TestFolder folder = new TestFolder().With("large.bin", s_content);
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Way = way,
            Folder = folder.Path,
            Options = options => options.MemoryBudget = isOnDisk ? 0 : long.MaxValue,
            Kestrel = static kestrel => kestrel.Limits.MinResponseDataRate = new MinDataRate(240, s_grace),
            IsHttps = isHttps,
            IsTlsOnRing = isHttps,
            Protocols = HttpProtocols.Http1,
        });
        using Socket socket = await RawSocket.ConnectAsync(server.EndPoint, receiveBufferBytes: 4096);
        await using Stream stream = isHttps ? await RawConnection.ShakeHandsAsync(socket) : new NetworkStream(socket);
        await stream.WriteAsync("GET /large.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"u8.ToArray());
        await Task.Delay(4 * s_grace);

        using var answer = new MemoryStream();
        await stream.CopyToAsync(answer).Within(60.Seconds());
        byte[] all = answer.ToArray();
        int head = all.AsSpan().IndexOf("\r\n\r\n"u8) + 4;
        Payload.AssertSame(s_content, all[head..]);
    }

    /// <summary>The file would have two minutes as a whole.</summary>
    [Theory, AllValues]
    public async Task AClientThatReadsNothingIsCutOff(bool isOnDisk)
    {
        const long FileBytes = 120_000_000;
        using TestFolder folder = new();
        using (FileStream file = File.Create(folder["large.bin"]))
        {
            file.SetLength(FileBytes);
        }

        TaskCompletionSource<bool> isAborted = Waits.Signal<bool>();
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Folder = folder.Path,
            Options = options => options.MemoryBudget = isOnDisk ? 0 : long.MaxValue,
            Kestrel = static kestrel => kestrel.Limits.MinResponseDataRate = new MinDataRate(1_000_000, s_grace),
            Before = app => app.Use((HttpContext context, RequestDelegate next) =>
            {
                _ = context.RequestAborted.Register(() => isAborted.SetResult(true));
                return next(context);
            }),
        });
        using RawClient client = await server.ConnectAsync(receiveBufferBytes: 4096);
        await client.SendAsync(RawClient.Get("/large.bin"));
        _ = await isAborted.Task.Within(60.Seconds());
    }
}
