using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Files.Tests;

/// <summary>A folder at the root allocates nothing in the requests of other endpoints, nor in routing its own files.</summary>
[Once]
public class RoutingCostTests
{
    private const int Count = 2000;

    [Theory]
    [InlineData("/api/items", false)]
    [InlineData("/api/items", true)]
    [InlineData("/api/5", false)]
    [InlineData("/missing.txt", false)]
    public async Task AnotherEndPointCostsNoMoreMemoryBesideAFolder(string path, bool isShortCircuit)
    {
        using TestFolder folder = new TestFolder().With("a.txt", "file");
        long without = await BytesPerRequestAsync(null, path, isShortCircuit);
        Assert.Equal(without, await BytesPerRequestAsync(folder, path, isShortCircuit));
    }

    [Theory, Each("/a.txt", "/docs/")]
    public async Task AFileIsRoutedWithoutObjects(string path)
    {
        using TestFolder folder = new TestFolder().With("a.txt", "file").With("docs/index.html", "file");
        Assert.Equal(0, await BytesPerRequestAsync(folder, path, isShortCircuit: false));
    }

    /// <summary>Bytes that routing allocates; the endpoint does not run.</summary>
    private static async Task<long> BytesPerRequestAsync(TestFolder? folder, string path, bool isShortCircuit)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Services.AddRouting().AddIoxideFiles();
        builder.WebHost.UseKestrelCore();
        await using WebApplication app = builder.Build();
        app.UseRouting();
        app.Use(static (HttpContext _, RequestDelegate _) => Task.CompletedTask);
        app.MapGet("/api/items", static () => "items");
        app.MapGet("/api/{id}", static (string id) => id);
        if (folder is not null)
        {
            IEndpointConventionBuilder files = app.MapIoxideFiles("/", folder.Path, static options => options.WatchForChanges = false);
            _ = isShortCircuit ? files.ShortCircuit() : files;
            await app.Services.GetRequiredService<FileSites>().LoadAsync(CancellationToken.None);
        }

        app.UseEndpoints(static _ => { });
        RequestDelegate pipeline = ((IApplicationBuilder)app).Build();
        var context = new DefaultHttpContext { RequestServices = app.Services };
        context.Request.Method = "GET";
        context.Request.Path = path;
        Repeat();
        long before = GC.GetAllocatedBytesForCurrentThread();
        Repeat();
        return (GC.GetAllocatedBytesForCurrentThread() - before) / Count;

        void Repeat()
        {
            for (int index = 0; index < Count; index++)
            {
                context.SetEndpoint(null);
                Assert.True(pipeline(context).IsCompletedSuccessfully);
            }
        }
    }
}
