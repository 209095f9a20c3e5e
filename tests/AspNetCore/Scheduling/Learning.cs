using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore.Tests;

/// <summary>A server whose endpoints earn the reactor, and what its tests ask of it.</summary>
internal static class Learning
{
    internal const int DemotedEventId = 1016;
    internal const string OnReactor = "reactor";
    internal const string OnPool = "pool";

    internal static ServerSetup Of(
        Action<WebApplication> map,
        TransportKind transport = TransportKind.Ioxide,
        Action<WebApplicationBuilder>? builder = null,
        Action<IoxideTransportOptions>? ioxide = null,
        bool expectsErrors = false) => new(transport)
        {
            ExpectsErrors = expectsErrors,
            Ioxide = options =>
            {
                options.ReactorCount = 1;
                ioxide?.Invoke(options);
            },
            Builder = application =>
            {
                application.Services.AddRouting();
                builder?.Invoke(application);
            },
            Map = map,
        };

    /// <summary>Where the calling code runs.</summary>
    internal static string Where() => Reactor.Current is null ? OnPool : OnReactor;

    internal static Task SayWhereAsync(HttpContext context) => Handlers.TextAsync(context, Where());

    internal static PlacementRegistry Book(TestServer server) => server.Services.GetRequiredService<PlacementRegistry>();

    internal static EndpointPlacement Placement(TestServer server, string path)
        => Assert.Single(Book(server).Endpoints, placement => placement.Endpoint is RouteEndpoint route && route.RoutePattern.RawText == path);

    /// <summary>Asks until the endpoint runs on its reactor. A busy machine makes quick runs slow, so their number is not fixed.</summary>
    /// <returns>How many ran on the pool before.</returns>
    internal static async Task<int> ProveAsync(RawClient client, string path)
    {
        int poolRuns = 0;
        DateTime end = DateTime.UtcNow + 60.Seconds();
        while ((await client.GetAsync(path)).Text != OnReactor)
        {
            poolRuns++;
            Assert.True(DateTime.UtcNow < end, $"{path} is still on the pool after {poolRuns} runs.");
        }

        return poolRuns;
    }

    /// <summary>Stalls until the endpoint is demoted: a host that was short of processors meanwhile excuses a stall.</summary>
    internal static async Task DemotedAsync(TestServer server, string path, Func<Task> stall)
    {
        for (int stalls = 0; Placement(server, path).State != PlacementState.Demoted; stalls++)
        {
            Assert.True(stalls < 100, $"{path} is not demoted after {stalls} stalls.");
            await stall();

            // The turn is judged after its answer.
            for (int looks = 0; looks < 50 && Placement(server, path).State != PlacementState.Demoted; looks++)
            {
                await Task.Delay(10);
            }
        }
    }

    /// <summary>Asks until the log blames somebody: where processors are short, one sleep may be that of a lock's holder.</summary>
    /// <param name="server">The server, whose code sleeps.</param>
    /// <param name="ask">One run of that code.</param>
    /// <param name="start">How the line begins.</param>
    internal static async Task BlamedAsync(TestServer server, Func<Task> ask, string start = "")
    {
        bool IsTold() => Warnings(server).Any(line => line.StartsWith(start, StringComparison.Ordinal));
        for (int runs = 0; runs < 100 && !IsTold(); runs++)
        {
            await ask();
        }

        await Waits.Eventually(IsTold, 20.Seconds());
    }

    internal static IEnumerable<string> Warnings(TestServer server)
        => server.Logs.Where(line => line.Event.Id == DemotedEventId).Select(line => line.Message);
}
