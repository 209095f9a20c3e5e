using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Mvc.Routing;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// What selects endpoints and what reads their metadata meets the replacements and must not notice. The sockets transport, where nothing
/// is replaced, is the control.
/// </summary>
public class EndpointReplacementTests
{
    private const string User = "X-User: operator\r\n";

    [Theory, OverTransports]
    public async Task MethodsHostsAndFallbacksAreChosenAsEver(TransportKind transport)
    {
        await using TestServer server = await TestServer.StartAsync(Learning.Of(
            static app =>
            {
                app.MapGet("/items/{id:int}", static context => Handlers.TextAsync(context, $"get {context.Request.RouteValues["id"]}"));
                app.MapPost("/items/{id:int}", static context => Handlers.TextAsync(context, $"post {context.Request.RouteValues["id"]}"));
                app.MapMethods("/head", ["GET", "HEAD"], static context => Handlers.TextAsync(context, context.Request.Method));
                app.MapGet("/host", static context => Handlers.TextAsync(context, "one")).RequireHost("one.test");
                app.MapGet("/host", static context => Handlers.TextAsync(context, "two")).RequireHost("*.two.test");
                app.MapGet("/short", static context => Handlers.TextAsync(context, "short")).ShortCircuit();
                app.MapGroup("/group/{tenant}").MapGet("/{**rest}", static context => Handlers.TextAsync(
                    context, $"{context.Request.RouteValues["tenant"]} {context.Request.RouteValues["rest"]}"));
                app.MapFallback(static context => Handlers.TextAsync(context, "fallback"));
            },
            transport));
        using RawClient client = await server.ConnectAsync();
        for (int round = 0; round < 2; round++)
        {
            Assert.Equal("get 7", (await client.GetAsync("/items/7")).Text);
            Assert.Equal("fallback", (await client.GetAsync("/items/seven")).Text);
            Assert.Equal("post 8", (await client.AskAsync(RawClient.Request("POST /items/8", "Content-Length: 0\r\n"))).Text);
            RawResponse refused = await client.AskAsync(RawClient.Request("DELETE /items/8"));
            Assert.Equal("fallback", refused.Text);
            Assert.Equal("fallback", (await client.AskAsync("DELETE /head HTTP/1.1\r\nHost: one.test\r\n\r\n")).Text);
            RawResponse head = await client.AskAsync(RawClient.Request("HEAD /head"));
            Assert.Equal((200, "4"), (head.Status, head.Headers["Content-Length"]));
            Assert.Equal("one", (await client.AskAsync("GET /host HTTP/1.1\r\nHost: one.test\r\n\r\n")).Text);
            Assert.Equal("two", (await client.AskAsync("GET /host HTTP/1.1\r\nHost: a.two.test\r\n\r\n")).Text);
            Assert.Equal("fallback", (await client.GetAsync("/host")).Text);
            Assert.Equal("short", (await client.GetAsync("/short")).Text);
            Assert.Equal("acme a/b", (await client.GetAsync("/group/acme/a/b")).Text);
        }
    }

    [Theory, OverTransports]
    public async Task RefusalsOfRoutingAreAsEver(TransportKind transport)
    {
        await using TestServer server = await TestServer.StartAsync(Learning.Of(
            static app =>
            {
                app.MapGet("/items", static context => Handlers.TextAsync(context, "items"));
                app.MapPost("/items", static context => Handlers.TextAsync(context, "made"))
                    .WithMetadata(new AcceptsMetadata(["application/json"]));
            },
            transport));
        using RawClient client = await server.ConnectAsync();

        RawResponse method = await client.AskAsync(RawClient.Request("DELETE /items"));
        RawResponse type = await client.AskAsync(RawClient.Request("POST /items", "Content-Type: text/plain\r\nContent-Length: 0\r\n"));

        Assert.Equal((405, "GET, POST"), (method.Status, method.Headers["Allow"]));
        Assert.Equal(415, type.Status);
        Assert.Equal(404, (await client.GetAsync("/nothing")).Status);
        Assert.Equal("items", (await client.GetAsync("/items")).Text);
    }

