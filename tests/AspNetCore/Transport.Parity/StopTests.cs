using System.Net;
using System.Net.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Ioxide.AspNetCore.Tests;

/// <summary>A stop answers what was asked, ends what is idle and takes nothing new.</summary>
public class StopTests
{
    [Theory, OverTransports]
    public async Task EveryRequestInFlightIsAnswered(TransportKind transport, EndPointKind endPoint)
    {
        const int RequestCount = 100;
        int enteredCount = 0;
        TaskCompletionSource allEntered = Waits.Signal();
        TaskCompletionSource release = Waits.Signal();
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, async context =>
        {
            if (Interlocked.Increment(ref enteredCount) == RequestCount)
            {
                allEntered.SetResult();
            }

            await release.Task;
            await Handlers.PathAsync(context);
        });
        RawClient[] clients = await Task.WhenAll(Enumerable.Range(0, RequestCount).Select(_ => server.ConnectAsync()));
        for (int i = 0; i < RequestCount; i++)
        {
            await clients[i].SendAsync(RawClient.Get($"/{i}"));
        }

        await allEntered.Task.Within(20.Seconds());
        Task stopping = server.StopAsync();
        await WaitForStoppingAsync(server);
        release.SetResult();
        for (int i = 0; i < RequestCount; i++)
        {
            Assert.Equal($"/{i}", (await clients[i].ReadResponseAsync()).Text);
            Ended ended = await clients[i].ReadToEndAsync();
            Assert.Equal((0, Ending.Fin), (ended.Bytes.Length, ended.Ending));
            clients[i].Dispose();
        }

