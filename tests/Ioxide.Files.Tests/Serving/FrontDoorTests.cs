using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Files.Tests;

/// <summary>
/// The front door answers in order with everything that the server answers, wherever the network cuts the stream, and leaves to
/// the pipeline what the pipeline would not give to the files.
/// </summary>
public class FrontDoorTests
{
    private static readonly byte[] s_small = Payload.Of(700);
    private static readonly byte[] s_large = Payload.Of(40_000);

    /// <summary>Files at the door, files of the pipeline, dynamic answers, bodies, a miss.</summary>
    private static readonly byte[] s_mixture = Encoding.ASCII.GetBytes(
        RawClient.Get("/small.txt")
        + RawClient.Get("/dynamic/1")
        + RawClient.Get("/large.bin", "Range: bytes=5-9\r\n")
        + "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 41\r\n\r\nGET /small.txt HTTP/1.1\r\nHost: forged\r\n\r\n"
        + RawClient.Get("/small.txt", "Range: bytes=0-0,2-2\r\n")
        + RawClient.Get("/large.bin")
        + RawClient.Get("/nothing")
        + RawClient.Get("/dynamic/2")
        + RawClient.Get("/small.txt"));

    [Fact]
    public async Task AnswersAMixtureInOrderWhereverItIsCut()
    {
        using TestFolder folder = MakeFolder();
        foreach (Door door in new[] { Door.Front, Door.SocketsFront, Door.Pipeline })
        {
            await using FileServer server = await StartAsync(door, folder);
            using RawClient client = await server.ConnectAsync();
            for (int cut = 0; cut < s_mixture.Length; cut++)
            {
                await client.SendAsync(s_mixture.AsMemory(0, cut));
                await client.SendAsync(s_mixture.AsMemory(cut));
                await AssertMixtureAsync(client);
            }

            Assert.Equal(door == Door.Pipeline, server.Statistics.AtFrontDoor == 0);
        }
    }

    [Fact]
    public async Task AnswersAMixtureThatComesByteByByte()
    {
        using TestFolder folder = MakeFolder();
        await using FileServer server = await StartAsync(Door.Front, folder);
        using RawClient client = await server.ConnectAsync();
        for (int round = 0; round < 3; round++)
        {
            for (int index = 0; index < s_mixture.Length; index++)
            {
                await client.SendAsync(s_mixture.AsMemory(index, 1));
            }

            await AssertMixtureAsync(client);
        }
    }

    [Fact]
    public async Task AnswersManyRequestsOfOneWriteAtTheDoor()
    {
        using TestFolder folder = MakeFolder();
        await using FileServer server = await StartAsync(Door.Front, folder);
        using RawClient client = await server.ConnectAsync();
        const int Count = 2000;
        Task sending = client.SendAsync(string.Concat(Enumerable.Range(0, Count).Select(
            index => RawClient.Get(index % 2 == 0 ? "/small.txt" : "/large.bin"))));
        for (int index = 0; index < Count; index++)
        {
            Payload.AssertSame(index % 2 == 0 ? s_small : s_large, (await client.ReadResponseAsync()).Body);
        }

        await sending;

        // Requests that lie across two reads have a head in pieces, which is the server's.
        Assert.InRange(server.Statistics.AtFrontDoor, Count / 2, Count);
    }

    [Fact]
    public async Task TheDoorOpensAgainBehindARequestOfTheServers()
    {
        using TestFolder folder = MakeFolder();
        await using FileServer server = await StartAsync(Door.Front, folder);
        using RawClient client = await server.ConnectAsync();
        for (int round = 1; round <= 5; round++)
        {
            Assert.Equal("/dynamic/1", (await client.GetAsync("/dynamic/1")).Text);
            await client.SendAsync("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello");
            Assert.Equal("hello", (await client.ReadResponseAsync()).Text);
            Payload.AssertSame(s_small, (await client.GetAsync("/small.txt")).Body);
            Assert.Equal(round, server.Statistics.AtFrontDoor);
        }
    }

    [Fact]
    public async Task TheDoorStaysShutBehindABodyThatOnlyTheServerCanBound()
    {
        using TestFolder folder = MakeFolder();
        await using FileServer server = await StartAsync(Door.Front, folder);
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(
            "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "2b\r\nGET /small.txt HTTP/1.1\r\nHost: forged\r\n\r\nab\r\n0\r\n\r\n"
            + RawClient.Get("/small.txt"));

        Assert.Equal(43, (await client.ReadResponseAsync()).Body.Length);
        Payload.AssertSame(s_small, (await client.ReadResponseAsync()).Body);
        Assert.Equal((1, 0), (server.Statistics.Hits, server.Statistics.AtFrontDoor));
    }