    [Theory, OverTransports]
    public async Task MiddlewareReadsTheMetadataAndTheEndPointAsEver(TransportKind transport)
    {
        await using TestServer server = await TestServer.StartAsync(Learning.Of(
            static app =>
            {
                app.UseRouting();
                app.Use(static (context, next) =>
                {
                    context.Response.Headers["X-Seen"] = context.GetEndpoint() is RouteEndpoint route
                        ? $"{route.DisplayName} {route.RoutePattern.RawText} {route.Order} {route.Metadata.GetMetadata<TagsAttribute>()?.Tags[0]}"
                        : "none";
                    return next(context);
                });
                app.UseCors();
                app.UseAuthentication();
                app.UseAuthorization();
                app.UseOutputCache();
                app.MapGet("/tagged", static context => Handlers.TextAsync(context, context.GetEndpoint()!.DisplayName!))
                    .WithMetadata(new TagsAttribute("tag")).WithDisplayName("shown").WithOrder(3);
                app.MapGet("/locked", static context => Handlers.TextAsync(context, context.User.Identity!.Name!)).RequireAuthorization();
                app.MapPut("/cors", static context => Handlers.TextAsync(context, "cors")).RequireCors(
                    static policy => policy.WithOrigins("http://other.test").WithMethods("PUT"));
                int count = 0;
                app.MapGet("/cached", context => Handlers.TextAsync(context, $"{++count}")).CacheOutput();
                app.MapGet("/link", static (HttpContext context, LinkGenerator links)
                    => Handlers.TextAsync(context, links.GetPathByName("named", new { id = 3 })!));
                app.MapGet("/named/{id}", static context => Task.CompletedTask).WithName("named");
            },
            transport,
            static builder =>
            {
                builder.Services.AddCors().AddOutputCache().AddAuthorization();
                builder.Services.AddAuthentication("Header").AddScheme<HeaderOptions, HeaderHandler>("Header", null);
            }));
        using RawClient client = await server.ConnectAsync();

        RawResponse tagged = await client.GetAsync("/tagged");
        Assert.Equal(("shown", "shown /tagged 3 tag"), (tagged.Text, tagged.Headers["X-Seen"]));
        Assert.Equal("none", (await client.GetAsync("/nothing")).Headers["X-Seen"]);
        Assert.Equal(401, (await client.GetAsync("/locked")).Status);
        Assert.Equal("operator", (await client.GetAsync("/locked", User)).Text);
        RawResponse preflight = await client.AskAsync(
            RawClient.Request("OPTIONS /cors", "Origin: http://other.test\r\nAccess-Control-Request-Method: PUT\r\n"));
        Assert.Equal((204, "http://other.test"), (preflight.Status, preflight.Headers["Access-Control-Allow-Origin"]));
        Assert.Equal("1", (await client.GetAsync("/cached")).Text);
        Assert.Equal("1", (await client.GetAsync("/cached")).Text);
        Assert.Equal("/named/3", (await client.GetAsync("/link")).Text);
    }

    /// <summary>The choice of a dynamic route is made per request, so the endpoint is none of the table's.</summary>
    [Fact]
    public async Task AnActionThatADynamicRouteChoseEarnsTheReactorToo()
    {
        await using TestServer server = await TestServer.StartAsync(Learning.Of(
            static app => app.MapDynamicControllerRoute<ToDefault>("/dynamic/{**rest}"),
            builder: static builder =>
            {
                builder.Services.AddControllers().AddApplicationPart(typeof(WhereController).Assembly);
                builder.Services.AddSingleton<ToDefault>();
            }));
        using RawClient client = await server.ConnectAsync();

        Assert.True(await Learning.ProveAsync(client, "/dynamic/any") >= Placement.FirstProofRuns);
    }

    private sealed class ToDefault : DynamicRouteValueTransformer
    {
        public override ValueTask<RouteValueDictionary> TransformAsync(HttpContext httpContext, RouteValueDictionary values)
            => new(new RouteValueDictionary { ["controller"] = "Where", ["action"] = nameof(WhereController.Default) });
    }
}
