using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Files.Tests;

/// <summary>The folder is an endpoint like any other: it yields to better ones, and what it lacks falls through.</summary>
public class RoutingTests
{
    [Theory, Each(Way.Ring, Way.ShortCircuit)]
    public async Task WhatIsNotThereFallsThrough(Way way)
    {
        using TestFolder folder = new TestFolder().With("a.txt", "a");
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Way = way,
            Folder = folder.Path,
            Endpoints = static app => app.MapGet("/exact.txt", static () => "exact"),
            After = static context => context.Response.WriteAsync("behind"),
        });
        using RawClient client = await server.ConnectAsync();
        Assert.Equal("a", (await client.GetAsync("/a.txt")).Text);
        Assert.Equal("exact", (await client.GetAsync("/exact.txt")).Text);
        Assert.Equal("behind", (await client.GetAsync("/A.txt")).Text);
        Assert.Equal("behind", (await client.GetAsync("/b.txt")).Text);
        Assert.Equal("behind", (await client.AskAsync(RawClient.Request("POST /b.txt", "Content-Length: 0\r\n"))).Text);

        // All but the first: the folder was asked for what another endpoint had, too.
        Assert.Equal(4, server.Statistics.Misses);
    }

    [Theory, Each("POST", "PUT", "DELETE", "OPTIONS", "ODD")]
    public async Task OtherMethodsAreNotAllowed(string method)
    {
        using TestFolder folder = new TestFolder().With("a.txt", "a");
        await using FileServer server = await FileServer.StartAsync(Way.ShortCircuit, folder);
        using RawClient client = await server.ConnectAsync();
        RawResponse response = await client.AskAsync(RawClient.Request($"{method} /a.txt", "Content-Length: 0\r\n"));
        Assert.Equal((405, "GET, HEAD"), (response.Status, response.Headers["Allow"]));
    }

    [Theory]
    [InlineData("/", "")]
    [InlineData("/assets", "/assets")]
    [InlineData("/deep/assets/", "/deep/assets")]
    public async Task FoldersAreRedirectedToTheirSlash(string prefix, string start)
    {
        using TestFolder folder = new TestFolder().With("docs/index.html", "docs").With("index.html", "root");
        foreach (Way way in new[] { Way.Ring, Way.ShortCircuit })
        {
            await using FileServer server = await FileServer.StartAsync(new FileServerSetup { Way = way, Folder = folder.Path, Prefix = prefix });
            using RawClient client = await server.ConnectAsync();
            RawResponse redirect = await client.GetAsync($"{start}/docs?a=b");
            Assert.Equal((301, $"{start}/docs/?a=b"), (redirect.Status, redirect.Headers["Location"]));
            Assert.Equal("docs", (await client.GetAsync($"{start}/docs/")).Text);
            Assert.Equal("root", (await client.GetAsync($"{start}/")).Text);
            Assert.Equal("root", (await client.GetAsync($"{start}/index.html?query")).Text);
            if (start.Length > 0)
            {
                Assert.Equal(301, (await client.GetAsync(start)).Status);
                Assert.Equal(404, (await client.GetAsync("/docs/")).Status);
                Assert.Equal(404, (await client.GetAsync($"{start}x/docs/")).Status);
            }
        }
    }

    [Fact]
    public async Task ARedirectStaysBelowThePathBase()
    {
        using TestFolder folder = new TestFolder().With("docs/index.html", "docs");
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Way = Way.ShortCircuit,
            Folder = folder.Path,
            BeforeRouting = static app => app.UsePathBase("/base"),
        });
        using RawClient client = await server.ConnectAsync();
        Assert.Equal("/base/docs/?a=b", (await client.GetAsync("/base/docs?a=b")).Headers["Location"]);
        Assert.Equal("docs", (await client.GetAsync("/base/docs/")).Text);
        Assert.Equal("/docs/", (await client.GetAsync("/docs")).Headers["Location"]);
    }

    [Fact]
    public async Task ARedirectNeverLeadsToAnotherHost()
    {
        using TestFolder folder = new TestFolder().With("a/b/index.html", "x");
        await using FileServer server = await FileServer.StartAsync(Way.ShortCircuit, folder);
        using RawClient client = await server.ConnectAsync();
        foreach (string path in new[] { "//a/b", "///a/b", "/%2fa/b", "//evil.example/a/b", "/\\a/b" })
        {
            RawResponse response = await client.GetAsync(path);
            Assert.True(response.Status is 400 or 404, $"{path}: {response.Status}");
        }

        Assert.Equal("/a/b/", (await client.GetAsync("/a/b")).Headers["Location"]);
    }

    [Fact]
    public async Task TheFallbackFileAnswersPathsOfTheBrowsersRoutes()
    {
        using TestFolder folder = new TestFolder().With("app.html", "app").With("a.txt", "a");
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Way = Way.ShortCircuit,
            Folder = folder.Path,
            Options = static options => options.FallbackFile = "app.html",
            Endpoints = static app => app.MapGet("/api/{id}", static (string id) => $"api {id}"),
        });
        using RawClient client = await server.ConnectAsync();
        Assert.Equal("app", (await client.GetAsync("/")).Text);
        Assert.Equal("app", (await client.GetAsync("/users/5")).Text);
        Assert.Equal("api 5", (await client.GetAsync("/api/5")).Text);
        Assert.Equal("a", (await client.GetAsync("/a.txt")).Text);
        Assert.Equal(404, (await client.GetAsync("/missing.css")).Status);
        Assert.Equal(404, (await client.AskAsync(RawClient.Request("POST /users/5", "Content-Length: 0\r\n"))).Status);
    }

    [Fact]
    public async Task AGroupsPrefixCounts()
    {
        using TestFolder folder = new TestFolder().With("a.txt", "a");
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Way = Way.ShortCircuit,
            Endpoints = app => app.MapGroup("/one").MapGroup("/two").MapIoxideFiles("/three", folder.Path),
        });
        using RawClient client = await server.ConnectAsync();
        Assert.Equal("a", (await client.GetAsync("/one/two/three/a.txt")).Text);
        Assert.Equal("a", (await client.GetAsync("/ONE/two/three/a.txt")).Text);
        Assert.Equal(404, (await client.GetAsync("/three/a.txt")).Status);
    }

    [Fact]
    public async Task OptionsShowInTheFields()
    {
        using TestFolder folder = new TestFolder().With("app.1a2b3c.js", "x").With("app.js", "y");
        foreach (Way way in Enum.GetValues<Way>())
        {
            await using FileServer server = await FileServer.StartAsync(way, folder, static options =>
            {
                options.CacheControl = "max-age=60";
                options.IsImmutable = static path => path.Contains(".1a2b3c.", StringComparison.Ordinal);
                options.Headers["X-Content-Type-Options"] = "nosniff";
            });
            using RawClient client = await server.ConnectAsync();
            RawResponse immutable = await client.GetAsync("/app.1a2b3c.js");
            RawResponse other = await client.GetAsync("/app.js");
            Assert.Equal("max-age=31536000, immutable", immutable.Headers["Cache-Control"]);
            Assert.Equal(("max-age=60", "nosniff"), (other.Headers["Cache-Control"], other.Headers["X-Content-Type-Options"]));
        }
    }

    [Fact]
    public async Task WhetherAFileNeverChangesIsAskedByItsWholePath()
    {
        using TestFolder folder = new TestFolder().With("a.js", "x").With("static/a.js", "y");
        await using FileServer server = await FileServer.StartAsync(
            Way.Ring, folder, static options => options.IsImmutable = static path => path == "static/a.js");
        using RawClient client = await server.ConnectAsync();
        Assert.Equal("max-age=31536000, immutable", (await client.GetAsync("/static/a.js")).Headers["Cache-Control"]);
        Assert.DoesNotContain("immutable", (await client.GetAsync("/a.js")).Headers.GetValueOrDefault("Cache-Control", ""), StringComparison.Ordinal);
    }

    [Fact]
    public async Task AMiddlewareThatCompressesGetsTheBodyAndNotTheMemory()
    {
        byte[] text = [.. Enumerable.Range(0, 100_000).Select(static index => (byte)('a' + (index % 7)))];
        using TestFolder folder = new TestFolder().With("a.txt", text);
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Folder = folder.Path,
            Services = static services => services.AddResponseCompression(),
            Before = static app => app.UseResponseCompression(),
        });
        using RawClient client = await server.ConnectAsync();
        for (int round = 0; round < 2; round++)
        {
            RawResponse coded = await client.GetAsync("/a.txt", "Accept-Encoding: gzip\r\n");
            Assert.Equal("gzip", coded.Headers["Content-Encoding"]);
            using var decoded = new MemoryStream();
            using (var gzip = new System.IO.Compression.GZipStream(new MemoryStream(coded.Body), System.IO.Compression.CompressionMode.Decompress))
            {
                await gzip.CopyToAsync(decoded);
            }

            Payload.AssertSame(text, decoded.ToArray());
            Payload.AssertSame(text, (await client.GetAsync("/a.txt")).Body);
        }

        Assert.Equal(2, server.Statistics.ByReference);
    }

    [Fact]
    public async Task AFolderThatIsNotThereFailsTheStart()
    {
        using TestFolder folder = new();
        await Assert.ThrowsAnyAsync<DirectoryNotFoundException>(() => FileServer.StartAsync(new FileServerSetup { Folder = folder["missing"] }));
    }
}
