using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Matching;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Files.Tests;

/// <summary>Who answers where a file and an endpoint of the application have the same path: the rule of docs/files.md, case by case.</summary>
public class PrecedenceTests
{
    [Theory, Each("/{**rest}", "/{*rest}", "/{name}", "/{name}.{extension}", "/a.txt", "/A.TXT", "/{name=a.txt}", "/{name:minlength(1)}")]
    public async Task AFileWinsOverAnyOtherEndPointOfItsOrder(string pattern)
    {
        using TestFolder folder = new TestFolder().With("a.txt", "file");
        foreach ((int order, string answer) in new[] { (0, "file"), (5, "file"), (-1, "endpoint") })
        {
            await using FileServer server = await StartAsync(folder, app => app.Map(pattern, Answer).WithOrder(order));
            using RawClient client = await server.ConnectAsync();
            Assert.Equal((order, answer), (order, (await client.GetAsync("/a.txt")).Text));
        }
    }

    [Fact]
    public async Task AnotherMethodGoesToTheApplicationAndIsOtherwiseRefused()
    {
        using TestFolder folder = new TestFolder().With("a.txt", "file").With("b.txt", "file").With("docs/index.html", "file");
        await using FileServer server = await StartAsync(folder, static app =>
        {
            app.MapPost("/{name}.txt", Answer);
            app.MapMethods("/b.txt", ["OPTIONS"], Answer);
        });
        using RawClient client = await server.ConnectAsync();
        foreach ((string method, string path, int status) in new[]
        {
            ("POST", "/a.txt", 200), ("PUT", "/a.txt", 405), ("OPTIONS", "/a.txt", 405), ("OPTIONS", "/b.txt", 200), ("OPTIONS", "/docs", 405),
            ("PUT", "/docs", 405), ("DELETE", "/docs/", 405), ("GET", "/docs", 301), ("PUT", "/missing.txt", 405), ("PUT", "/x/missing", 404),
        })
        {
            RawResponse response = await client.AskAsync(RawClient.Request($"{method} {path}", "Content-Length: 0\r\n"));
            Assert.Equal((method, path, status), (method, path, response.Status));
            if (status == 405)
            {
                Assert.Equal(path == "/missing.txt" ? "POST" : "GET, HEAD", response.Headers["Allow"]);
            }
        }
    }

    [Fact]
    public async Task APreflightRequestIsTheFilesWhereTheyHaveACorsPolicy()
    {
        using TestFolder folder = new TestFolder().With("a.txt", "file");
        foreach (bool hasPolicy in new[] { true, false })
        {
            await using FileServer server = await FileServer.StartAsync(new FileServerSetup
            {
                Folder = folder.Path,
                Services = static services => services.AddCors(static cors => cors.AddPolicy("policy", static policy => policy.AllowAnyOrigin())),
                Before = static app => app.UseCors(),
                Conventions = files => _ = hasPolicy ? files.RequireCors("policy") : files,
                Endpoints = static app => app.MapMethods("/{name}", ["OPTIONS"], Answer),
            });
            using RawClient client = await server.ConnectAsync();
            RawResponse response = await client.AskAsync(
                RawClient.Request("OPTIONS /a.txt", "Origin: http://other\r\nAccess-Control-Request-Method: GET\r\n"));
            Assert.Equal(hasPolicy ? (204, "*") : (200, null), (response.Status, response.Headers.GetValueOrDefault("Access-Control-Allow-Origin")));

            // The files have no answer to the method that it asks for.
            response = await client.AskAsync(RawClient.Request("OPTIONS /a.txt", "Origin: http://other\r\nAccess-Control-Request-Method: PUT\r\n"));
            Assert.Equal((200, null), (response.Status, response.Headers.GetValueOrDefault("Access-Control-Allow-Origin")));
        }
    }

    /// <summary>Where a policy of the application asks for all endpoints, it chooses per request.</summary>
    [Fact]
    public async Task APolicyOfTheApplicationMayTakeARequestFromAFile()
    {
        using TestFolder folder = new TestFolder().With("a.txt", "file");
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Folder = folder.Path,
            Services = static services => services.AddSingleton<MatcherPolicy, RefusingPolicy>(),
            Endpoints = static app => app.Map("/{**rest}", Answer),
        });
        using RawClient client = await server.ConnectAsync();
        Assert.Equal("file", (await client.GetAsync("/a.txt")).Text);
        Assert.Equal("endpoint", (await client.GetAsync("/a.txt", "X-Refuse: yes\r\n")).Text);
        Assert.Equal("endpoint", (await client.GetAsync("/missing.txt")).Text);
    }

    [Fact]
    public async Task FoldersOfOnePrefixAreToldApartByTheirHosts()
    {
        using TestFolder one = new TestFolder().With("a.txt", "one").With("b.txt", "one").With("page.html", "page of one");
        using TestFolder two = new TestFolder().With("a.txt", "two").With("c.txt", "two").With("page.html", "page of two");
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Endpoints = app =>
            {
                app.MapIoxideFiles("/", one.Path, Configure).RequireHost("one.example");
                app.MapIoxideFiles("/", two.Path, Configure).RequireHost("two.example");
            },
        });
        using RawClient client = await server.ConnectAsync();
        foreach ((string host, string path, string answer) in new[]
        {
            ("one.example", "/a.txt", "one"), ("two.example", "/a.txt", "two"), ("one.example", "/b.txt", "one"), ("two.example", "/b.txt", ""),
            ("one.example", "/c.txt", ""), ("two.example", "/c.txt", "two"), ("other.example", "/a.txt", ""),
            ("one.example", "/route", "page of one"), ("two.example", "/route", "page of two"), ("other.example", "/route", ""),
        })
        {
            Assert.Equal((host, path, answer), (host, path, (await client.AskAsync($"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n")).Text));
        }

        static void Configure(IoxideFilesOptions options)
        {
            options.WatchForChanges = false;
            options.FallbackFile = "page.html";
        }
    }

    [Fact]
    public async Task AFallbackFileComesAfterTheApplicationsFallback()
    {
        using TestFolder folder = new TestFolder().With("page.html", "page");
        foreach (bool hasFallback in new[] { true, false })
        {
            await using FileServer server = await FileServer.StartAsync(new FileServerSetup
            {
                Folder = folder.Path,
                Options = static options => options.FallbackFile = "page.html",
                Endpoints = app => _ = hasFallback ? app.MapFallback(Answer) : null,
            });
            using RawClient client = await server.ConnectAsync();
            Assert.Equal(hasFallback ? "endpoint" : "page", (await client.GetAsync("/route")).Text);
        }
    }

    private static Task<FileServer> StartAsync(TestFolder folder, Action<WebApplication> map)
        => FileServer.StartAsync(new FileServerSetup { Folder = folder.Path, Endpoints = map });

    private static Task Answer(HttpContext context) => context.Response.WriteAsync("endpoint");

    private sealed class RefusingPolicy : MatcherPolicy, IEndpointSelectorPolicy
    {
        public override int Order => 0;

        public bool AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints) => true;

        public Task ApplyAsync(HttpContext httpContext, CandidateSet candidates)
        {
            for (int index = 0; index < candidates.Count; index++)
            {
                bool isFile = candidates[index].Endpoint.Metadata.GetMetadata<FilesEndpoint>() is not null;
                if (isFile && httpContext.Request.Headers.ContainsKey("X-Refuse"))
                {
                    candidates.SetValidity(index, false);
                }
            }

            return Task.CompletedTask;
        }
    }
}
