using System.Collections.Concurrent;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.AspNetCore.Tests;

/// <summary>The report of a stall names the request that blocks, and touches nothing of it.</summary>
public class StallReportTests
{
    private const int StallEventId = 1003;

    [Fact]
    public async Task NamesTheRequestThatBlocksWithItsPathEscaped()
    {
        await using TestServer server = await StartAsync(Handlers.PathAsync);
        using HttpClient client = server.CreateClient();
        await client.PostAsync(new Uri("/slow%0Apath", UriKind.Relative), content: null).Within(20.Seconds());
        Assert.Contains(" by POST /slow%0Apath;", Reports(server, "POST").First(), StringComparison.Ordinal);
    }

    /// <summary>
    /// A context is one thread's: a read of its path from another moves its cache of features, and the handler that reads at that
    /// moment gets a null reference.
    /// </summary>
    [Fact]
    public async Task ReadsNothingOfTheRequestFromItsOwnThread()
    {
        var request = new WatchedRequest();
        await using TestServer server = await StartAsync(Handlers.PathAsync, context => context.Features.Set<IHttpRequestFeature>(request));
        using HttpClient client = server.CreateClient();
        string answer = await client.GetStringAsync(new Uri("/slow", UriKind.Relative)).Within(20.Seconds());
        Assert.Equal(WatchedRequest.WatchedPath, answer);
        Assert.Contains(" by GET /slow;", Reports(server, "GET").First(), StringComparison.Ordinal);
        Assert.Single(request.Readers);
    }

    /// <summary>Blocks each request until a stall was reported that names one.</summary>
    private static async Task<TestServer> StartAsync(RequestDelegate answer, Action<HttpContext>? prepare = null)
    {
        TestServer? started = null;
        TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide)
        {
            Ioxide = options => options.StallThreshold = 50.Milliseconds(),

            // On a busy host the reactor may count as stuck before the report is seen.
            ExpectsErrors = true,
            Handler = context =>
            {
                string method = context.Request.Method;
                prepare?.Invoke(context);
                Assert.True(SpinWait.SpinUntil(() => Reports(started!, method).Any(), Waits.Stretched(60.Seconds())));
                return answer(context);
            },
        });
        started = server;
        return server;
    }

    /// <summary>On a busy host the accepting may have stalled before, and is named then.</summary>
    private static IEnumerable<string> Reports(TestServer server, string method)
        => server.Logs.Where(line => line.Event.Id == StallEventId).Select(line => line.Message)
            .Where(report => report.Contains($" by {method} ", StringComparison.Ordinal));

    private sealed class WatchedRequest : HttpRequestFeature, IHttpRequestFeature
    {
        internal const string WatchedPath = "/watched";

        private readonly ConcurrentDictionary<int, bool> _readers = new();

        internal ICollection<int> Readers => _readers.Keys;

        string IHttpRequestFeature.Method
        {
            get => Read("GET");
            set => throw new NotSupportedException();
        }

        string IHttpRequestFeature.Path
        {
            get => Read(WatchedPath);
            set => throw new NotSupportedException();
        }

        private string Read(string value)
        {
            _readers[Environment.CurrentManagedThreadId] = true;
            return value;
        }
    }
}
