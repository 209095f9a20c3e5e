using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Metadata say where an endpoint runs, from its first run on and for good; the nearest counts.</summary>
public class RunsOnTests
{
    [Theory, Each(ApplicationScheduling.Adaptive, ApplicationScheduling.Inline)]
    public async Task EndPointsAndGroupsRunWhereTheySay(ApplicationScheduling scheduling)
    {
        await using TestServer server = await TestServer.StartAsync(Learning.Of(
            static app =>
            {
                app.MapGet("/pool", Learning.SayWhereAsync).RunOnThreadPool();
                app.MapGet("/reactor", Learning.SayWhereAsync).RunOnReactor();
                app.MapGet("/attribute", [RunOnThreadPool] static (HttpContextOf _) => Learning.Where());
                var onPool = app.MapGroup("/on-pool").RunOnThreadPool();
                onPool.MapGet("/default", Learning.SayWhereAsync);
                onPool.MapGet("/nearest", Learning.SayWhereAsync).RunOnReactor();
                var onReactor = app.MapGroup("/on-reactor").RunOnReactor();
                onReactor.MapGet("/default", Learning.SayWhereAsync);
                onReactor.MapGroup("/inner").RunOnThreadPool().MapGet("/default", Learning.SayWhereAsync);
            },
            ioxide: options => options.ApplicationScheduling = scheduling));
        using RawClient client = await server.ConnectAsync();
        await AssertAlwaysAsync(client, "/pool", Learning.OnPool);
        await AssertAlwaysAsync(client, "/reactor", Learning.OnReactor);
        await AssertAlwaysAsync(client, "/attribute", Learning.OnPool);
        await AssertAlwaysAsync(client, "/on-pool/default", Learning.OnPool);
        await AssertAlwaysAsync(client, "/on-pool/nearest", Learning.OnReactor);
        await AssertAlwaysAsync(client, "/on-reactor/default", Learning.OnReactor);
        await AssertAlwaysAsync(client, "/on-reactor/inner/default", Learning.OnPool);

        Assert.All(Learning.Book(server).Endpoints, static placement => Assert.Equal(PlacementState.Pinned, placement.State));
        Assert.Equal(0, Learning.Book(server).Promotions);
    }

    [Fact]
    public async Task ControllersAndActionsRunWhereTheySay()
    {
        await using TestServer server = await TestServer.StartAsync(Learning.Of(
            static app => app.MapControllers(),
            builder: static builder => builder.Services.AddControllers().AddApplicationPart(typeof(MarkedController).Assembly)));
        using RawClient client = await server.ConnectAsync();
        await AssertAlwaysAsync(client, "/marked/controller", Learning.OnPool);
        await AssertAlwaysAsync(client, "/marked/action", Learning.OnReactor);
    }

    private static async Task AssertAlwaysAsync(RawClient client, string path, string where)
    {
        for (int run = 0; run < Placement.FirstProofRuns + 5; run++)
        {
            Assert.Equal(where, (await client.GetAsync(path)).Text);
        }
    }

    /// <summary>Makes the handler one with a parameter, whose attributes become metadata.</summary>
    private sealed record HttpContextOf(string? Name = null)
    {
        public static ValueTask<HttpContextOf?> BindAsync(Microsoft.AspNetCore.Http.HttpContext context) => new(new HttpContextOf());
    }
}
