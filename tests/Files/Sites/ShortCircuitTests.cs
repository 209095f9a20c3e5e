using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Files.Tests;

/// <summary>
/// With <c>ShortCircuit()</c> files are answered inside routing. What stands before routing runs, what stands behind it does not, and an
/// endpoint that asks for something behind it is refused by the framework.
/// </summary>
public class ShortCircuitTests
{
    [Theory]
    [InlineData(Way.Ring, "before, behind")]
    [InlineData(Way.ShortCircuit, "before")]
    public async Task OnlyMiddlewareBeforeRoutingRuns(Way way, string ran)
    {
        using TestFolder folder = new TestFolder().With("a.txt", "a").With("folder/index.html", "index").With("page.html", "page");
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Way = way,
            Folder = folder.Path,
            Options = static options => options.FallbackFile = "page.html",
            BeforeRouting = Note("before"),
            Before = Note("behind"),
            Endpoints = static app => app.MapGet("/other", static () => "other"),
        });
        using RawClient client = await server.ConnectAsync();
        foreach ((string path, int status) in new[] { ("/a.txt", 200), ("/folder", 301), ("/folder/", 200), ("/route/of/the/browser", 200) })
        {
            RawResponse response = await client.GetAsync(path);
            Assert.Equal((path, status, ran), (path, response.Status, response.Headers["X-Ran"]));
        }

        Assert.Equal("before, behind", (await client.GetAsync("/other")).Headers["X-Ran"]);
        Assert.Equal("before, behind", (await client.GetAsync("/missing.txt")).Headers["X-Ran"]);
    }

    /// <summary>The control: without <c>ShortCircuit()</c> the middleware decides. With it nobody is served what the middleware would refuse.</summary>
    [Theory]
    [InlineData("authorization", Way.Ring, 302)]
    [InlineData("authorization", Way.ShortCircuit, 500)]
    [InlineData("CORS", Way.Ring, 200)]
    [InlineData("CORS", Way.ShortCircuit, 500)]
    public async Task AnEndpointThatAsksForMoreIsRefusedByTheFramework(string asked, Way way, int status)
    {
        using TestFolder folder = new TestFolder().With("a.txt", "secret");
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Way = way,
            Folder = folder.Path,
            Services = static services =>
            {
                services.AddAuthentication(CookieAuthenticationDefaults.AuthenticationScheme).AddCookie();
                services.AddAuthorization();
                services.AddCors(static cors => cors.AddPolicy("policy", static policy => policy.AllowAnyOrigin()));
            },
            Before = static app => app.UseCors().UseAuthentication().UseAuthorization(),
            Conventions = files => _ = asked == "CORS" ? files.RequireCors("policy") : files.RequireAuthorization(),
            ExpectsErrors = true,
        });
        using RawClient client = await server.ConnectAsync();
        RawResponse response = await client.GetAsync("/a.txt");
        Assert.Equal((status, status == 200 ? "secret" : ""), (response.Status, response.Text));
        Assert.Equal(status == 500, server.Logs.Any(line => line.Exception is InvalidOperationException exception
            && exception.Message.Contains(asked, StringComparison.OrdinalIgnoreCase)
            && exception.Message.Contains(folder.Path, StringComparison.Ordinal)));
    }

    private static Action<WebApplication> Note(string name) => app => app.Use((context, next) =>
    {
        context.Response.Headers["X-Ran"] = StringValuesOf(context, name);
        return next(context);
    });

    private static string StringValuesOf(HttpContext context, string name)
        => context.Response.Headers.TryGetValue("X-Ran", out Microsoft.Extensions.Primitives.StringValues before) ? $"{before}, {name}" : name;
}
