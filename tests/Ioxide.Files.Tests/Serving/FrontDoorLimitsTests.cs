using System.Globalization;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Files.Tests;

/// <summary>What the server's options and timeouts say holds at the front door too, as it holds over sockets without one.</summary>
public class FrontDoorLimitsTests
{
    private static readonly byte[] s_content = Payload.Of(700);

    /// <summary>The request, the server's answer, and whether the door gives it; null where that depends on how the head arrives.</summary>
    public static TheoryData<string, int, bool?> Requests => new()
    {
        { Get("Host: localhost"), 200, true },
        { Get("Host: h:h"), 400, false },
        { Get("Host: h:"), 400, false },
        { Get("Host: :80"), 400, false },
        { Get("Host: [::1"), 400, false },
        { Get("Host: a", "Host: a"), 400, false },
        { Get("Host:"), 200, false },
        { Get("Host: a", "X: \u00e9"), 400, false },
        { Get("Host: a", "X: \u00c3\u00a9"), 200, false },
        { Get("Host: a", "X: \0"), 400, false },
        { Get([.. Enumerable.Repeat("X: y", 99).Prepend("Host: a")]), 200, true },
        { Get([.. Enumerable.Repeat("X: y", 100).Prepend("Host: a")]), 431, false },
        { Get([.. Enumerable.Repeat("X: y", 2000).Prepend("Host: a")]), 431, false },
        { Get("Host: a", $"X: {new string('x', 40_000)}"), 431, false },
        { $"GET /a.txt?{new string('q', 8_192 - 22)} HTTP/1.1\r\nHost: a\r\n\r\n", 200, null },
        { $"GET /a.txt?{new string('q', 8_192 - 21)} HTTP/1.1\r\nHost: a\r\n\r\n", 414, false },
    };

    [Theory]
    [MemberData(nameof(Requests))]
    public async Task WhatTheServerRefusesIsRefused(string request, int status, bool? isAtDoor)
    {
        using TestFolder folder = MakeFolder();
        foreach (Door door in new[] { Door.Sockets, Door.Front })
        {
            await using FileServer server = await FileServer.StartAsync(door, folder);
            using RawClient client = await server.ConnectAsync();
            await client.SendAsync(request);
            Assert.Equal((door, status), (door, (await client.ReadResponseAsync()).Status));
            if (isAtDoor is { } expected)
            {
                Assert.Equal(expected && door == Door.Front ? 1 : 0, server.Statistics.AtFrontDoor);
            }
        }
    }

    [Fact]
    public async Task SmallerLimitsOfTheHostHold()
    {
        using TestFolder folder = MakeFolder();
        await using FileServer server = await StartAsync(folder, static kestrel =>
        {
            kestrel.Limits.MaxRequestHeaderCount = 2;
            kestrel.Limits.MaxRequestHeadersTotalSize = 40;
            kestrel.Limits.MaxRequestLineSize = 30;
        });
        Assert.Equal(200, await AskAsync(server, Get("Host: a", "X: y")));
        Assert.Equal(431, await AskAsync(server, Get("Host: a", "X: y", "X: y")));
        Assert.Equal(431, await AskAsync(server, Get("Host: a", $"X: {new string('x', 30)}")));
        Assert.Equal(414, await AskAsync(server, "GET /a.txt?0123456789 HTTP/1.1\r\nHost: a\r\n\r\n"));
        Assert.Equal(1, server.Statistics.AtFrontDoor);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task ADoorNamesTheServerAsTheServerDoes(bool isNamed)
    {
        using TestFolder folder = MakeFolder();
        await using FileServer server = await StartAsync(folder, kestrel => kestrel.AddServerHeader = isNamed);
        using RawClient client = await server.ConnectAsync();
        foreach (string headers in new[] { "", "Range: bytes=0-1\r\n", "If-None-Match: *\r\n" })
        {
            Assert.Equal(isNamed ? "Kestrel" : null, (await client.GetAsync("/a.txt", headers)).Headers.GetValueOrDefault("Server"));
        }

        Assert.Equal(3, server.Statistics.AtFrontDoor);
    }

    [Fact]
    public async Task EncodingsOfTheApplicationShutTheDoor()
    {
        using TestFolder folder = MakeFolder();
        foreach (Action<KestrelServerOptions> encoding in new Action<KestrelServerOptions>[]
        {
            static kestrel => kestrel.RequestHeaderEncodingSelector = static _ => Encoding.Latin1,
            static kestrel => kestrel.ResponseHeaderEncodingSelector = static _ => Encoding.Latin1,
        })
        {
            await using FileServer server = await StartAsync(folder, encoding);
            Assert.Equal(200, await AskAsync(server, Get("Host: a")));
            Assert.Equal(0, server.Statistics.AtFrontDoor);
        }
    }

    [Fact]
    public async Task AConnectionIsIdleFromItsLastAnswerOn()
    {
        using TestFolder folder = MakeFolder();
        TimeSpan limit = 3.Seconds();
        await using FileServer server = await StartAsync(folder, kestrel => kestrel.Limits.KeepAliveTimeout = limit);
        using RawClient client = await server.ConnectAsync();
        long started = Environment.TickCount64;
        int count = 0;

        // Longer than the limit and a second of the server's clock.
        while (Environment.TickCount64 - started < 6_000)
        {
            Payload.AssertSame(s_content, (await client.GetAsync("/a.txt")).Body);
            count++;
        }

        // The server sees one in an eighth of its limit.
        Assert.InRange(server.Statistics.AtFrontDoor, count - 17, count);
        long lastAsked = Environment.TickCount64;
        Payload.AssertSame(s_content, (await client.GetAsync("/a.txt")).Body);
        Ended ended = await client.ReadToEndAsync();
        Assert.Equal((0, Ending.Fin), (ended.Bytes.Length, ended.Ending));
        Assert.InRange(Environment.TickCount64 - lastAsked, (long)limit.TotalMilliseconds, long.MaxValue);
    }

    [Fact]
    public async Task AClientThatTakesItsFilesTooSlowlyIsEnded()
    {
        using TestFolder folder = MakeFolder().With("large.bin", Payload.Of(32 * 1024 * 1024));
        TaskCompletionSource ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
        await using FileServer server = await StartAsync(folder, kestrel =>
        {
            kestrel.Limits.MinResponseDataRate = new MinDataRate(1e9, 2.Seconds());
            kestrel.Limits.KeepAliveTimeout = TimeSpan.FromHours(1);
            kestrel.ConfigureEndpointDefaults(listen => listen.Use(next => async connection =>
            {
                await next(connection);
                ended.SetResult();
            }));
        });
        using RawClient client = await server.ConnectAsync(receiveBufferBytes: 4096);
        await client.SendAsync(RawClient.Get("/large.bin") + RawClient.Get("/large.bin"));
        await ended.Task.Within(60.Seconds());
        Assert.InRange((await client.ReadToEndAsync()).Bytes.Length, 0, 32 * 1024 * 1024);
    }

    private static TestFolder MakeFolder() => new TestFolder().With("a.txt", s_content);

    private static string Get(params string[] fields) => $"GET /a.txt HTTP/1.1\r\n{string.Concat(fields.Select(static field => field + "\r\n"))}\r\n";

    private static Task<FileServer> StartAsync(TestFolder folder, Action<KestrelServerOptions> kestrel)
        => FileServer.StartAsync(new FileServerSetup { Door = Door.Front, Folder = folder.Path, Kestrel = kestrel });

    private static async Task<int> AskAsync(FileServer server, string request)
    {
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(request);
        return (await client.ReadResponseAsync()).Status;
    }
}