        await stopping;
    }

    [Theory, AllValues]
    public async Task StopsThoughTheFolderOfItsUnixSocketIsGone(TransportKind transport)
    {
        string folder = Directory.CreateTempSubdirectory("ioxide-stop").FullName;
        await using TestServer server = await TestServer.StartAsync(new(transport, EndPointKind.Unix)
        {
            Handler = Handlers.PathAsync,
            Bind = kestrel => kestrel.ListenUnixSocket(Path.Combine(folder, "server.sock")),
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/"));
        Assert.Equal(200, (await client.ReadResponseAsync()).Status);
        Directory.Delete(folder, recursive: true);

        await server.StopAsync();

        Assert.Empty((await client.ReadToEndAsync()).Bytes);
    }

    /// <summary>The client has the whole answer, and keeps a socket from which nobody will read the rest.</summary>
    [Theory, OverTransports]
    public async Task AClientThatWasRefusedAndKeepsItsSocketDoesNotDelayTheStop(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(new(transport, endPoint)
        {
            Handler = Handlers.PathAsync,
            Ioxide = static options => options.LingerTimeout = TimeSpan.FromMinutes(10),
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync("NONSENSE\r\n\r\n" + new string('x', 20_000));
        Assert.Equal(400, (await client.ReadResponseAsync()).Status);

        long started = Environment.TickCount64;
        await server.StopAsync();

        // The host's own limit would end the connection after 20 seconds.
        Assert.InRange(Environment.TickCount64 - started, 0, 10_000);
    }

    [Theory, OverTransports]
    public async Task ALargeAnswerInFlightIsSentToItsEnd(TransportKind transport, EndPointKind endPoint)
    {
        byte[] content = Payload.Of(10_000_000);
        TaskCompletionSource entered = Waits.Signal();
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, async context =>
        {
            entered.SetResult();
            context.Response.ContentLength = content.Length;
            await context.Response.Body.WriteAsync(content);
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/"));
        await entered.Task.Within(20.Seconds());

        Task stopping = server.StopAsync();
        await WaitForStoppingAsync(server);
        RawResponse response = await client.ReadResponseAsync();

        Payload.AssertSame(content, response.Body);
        await stopping;
    }

    /// <summary>Over sockets Kestrel closes a connection that it has not begun to read, and the request in it is lost.</summary>
    [Theory, Each(EndPointKind.IPv4, EndPointKind.Unix)]
    public async Task ARequestOnAConnectionThatKestrelHasNotBegunToReadIsAnswered(EndPointKind endPoint)
    {
        TaskCompletionSource hasArrived = Waits.Signal();
        TaskCompletionSource mayBegin = Waits.Signal();
        await using TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide, endPoint)
        {
            Handler = Handlers.PathAsync,
            Ioxide = options => options.FirstReadPatience = 60.Seconds(),
            Listen = listen => listen.Use(next => async connection =>
            {
                hasArrived.TrySetResult();
                await mayBegin.Task;
                await next(connection);
            }),
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/early"));
        await hasArrived.Task.Within(20.Seconds());

        Task stopping = server.StopAsync();
        await WaitUntilRefusedAsync(server.EndPoint);
        mayBegin.SetResult();

        Assert.Equal("/early", (await client.ReadResponseAsync()).Text);
        await stopping;
    }

    [Theory, Each(EndPointKind.IPv4, EndPointKind.Unix)]
    public async Task ARequestThatIsSentJustBehindTheStopIsAnswered(EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide, endPoint)
        {
            Handler = Handlers.PathAsync,
            Ioxide = options => options.FirstBytesPatience = 60.Seconds(),
        });
        using RawClient client = await server.ConnectAsync();
        await Waits.Eventually(() => server.Connections.Count == 1, 20.Seconds());

        Task stopping = server.StopAsync();
        await WaitUntilRefusedAsync(server.EndPoint);
        await client.SendAsync(RawClient.Get("/late"));

        Assert.Equal("/late", (await client.ReadResponseAsync()).Text);
        await client.AssertEndsAsync(Ending.Fin);
        await stopping;
    }

    [Theory, OverTransports]
    public async Task AConnectionThatSentNothingIsClosed(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint);
        using RawClient client = await server.ConnectAsync();
        await Waits.Eventually(() => server.Connections.Count == 1, 20.Seconds());

        await server.StopAsync();
        await client.AssertEndsAsync(Ending.Fin);
    }

    [Theory, OverTransports]
    public async Task AConnectionBetweenRequestsIsClosed(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint);
        using RawClient client = await server.ConnectAsync();
        Assert.Equal("/", (await client.GetAsync("/")).Text);

        await server.StopAsync();
        await client.AssertEndsAsync(Ending.Fin);
    }

    [Theory, OverTransports]
    public async Task ARequestThatOutlastsTheDeadlineIsAborted(TransportKind transport, EndPointKind endPoint)
    {
        TaskCompletionSource entered = Waits.Signal();
        TaskCompletionSource aborted = Waits.Signal();
        await using TestServer server = await TestServer.StartAsync(new(transport, endPoint)
        {
            ExpectsErrors = true,
            Builder = builder => builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = 1.Seconds()),
            Handler = async context =>
            {
                using CancellationTokenRegistration registration = context.RequestAborted.Register(() => aborted.TrySetResult());
                entered.SetResult();
                await aborted.Task.Within(20.Seconds());
            },
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/"));
        await entered.Task.Within(20.Seconds());

        await server.StopAsync();

        await aborted.Task.Within(20.Seconds());
        Assert.Empty((await client.ReadToEndAsync()).Bytes);
    }

    [Theory, OverTransports]
    public async Task NothingListensAfterTheStop(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint);
        EndPoint bound = server.EndPoint;

        await server.StopAsync();

        await RawSocket.UntilNobodyListensAsync(bound);
    }

    [Theory, OverTransports(TcpOnly = true)]
    public async Task ThePortCanBeBoundAgainAfterTheStop(TransportKind transport, EndPointKind endPoint)
    {
        TestServer first = await TestServer.StartAsync(transport, endPoint);
        IPEndPoint bound = (IPEndPoint)first.EndPoint;
        using (RawClient client = await first.ConnectAsync())
        {
            Assert.Equal("/", (await client.GetAsync("/")).Text);
        }

        await first.DisposeAsync();
        await using TestServer second = await TestServer.StartAsync(new(transport)
        {
            Bind = kestrel => kestrel.Listen(bound),
            Handler = Handlers.PathAsync,
        });
        using RawClient again = await second.ConnectAsync();

        Assert.Equal("/again", (await again.GetAsync("/again")).Text);
    }

    private static async Task WaitUntilRefusedAsync(EndPoint endPoint)
    {
        while (true)
        {
            try
            {
                using RawClient late = await RawClient.ConnectAsync(endPoint);
            }
            catch (SocketException)
            {
                return;
            }

            await Task.Delay(5);
        }
    }

    private static Task WaitForStoppingAsync(TestServer server)
    {
        TaskCompletionSource stopping = Waits.Signal();
        server.Lifetime.ApplicationStopping.Register(stopping.SetResult);
        return stopping.Task.Within(20.Seconds());
    }
}
