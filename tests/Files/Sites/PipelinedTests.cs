using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Files.Tests;

/// <summary>Files are answered in order with everything else that the server answers, wherever the network cuts the stream.</summary>
public class PipelinedTests
{
    private static readonly byte[] s_small = Payload.Of(700);
    private static readonly byte[] s_large = Payload.Of(40_000);

    /// <summary>Files, parts of files, dynamic answers, bodies, a miss.</summary>
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
        foreach (Way way in Enum.GetValues<Way>())
        {
            await using FileServer server = await StartAsync(way, folder);
            using RawClient client = await server.ConnectAsync();
            for (int cut = 0; cut < s_mixture.Length; cut++)
            {
                await client.SendAsync(s_mixture.AsMemory(0, cut));
                await client.SendAsync(s_mixture.AsMemory(cut));
                await AssertMixtureAsync(client);
            }
        }
    }

    [Fact]
    public async Task AnswersAMixtureThatComesByteByByte()
    {
        using TestFolder folder = MakeFolder();
        await using FileServer server = await StartAsync(Way.ShortCircuit, folder);
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
    public async Task AnswersManyRequestsOfOneWrite()
    {
        using TestFolder folder = MakeFolder();
        await using FileServer server = await StartAsync(Way.ShortCircuit, folder);
        using RawClient client = await server.ConnectAsync();
        const int Count = 2000;
        Task sending = client.SendAsync(string.Concat(Enumerable.Range(0, Count).Select(
            index => RawClient.Get(index % 2 == 0 ? "/small.txt" : "/large.bin"))));
        for (int index = 0; index < Count; index++)
        {
            Payload.AssertSame(index % 2 == 0 ? s_small : s_large, (await client.ReadResponseAsync()).Body);
        }

        await sending;
    }

    private static TestFolder MakeFolder() => new TestFolder().With("small.txt", s_small).With("large.bin", s_large);

    private static Task<FileServer> StartAsync(Way way, TestFolder folder) => FileServer.StartAsync(new FileServerSetup
    {
        Way = way,
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
}
