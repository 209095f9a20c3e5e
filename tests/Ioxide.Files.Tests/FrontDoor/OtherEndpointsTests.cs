using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Matching;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Files.Tests;

/// <summary>
/// Beside the files an application has other end points. Whatever they are, the front door answers what the pipeline would: each case
/// asks both ports, and says which of the two doors answers.
/// </summary>
public class OtherEndpointsTests
{
    private const bool Door = true;
    private const bool Pipeline = false;

    /// <summary>What is mapped beside the site, and requests with who answers them. The site is mapped last.</summary>
    private static readonly Dictionary<string, (Action<WebApplication, TestFolder> Map, (string Target, bool IsAtDoor)[] Requests)> s_cases = new()
    {
        ["nothing"] = (
            static (_, _) => { },
            [("/", Door), ("/a.txt", Door), ("/private/secret.txt", Door), ("/with%20space/my%20file.txt", Door), ("/%C3%BC.txt", Door),
             ("/admin", Door), ("/%61.txt", Pipeline), ("/A.txt", Pipeline)]),
        ["a protected site below"] = (
            static (app, site) => app.MapIoxideFiles("/private", site["private"], Configure).RequireAuthorization(),
            [("/private/secret.txt", Pipeline), ("/a.txt", Door)]),
        ["a protected site below, in a group"] = (
            static (app, site) => app.MapGroup("/private").RequireAuthorization().MapIoxideFiles("/", site["private"], Configure),
            [("/private/secret.txt", Pipeline), ("/a.txt", Door)]),
        ["an open site below"] = (
            static (app, site) => app.MapIoxideFiles("/private", site["with space"], Configure),
            [("/private/my%20file.txt", Door), ("/private/secret.txt", Pipeline), ("/a.txt", Door)]),
        ["a protected catch-all with a regular expression"] = (
            static (app, _) => app.MapGet("/{**rest:regex(^private/)}", Answer).RequireAuthorization(),
            [("/private/secret.txt", Pipeline), ("/a.txt", Door)]),
        ["a protected catch-all"] = (
            static (app, _) => app.MapGet("/{**rest}", Answer).RequireAuthorization(),
            [("/private/secret.txt", Pipeline), ("/a.txt", Pipeline)]),
        ["a protected literal with a space"] = (
            static (app, _) => app.MapGet("/with space/my file.txt", Answer).RequireAuthorization(),
            [("/with%20space/my%20file.txt", Pipeline), ("/a.txt", Door)]),
        ["a protected literal with an umlaut"] = (
            static (app, _) => app.MapGet("/ü.txt", Answer).RequireAuthorization(), [("/%C3%BC.txt", Pipeline), ("/a.txt", Door)]),
        ["a protected optional parameter"] = (
            static (app, _) => app.MapGet("/admin/{id?}", Answer).RequireAuthorization(), [("/admin", Pipeline), ("/adm2", Door)]),
        ["a protected optional catch-all"] = (
            static (app, _) => app.MapGet("/adm2/{**id}", Answer).RequireAuthorization(), [("/adm2", Pipeline), ("/admin", Door)]),
        ["a protected parameter with a default"] = (
            static (app, _) => app.MapGet("/{name=index.html}", Answer).RequireAuthorization(),
            [("/", Pipeline), ("/a.txt", Pipeline), ("/private/secret.txt", Door)]),
        ["a protected complex segment"] = (
            static (app, _) => app.MapGet("/{name}.{extension}", Answer).RequireAuthorization(),
            [("/a.txt", Pipeline), ("/admin", Door), ("/private/secret.txt", Door)]),
        ["a group with a prefix"] = (
            static (app, _) => app.MapGroup("/private").MapGet("/{file}", Answer).RequireAuthorization(),
            [("/private/secret.txt", Pipeline), ("/a.txt", Door)]),
        ["a literal in other letters"] = (
            static (app, _) => app.MapGet("/A.TXT", Answer), [("/a.txt", Pipeline), ("/admin", Door)]),
        ["a lower order"] = (
            static (app, _) => app.Map("/{**rest}", Answer).WithOrder(-1), [("/a.txt", Pipeline)]),
        ["a higher order"] = (
            static (app, _) => app.Map("/a.txt", Answer).WithOrder(1), [("/a.txt", Door)]),
        ["a fallback"] = (
            static (app, _) => app.MapFallback(Answer), [("/a.txt", Door), ("/", Door), ("/missing", Pipeline)]),
        ["the same path for GET"] = (
            static (app, _) => app.MapGet("/a.txt", Answer), [("/a.txt", Pipeline), ("/admin", Door)]),
        ["the same path for POST"] = (
            static (app, _) => app.MapPost("/a.txt", Answer), [("/a.txt", Door)]),
        ["an integer"] = (
            static (app, _) => app.MapGet("/{id:int}", Answer), [("/5", Pipeline), ("/a.txt", Door)]),
        ["a path that is cut short"] = (
            static (app, _) => app.MapShortCircuit(404, "private"),
            [("/private/secret.txt", Door), ("/private/missing", Pipeline), ("/a.txt", Door)]),
        ["an end point that is cut short"] = (
            static (app, _) => app.MapGet("/private/{file}", Answer).ShortCircuit(), [("/private/secret.txt", Pipeline), ("/a.txt", Door)]),
        ["a path base"] = (
            static (app, _) => app.UsePathBase("/base").UseRouting(), [("/base/a.txt", Pipeline), ("/a.txt", Door)]),
        ["a branch by path that routes"] = (
            static (app, _) =>
            {
                app.Map("/private", static branch => branch.UseRouting().UseEndpoints(static routes => routes.MapGet("/secret.txt", Answer)));
                app.UseRouting();
            },
            [("/private/secret.txt", Pipeline), ("/a.txt", Pipeline)]),
        ["a branch by condition that routes"] = (
            static (app, _) =>
            {
                app.UseWhen(
                    static context => context.Request.Path.StartsWithSegments("/private", StringComparison.Ordinal),
                    static branch => branch.UseRouting().UseEndpoints(static routes => routes.MapFallback("/{**rest}", Answer)));
                app.UseRouting();
            },
            [("/private/secret.txt", Pipeline), ("/a.txt", Pipeline)]),
        ["the same site twice"] = (
            static (app, site) => app.MapIoxideFiles("/", site.Path, Configure), [("/a.txt", Pipeline)]),
    };

