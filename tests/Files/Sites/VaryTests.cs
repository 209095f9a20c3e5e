using Microsoft.AspNetCore.Builder;

namespace Ioxide.Files.Tests;

/// <summary>What the application says of how its answers vary stays beside what the files say.</summary>
public class VaryTests
{
    [Theory]
    [InlineData("", 200)]
    [InlineData("If-None-Match: *\r\n", 304)]
    [InlineData("If-Match: \"other\"\r\n", 412)]
    [InlineData("Range: bytes=5000-\r\n", 416)]
    [InlineData("Accept-Encoding: *;q=0\r\n", 406)]
    public async Task FilesKeepTheVaryOfTheApplication(string headers, int status)
    {
        using TestFolder folder = new TestFolder().With("a.css", Payload.Of(1000)).With("a.css.gz", Payload.Of(600));
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Way = Way.Ring,
            Folder = folder.Path,
            Before = static app => app.Use(static (context, next) =>
            {
                context.Response.Headers.Vary = "Origin";
                return next(context);
            }),
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/a.css", headers));
        RawHead head = await client.ReadHeadAsync();
        Assert.StartsWith($"HTTP/1.1 {status} ", head.FirstLine, StringComparison.Ordinal);
        Assert.Equal(["Origin", "Accept-Encoding"], VaryOf(head));
    }

    /// <summary>However the name is written.</summary>
    [Theory]
    [InlineData("", 200)]
    [InlineData("If-None-Match: *\r\n", 304)]
    [InlineData("If-Match: \"other\"\r\n", 412)]
    public async Task FilesKeepTheVaryOfTheirOptions(string headers, int status)
    {
        using TestFolder folder = new TestFolder().With("a.css", Payload.Of(1000)).With("a.css.gz", Payload.Of(600));
        await using FileServer server = await FileServer.StartAsync(Way.Ring, folder, static options => options.Headers["vary"] = "Origin");
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/a.css", headers));
        RawHead head = await client.ReadHeadAsync();
        Assert.StartsWith($"HTTP/1.1 {status} ", head.FirstLine, StringComparison.Ordinal);
        Assert.Equal(["Accept-Encoding", "Origin"], VaryOf(head));
    }

    private static IEnumerable<string> VaryOf(RawHead head)
        => head.Fields.Where(static field => field.Key == "Vary").SelectMany(static field => field.Value.Split(", "));
}
