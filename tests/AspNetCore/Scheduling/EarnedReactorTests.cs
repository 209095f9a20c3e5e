using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// An endpoint runs on the thread pool until its runs have shown that it does not block, and again when it stalls its reactor. One reactor
/// serves each test, so that whatever blocks it blocks all requests.
/// </summary>
public class EarnedReactorTests
{
    private const string Quick = "/quick";
    private const string Other = "/other";
    private const string Pipeline = "/pipeline";

    [Fact]
    public async Task FirstRunsAreOnThePoolAndThenOnTheReactor()
    {
        await using TestServer server = await StartAsync(() => { });
        using RawClient client = await server.ConnectAsync();

        int poolRuns = await Learning.ProveAsync(client, Quick);

        Assert.True(poolRuns >= Placement.FirstProofRuns, $"{poolRuns} runs were on the pool.");
        Assert.Equal(PlacementState.Inline, Learning.Placement(server, Quick).State);
        Assert.Equal(1, Learning.Book(server).Promotions);
        Assert.Equal(PlacementState.Proving, Learning.Placement(server, Other).State);
    }

    [Fact]
    public async Task OneThatSleepsIsNeverPromoted()
    {
        await using TestServer server = await StartAsync(static () => Thread.Sleep(20));
        RawClient[] clients = await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => server.ConnectAsync()));
        for (int run = 0; run < 2 * Placement.FirstProofRuns; run += clients.Length)
        {
            RawResponse[] answers = await Task.WhenAll(clients.Select(client => client.GetAsync(Quick)));
            Assert.All(answers, answer => Assert.Equal(Learning.OnPool, answer.Text));
        }

        Assert.Equal(0, Learning.Placement(server, Quick).QuickRuns);
        Assert.Equal(0, Learning.Book(server).Promotions);
        Array.ForEach(clients, client => client.Dispose());
    }

    [Fact]
    public async Task OthersAreAnsweredWhileTheFirstRunBlocks()
    {
        bool isReleased = false;

        // Longer than a client waits for an answer.
        await using TestServer server = await StartAsync(() => SpinWait.SpinUntil(() => Volatile.Read(ref isReleased), 60.Seconds()));
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get(Quick));
        using RawClient other = await server.ConnectAsync();

        for (int run = 0; run < 10; run++)
        {
            Assert.Equal(200, (await other.GetAsync(Other)).Status);
        }

        Volatile.Write(ref isReleased, true);
        Assert.Equal(200, (await client.ReadResponseAsync()).Status);
    }

    [Fact]
    public async Task AProvenOneIsDemotedByItsFirstStallAndComesBack()
    {
        bool sleeps = false;
        await using TestServer server = await StartAsync(() => SleepIf(ref sleeps));
        using RawClient client = await server.ConnectAsync();
        await Learning.ProveAsync(client, Quick);

        Volatile.Write(ref sleeps, true);
        await Learning.DemotedAsync(server, Quick, () => client.GetAsync(Quick));

        Assert.Equal(Learning.OnPool, (await client.GetAsync(Quick)).Text);
        await Learning.BlamedAsync(server, () => client.GetAsync(Quick));
        Assert.Contains($"Endpoint HTTP: GET {Quick} blocked reactor 0 for ", Assert.Single(Learning.Warnings(server)), StringComparison.Ordinal);

        Volatile.Write(ref sleeps, false);
        Assert.True(await Learning.ProveAsync(client, Quick) >= 2 * Placement.FirstProofRuns);
    }

    /// <remarks>Its turn never ends. On each further reactor it would take that one, too.</remarks>
    [Theory, Each(Quick, Pipeline)]
    public async Task OneThatDoesNotReturnTakesOneReactorOnly(string path)
    {
        bool spins = false;
        await using TestServer server = await TestServer.StartAsync(Learning.Of(
            app =>
            {
                app.Use((context, next) =>
                {
                    Spin(context.Request.Path == Pipeline);
                    return next(context);
                });
                app.MapGet(Pipeline, Learning.SayWhereAsync);
                app.MapGet(Other, Learning.SayWhereAsync);
                app.MapGet(Quick, context =>
                {
                    string where = Learning.Where();
                    Spin(true);
                    return Handlers.TextAsync(context, where);
                });
            },
            ioxide: options =>
            {
                options.ReactorCount = 2;
                options.StallThreshold = 50.Milliseconds();
            },
            expectsErrors: true));
        Placement placement = Learning.Book(server).Pipeline;
        using RawClient first = await server.ConnectAsync();
        await Learning.ProveAsync(first, path);
        if (path == Quick)
        {
            placement = Learning.Placement(server, Quick);
        }

        Volatile.Write(ref spins, true);
        try
        {
            await first.SendAsync(RawClient.Get(path));
            await Waits.Eventually(() => placement.State == PlacementState.Demoted, 20.Seconds());

            using RawClient second = await server.ConnectAsync();
            await second.SendAsync(RawClient.Get(path));
            for (int run = 0; run < 10; run++)
            {
                using RawClient other = await server.ConnectAsync();
                Assert.Equal(200, (await other.GetAsync(Other)).Status);
            }

            Volatile.Write(ref spins, false);
            Assert.Equal(Learning.OnPool, (await second.ReadResponseAsync()).Text);
            Assert.Equal(Learning.OnReactor, (await first.ReadResponseAsync()).Text);
        }
        finally
        {
            Volatile.Write(ref spins, false);
        }

        void Spin(bool isAsked)
        {
            while (isAsked && Volatile.Read(ref spins))
            {
            }
        }
    }

    [Fact]
    public async Task AStallBehindAnAwaitIsFoundAndTheInnocentComeBack()
    {
        bool sleeps = false;
        await using TestServer server = await TestServer.StartAsync(Learning.Of(app =>
        {
            app.MapGet(Quick, async context =>
            {
                string where = Learning.Where();
                await Task.Delay(1);
                SleepIf(ref sleeps);
                await Handlers.TextAsync(context, where);
            });
            app.MapGet(Other, async context =>
            {
                string where = Learning.Where();
                await Task.Yield();
                await Handlers.TextAsync(context, where);
            });
        }));
        using RawClient client = await server.ConnectAsync();
        await Learning.ProveAsync(client, Quick);
        await Learning.ProveAsync(client, Other);

        Volatile.Write(ref sleeps, true);
        await Learning.DemotedAsync(server, Quick, () => client.GetAsync(Quick));
        await Waits.Eventually(() => Learning.Placement(server, Other).State == PlacementState.Demoted, 20.Seconds());

        Assert.Equal(Learning.OnPool, (await client.GetAsync(Quick)).Text);
        await Learning.ProveAsync(client, Other);
        Assert.Equal(Learning.OnPool, (await client.GetAsync(Quick)).Text);
        await Learning.BlamedAsync(server, () => client.GetAsync(Quick));
        Assert.Contains(Quick, Assert.Single(Learning.Warnings(server)), StringComparison.Ordinal);
    }

    /// <remarks>What one turn runs is noted together: on the pool it shows who of them blocks.</remarks>
    [Fact]
    public async Task OfManyInOneTurnOnlyTheOneThatBlocksStaysOnThePool()
    {
        bool sleeps = false;
        await using TestServer server = await StartAsync(() => SleepIf(ref sleeps));
        using RawClient client = await server.ConnectAsync();
        await Learning.ProveAsync(client, Quick);
        await Learning.ProveAsync(client, Other);

        Volatile.Write(ref sleeps, true);
        await Learning.DemotedAsync(server, Quick, async () =>
        {
            await client.SendAsync(RawClient.Get(Other) + RawClient.Get(Quick) + RawClient.Get(Other));
            for (int answers = 0; answers < 3; answers++)
            {
                await client.ReadResponseAsync();
            }
        });
        await Learning.ProveAsync(client, Other);
        Assert.Equal(Learning.OnPool, (await client.GetAsync(Quick)).Text);
    }

    [Fact]
    public async Task AWaitThatTheRuntimeSawDemotesTheOneThatRuns()
    {
        bool reports = false;
        await using TestServer server = await StartAsync(() =>
        {
            if (Volatile.Read(ref reports))
            {
                Reactor.Current?.Ran.ReportBlocked(5.Milliseconds());
            }
        });
        using RawClient client = await server.ConnectAsync();
        await Learning.ProveAsync(client, Quick);
        await Learning.ProveAsync(client, Other);

        Volatile.Write(ref reports, true);
        await client.GetAsync(Other);
        Assert.Equal(Learning.OnReactor, (await client.GetAsync(Quick)).Text);

        Assert.Equal(PlacementState.Demoted, Learning.Placement(server, Quick).State);
        Assert.Equal(Learning.OnPool, (await client.GetAsync(Quick)).Text);
        Assert.Equal(5.Milliseconds(), Learning.Placement(server, Quick).StalledFor);
    }

    [Theory]
    [InlineData(ApplicationScheduling.Inline, Learning.OnReactor)]
    [InlineData(ApplicationScheduling.ThreadPool, Learning.OnPool)]
    public async Task TheOtherSchedulingsLearnNothing(ApplicationScheduling scheduling, string where)
    {
        await using TestServer server = await TestServer.StartAsync(Learning.Of(
            static app => app.MapGet(Quick, Learning.SayWhereAsync), ioxide: options => options.ApplicationScheduling = scheduling));
        using RawClient client = await server.ConnectAsync();
        for (int run = 0; run < 2 * Placement.FirstProofRuns; run++)
        {
            Assert.Equal(where, (await client.GetAsync(Quick)).Text);
        }

        Assert.Empty(Learning.Book(server).Endpoints);
    }

    private static void SleepIf(ref bool sleeps)
    {
        if (Volatile.Read(ref sleeps))
        {
            // Beyond the 100 ms that prove a stall where processors are short: pauses of collections and compilations are taken off.
            Thread.Sleep(150);
        }
    }

    /// <summary>Says where it ran, and runs the code first; the other one only says it.</summary>
    private static Task<TestServer> StartAsync(Action code) => TestServer.StartAsync(Learning.Of(app =>
    {
        app.MapGet(Quick, context =>
        {
            string where = Learning.Where();
            code();
            return Handlers.TextAsync(context, where);
        });
        app.MapGet(Other, Learning.SayWhereAsync);
    }));
}