    public static TheoryData<string> Cases => [.. s_cases.Keys];

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task TheFrontDoorAnswersAsThePipelineDoes(string name)
    {
        (Action<WebApplication, TestFolder> map, (string Target, bool IsAtDoor)[] requests) = s_cases[name];
        using TestFolder site = MakeSite();
        await using BothDoors doors = await BothDoors.StartAsync(app =>
        {
            map(app, site);
            app.MapIoxideFiles("/", site.Path, Configure);
        });
        foreach ((string target, bool isAtDoor) in requests)
        {
            await doors.AssertSameAsync(target, isAtDoor);
        }
    }

    [Theory]
    [InlineData("admin.example.com")]
    [InlineData("localhost")]
    [InlineData("localhost:80")]
    public async Task AHostIsLeftToThePipeline(string host)
    {
        using TestFolder site = MakeSite();
        await using BothDoors doors = await BothDoors.StartAsync(app =>
        {
            app.MapIoxideFiles("/", site.Path, Configure);
            app.Map("/private/{**rest}", Answer).RequireHost("admin.example.com");
        });
        await doors.AssertSameAsync("/private/secret.txt", Pipeline, host);
        await doors.AssertSameAsync("/a.txt", Door, host);
        Assert.Contains(doors.Warnings, static line => line.Contains(nameof(HostMatcherPolicy), StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("")]
    [InlineData("Content-Type: text/csv\r\n")]
    public async Task AContentTypeIsLeftToThePipeline(string headers)
    {
        using TestFolder site = MakeSite();
        await using BothDoors doors = await BothDoors.StartAsync(app =>
        {
            app.MapIoxideFiles("/", site.Path, Configure);
            app.Map("/private/{**rest}", Answer).WithMetadata(new Microsoft.AspNetCore.Http.Metadata.AcceptsMetadata(["text/csv"]));
        });
        await doors.AssertSameAsync("/private/secret.txt", Pipeline, headers: headers);

        // A request that says the type of a body is the server's, whatever it asks for.
        await doors.AssertSameAsync("/a.txt", isAtDoor: headers.Length == 0, headers: headers);
    }

    [Theory]
    [InlineData("")]
    [InlineData("X-Taken: yes\r\n")]
    public async Task AnApplicationsOwnPolicyAndConstraintAreLeftToThePipeline(string headers)
    {
        using TestFolder site = MakeSite();
        await using BothDoors doors = await BothDoors.StartAsync(
            app =>
            {
                app.MapIoxideFiles("/", site.Path, Configure);
                app.MapFallback("/private/{**rest}", Answer).WithMetadata(new Taken());
                app.MapGet("/{name:taken}", Answer);
            },
            static builder =>
            {
                builder.Services.AddSingleton<MatcherPolicy, TakenPolicy>();
                builder.Services.Configure<RouteOptions>(static options => options.SetParameterPolicy<TakenConstraint>("taken"));
            });
        await doors.AssertSameAsync("/private/secret.txt", Pipeline, headers: headers);
        await doors.AssertSameAsync("/a.txt", Pipeline, headers: headers);
        await doors.AssertSameAsync("/with%20space/my%20file.txt", Door, headers: headers);
        Assert.Contains(doors.Warnings, static line => line.Contains(nameof(TakenPolicy), StringComparison.Ordinal));
        Assert.Contains(doors.Warnings, static line => line.Contains(nameof(TakenConstraint), StringComparison.Ordinal));
    }

    [Fact]
    public async Task AConstraintOrPolicyThatThrowsIsLeftToThePipeline()
    {
        using TestFolder site = MakeSite();
        await using BothDoors doors = await BothDoors.StartAsync(
            app =>
            {
                app.MapIoxideFiles("/", site.Path, Configure);
                app.MapGet("/{name:broken}", Answer);
                app.MapFallback("/private/{**rest}", Answer).WithMetadata(new Broken());
            },
            static builder =>
            {
                builder.Services.AddSingleton<MatcherPolicy, BrokenPolicy>();
                builder.Services.Configure<RouteOptions>(static options => options.SetParameterPolicy<BrokenConstraint>("broken"));
            });
        Assert.Equal(500, await doors.AssertSameAsync("/a.txt", Pipeline));
        Assert.Equal(500, await doors.AssertSameAsync("/private/secret.txt", Pipeline));
        await doors.AssertSameAsync("/with%20space/my%20file.txt", Door);
    }

    [Fact]
    public async Task ADynamicEndPointIsLeftToThePipelineWhereItsConstraintLetsItBe()
    {
        using TestFolder site = MakeSite();
        await using BothDoors doors = await BothDoors.StartAsync(
            app =>
            {
                app.MapIoxideFiles("/", site.Path, Configure);
                app.MapFallbackToController("Index", "Home");
            },
            static builder => builder.Services.AddControllers());
        await doors.AssertSameAsync("/", Pipeline);
        await doors.AssertSameAsync("/admin", Pipeline);
        await doors.AssertSameAsync("/a.txt", Door);
    }

    [Fact]
    public async Task WhatWrapsTheFilesOwnEndPointRuns()
    {
        using TestFolder site = MakeSite();
        await using BothDoors doors = await BothDoors.StartAsync(app =>
        {
            app.MapGroup("/filtered").AddEndpointFilter(static (_, _) => ValueTask.FromResult<object?>("filtered")).MapIoxideFiles("/", site.Path, Configure);
            app.MapIoxideFiles("/wrapped", site.Path, Configure).Add(static builder => builder.RequestDelegate = Answer);
            app.MapIoxideFiles("/labelled", site.Path, Configure).WithName("files").WithTags("files").WithMetadata(new Label());
        });
        await doors.AssertSameAsync("/filtered/a.txt", Pipeline);
        await doors.AssertSameAsync("/wrapped/a.txt", Pipeline);
        await doors.AssertSameAsync("/labelled/a.txt", Pipeline);
        Assert.Contains(doors.Warnings, static line => line.Contains(nameof(Label), StringComparison.Ordinal));
    }

    private static TestFolder MakeSite() => new TestFolder()
        .With("index.html", "index").With("a.txt", "a").With("private/secret.txt", "secret").With("with space/my file.txt", "space")
        .With("ü.txt", "umlaut").With("admin", "admin").With("adm2", "adm2").With("5", "five");

    private static void Configure(IoxideFilesOptions options)
    {
        options.WatchForChanges = false;
        options.DefaultContentType = "text/plain";
    }

    private static Task Answer(HttpContext context) => context.Response.WriteAsync("end point");

    private sealed class Taken;

    private sealed class Broken;

    /// <summary>A name, and something of the application's own.</summary>
    private sealed class Label : Microsoft.AspNetCore.Http.Metadata.ITagsMetadata
    {
        public IReadOnlyList<string> Tags => [];
    }

    /// <summary>Gives all candidates to its own end point where a request has the field.</summary>
    private sealed class TakenPolicy : MatcherPolicy, IEndpointSelectorPolicy
    {
        public override int Order => 0;

        public bool AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints)
            => endpoints.Any(static endpoint => endpoint.Metadata.GetMetadata<Taken>() is not null);

        public Task ApplyAsync(HttpContext httpContext, CandidateSet candidates)
        {
            for (int index = 0; index < candidates.Count && httpContext.Request.Headers.ContainsKey("X-Taken"); index++)
            {
                candidates.SetValidity(index, candidates[index].Endpoint.Metadata.GetMetadata<Taken>() is not null);
            }

            return Task.CompletedTask;
        }
    }

    private sealed class TakenConstraint : IRouteConstraint
    {
        public bool Match(
            HttpContext? httpContext, IRouter? route, string routeKey, RouteValueDictionary values, RouteDirection routeDirection)
            => httpContext?.Request.Headers.ContainsKey("X-Taken") == true;
    }

    private sealed class BrokenPolicy : MatcherPolicy, IEndpointSelectorPolicy
    {
        public override int Order => 0;

        public bool AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints)
            => endpoints.Any(static endpoint => endpoint.Metadata.GetMetadata<Broken>() is not null);

        public Task ApplyAsync(HttpContext httpContext, CandidateSet candidates) => throw new InvalidOperationException("broken policy");
    }

    private sealed class BrokenConstraint : IRouteConstraint
    {
        public bool Match(
            HttpContext? httpContext, IRouter? route, string routeKey, RouteValueDictionary values, RouteDirection routeDirection)
            => throw new InvalidOperationException("broken constraint");
    }
}
