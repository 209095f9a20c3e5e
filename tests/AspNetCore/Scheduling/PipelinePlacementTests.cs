using Microsoft.AspNetCore.Builder;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Middleware and applications without endpoints run on the reactor until they stall it several times, and then on the pool.</summary>
public class PipelinePlacementTests
{
    [Fact]
    public async Task AHandlerWithoutAnEndPointThatKeepsSleepingMovesToThePoolAndComesBack()
    {
        bool sleeps = true;
        await using TestServer server = await TestServer.StartAsync(TransportKind.Ioxide, context =>
        {
            SleepIf(ref sleeps);
            return Learning.SayWhereAsync(context);
        });
        using RawClient client = await server.ConnectAsync();
        Assert.Equal(Learning.OnReactor, (await client.GetAsync("/")).Text);
        await UntilOnPoolAsync(client, "/");
        Assert.Equal(Learning.OnPool, (await client.GetAsync("/")).Text);
        await Learning.BlamedAsync(server, () => client.GetAsync("/"));
        Assert.StartsWith("The pipeline ", Assert.Single(Learning.Warnings(server)), StringComparison.Ordinal);

        Volatile.Write(ref sleeps, false);
        Assert.True(await Learning.ProveAsync(client, "/") >= 2 * Placement.FirstProofRuns);
    }

    [Fact]
    public async Task MiddlewareThatSleepsDoesNotKeepItsEndPointsFromTheReactorForGood()
    {
        bool sleeps = false;
        await using TestServer server = await TestServer.StartAsync(Learning.Of(app =>
        {
            app.Use((context, next) =>
            {
                SleepIf(ref sleeps);
                return next(context);
            });
            app.MapGet("/", Learning.SayWhereAsync);
        }));
        using RawClient client = await server.ConnectAsync();
        await Learning.ProveAsync(client, "/");

        Volatile.Write(ref sleeps, true);
        await Waits.Eventually(
            () =>
            {
                client.GetAsync("/").GetAwaiter().GetResult();
                return Learning.Book(server).Pipeline.State == PlacementState.Demoted;
            },
            30.Seconds());
        await Learning.BlamedAsync(server, () => client.GetAsync("/"), "The pipeline ");

        Volatile.Write(ref sleeps, false);
        await Learning.ProveAsync(client, "/");
        Assert.Equal(PlacementState.Inline, Learning.Book(server).Pipeline.State);
    }

    private static async Task UntilOnPoolAsync(RawClient client, string path)
    {
        int runs = 0;
        while ((await client.GetAsync(path)).Text != Learning.OnPool)
        {
            Assert.True(++runs < 100, "The pipeline is still on the reactor.");
        }
    }

    private static void SleepIf(ref bool sleeps)
    {
        if (Volatile.Read(ref sleeps))
        {
            Thread.Sleep(150);
        }
    }
}