    [Theory]
    [InlineData("Connection: close\r\n")]
    [InlineData("Expect: 100-continue\r\nContent-Length: 0\r\n")]
    public async Task UnusualRequestsAreTheServers(string headers)
    {
        using TestFolder folder = MakeFolder();
        await using FileServer server = await StartAsync(Door.Front, folder);
        using RawClient client = await server.ConnectAsync();
        Payload.AssertSame(s_small, (await client.GetAsync("/small.txt", headers)).Body);
        Assert.Equal((1, 0), (server.Statistics.Hits, server.Statistics.AtFrontDoor));
    }

    [Fact]
    public async Task WhatAnotherEndpointWinsIsNotAnsweredAtTheDoor()
    {
        using TestFolder folder = MakeFolder().With("index.html", "file").With("dynamic/a.txt", "file").With("shop/a.txt", "file")
            .With("Known.txt", "file");
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Door = Door.Front,
            Folder = folder.Path,
            Endpoints = static app =>
            {
                app.MapGet("/", static () => "endpoint");
                app.MapGet("/dynamic/{id}", static (string id) => "endpoint");
                app.MapGet("/known.txt", static () => "endpoint");
            },
        });
        using RawClient client = await server.ConnectAsync();
        foreach ((string path, string expected) in new[]
        {
            ("/", "endpoint"), ("/dynamic/a.txt", "endpoint"), ("/Known.txt", "endpoint"), ("/shop/a.txt", "file"),
        })
        {
            Assert.Equal((path, expected), (path, (await client.GetAsync(path)).Text));
        }

        Assert.Equal(1, server.Statistics.AtFrontDoor);
    }

    [Fact]
    public async Task AFolderWhoseEndpointAsksForMoreIsLeftToThePipeline()
    {
        using TestFolder folder = MakeFolder();
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Door = Door.Front,
            Folder = folder.Path,
            Conventions = static files => files.WithMetadata(new Secret()),
            Before = static app => app.Use(static (context, next) =>
            {
                if (context.GetEndpoint()?.Metadata.GetMetadata<Secret>() is not null)
                {
                    context.Response.StatusCode = StatusCodes.Status401Unauthorized;
                    return Task.CompletedTask;
                }

                return next(context);
            }),
        });
        using RawClient client = await server.ConnectAsync();

        Assert.Equal(401, (await client.GetAsync("/small.txt")).Status);
        Assert.Equal(0, server.Statistics.AtFrontDoor);
        Assert.Contains(server.Logs, static line => line.Event.Name == "DoorClosed" && line.Message.Contains(nameof(Secret), StringComparison.Ordinal));
    }

    private static TestFolder MakeFolder() => new TestFolder().With("small.txt", s_small).With("large.bin", s_large);

    private static Task<FileServer> StartAsync(Door door, TestFolder folder) => FileServer.StartAsync(new FileServerSetup
    {
        Door = door,
        Folder = folder.Path,
        After = static async context =>
        {
            if (context.Request.Path == "/nothing")
            {
                context.Response.StatusCode = StatusCodes.Status404NotFound;
                context.Response.ContentLength = 0;
                return;
            }

            await Task.Yield();
            using MemoryStream body = new();
            await context.Request.Body.CopyToAsync(body);
            byte[] answer = body.Length > 0 ? body.ToArray() : Encoding.ASCII.GetBytes(context.Request.Path.Value!);
            context.Response.ContentLength = answer.Length;
            await context.Response.Body.WriteAsync(answer);
        },
    });

    private static async Task AssertMixtureAsync(RawClient client)
    {
        Payload.AssertSame(s_small, (await client.ReadResponseAsync()).Body);
        Assert.Equal("/dynamic/1", (await client.ReadResponseAsync()).Text);
        Payload.AssertSame(s_large[5..10], (await client.ReadResponseAsync()).Body);
        Assert.Equal("GET /small.txt HTTP/1.1\r\nHost: forged\r\n\r\n", (await client.ReadResponseAsync()).Text);
        Assert.Equal(206, (await client.ReadResponseAsync()).Status);
        Payload.AssertSame(s_large, (await client.ReadResponseAsync()).Body);
        Assert.Equal(404, (await client.ReadResponseAsync()).Status);
        Assert.Equal("/dynamic/2", (await client.ReadResponseAsync()).Text);
        Payload.AssertSame(s_small, (await client.ReadResponseAsync()).Body);
    }

    /// <summary>Metadata that a middleware acts on.</summary>
    private sealed class Secret;
}
