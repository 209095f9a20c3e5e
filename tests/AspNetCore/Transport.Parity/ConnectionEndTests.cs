using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// Either side may end a connection at any point: politely with FIN, rudely with RST. What the other side and the
/// handler see of it is the same over each transport.
/// </summary>
public class ConnectionEndTests
{
    private const string UploadHead = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n";

    [Theory, OverTransports]
    public async Task KeepsTheConnectionBetweenRequests(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, Handlers.PathAsync);
        using RawClient client = await server.ConnectAsync();
        for (int i = 0; i < 10; i++)
        {
            Assert.Equal($"/{i}", (await client.GetAsync($"/{i}")).Text);
        }

        Assert.Single(server.Connections);
    }

    [Theory, OverTransports("HTTP/1.1\r\nConnection: close", "HTTP/1.0")]
    public async Task EndsWithFinAfterTheLastAnswer(TransportKind transport, EndPointKind endPoint, string version)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, Handlers.PathAsync);
        using RawClient client = await server.ConnectAsync();

        RawResponse response = await client.AskAsync($"GET /last {version}\r\nHost: localhost\r\n\r\n");
        Ended rest = await client.ReadToEndAsync();

        Assert.Equal("/last", response.Text);
        Assert.Equal((0, Ending.Fin), (rest.Bytes.Length, rest.Ending));
    }

    [Theory, OverTransports]
    public async Task SendsAllOfALargeLastAnswerBeforeFin(TransportKind transport, EndPointKind endPoint)
    {
        byte[] content = Payload.Of(5_000_000);
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, async context =>
        {
            context.Response.ContentLength = content.Length;
            await context.Response.Body.WriteAsync(content);
        });
        using RawClient client = await server.ConnectAsync();

        RawResponse response = await client.GetAsync("/", "Connection: close\r\n");
        Ended rest = await client.ReadToEndAsync();

        Payload.AssertSame(content, response.Body);
        Assert.Equal((0, Ending.Fin), (rest.Bytes.Length, rest.Ending));
    }

    [Theory, OverTransports]
    public Task AFinAbortsARequestWhoseHandlerDoesNotRead(TransportKind transport, EndPointKind endPoint)
        => AssertAbortsAsync(transport, endPoint, static client => client.Finish());

    [Theory, OverTransports]
    public Task AFinSentWithTheRequestAbortsIt(TransportKind transport, EndPointKind endPoint)
        => AssertAbortsAsync(transport, endPoint, static client => client.Finish(), isEnteredFirst: false);

    [Theory, OverTransports]
    public async Task AnAnswerWrittenAfterTheClientsFinIsDropped(TransportKind transport, EndPointKind endPoint)
    {
        TaskCompletionSource aborted = Waits.Signal();
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, async context =>
        {
            await WaitForAbortAsync(context, Waits.Signal(), aborted);
            await Handlers.TextAsync(context, "late");
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/"));

        client.Finish();
        Ended ended = await client.ReadToEndAsync();

        Assert.Empty(ended.Bytes);
        Assert.Equal(Ending.Fin, ended.Ending);
    }

    [Theory, OverTransports]
    public Task ACloseAbortsARequestWhoseHandlerDoesNotRead(TransportKind transport, EndPointKind endPoint)
        => AssertAbortsAsync(transport, endPoint, static client => client.Dispose());

    [Theory, OverTransports(TcpOnly = true)]
    public Task AResetAbortsARequestWhoseHandlerDoesNotRead(TransportKind transport, EndPointKind endPoint)
        => AssertAbortsAsync(transport, endPoint, static client => client.Reset());

    /// <summary>Whoever looks for the reason of lost connections turns the level Debug on.</summary>
    [Theory, OverTransports(TcpOnly = true)]
    public async Task AResetIsLoggedWithItsConnection(TransportKind transport, EndPointKind endPoint)
    {
        TaskCompletionSource<string> entered = new(TaskCreationOptions.RunContinuationsAsynchronously);
        using LogCapture logs = new(LogLevel.Debug);
        string category = transport == TransportKind.Ioxide ? "Ioxide.AspNetCore" : "Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets";
        await using TestServer server = await TestServer.StartAsync(new ServerSetup(transport, endPoint)
        {
            Handler = context =>
            {
                entered.SetResult(context.Connection.Id);
                return Task.Delay(-1, context.RequestAborted).ContinueWith(static _ => { }, TaskScheduler.Default);
            },
            Builder = builder => builder.Logging.AddProvider(logs).SetMinimumLevel(LogLevel.Debug),
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/"));
        string id = await entered.Task.Within(20.Seconds());

        client.Reset();

        bool IsOfReset(LogLine line)
            => line.Category == category && line.Level == LogLevel.Debug
                && line.Message.Contains(id, StringComparison.Ordinal) && line.Message.Contains("reset", StringComparison.OrdinalIgnoreCase);
        await Waits.Eventually(() => logs.Lines.Any(IsOfReset), 20.Seconds());
    }

    [Theory, OverTransports(TcpOnly = true)]
    public async Task AResetInTheMiddleOfAnUploadFailsTheRead(TransportKind transport, EndPointKind endPoint)
    {
        Exception exception = await CutUploadAsync(transport, endPoint, client => client.Reset());

        Assert.IsType<ConnectionResetException>(exception);
    }

    [Theory, OverTransports]
    public async Task AFinInTheMiddleOfAnUploadFailsTheRead(TransportKind transport, EndPointKind endPoint)
    {
        Exception exception = await CutUploadAsync(transport, endPoint, client => client.Finish());

        BadHttpRequestException bad = Assert.IsAssignableFrom<BadHttpRequestException>(exception);
        Assert.Equal(400, bad.StatusCode);
    }

    [Theory, OverTransports(TcpOnly = true)]
    public Task AResetInTheMiddleOfADownloadEndsTheHandlersWrites(TransportKind transport, EndPointKind endPoint)
        => AssertWritesEndAsync(transport, endPoint, client => client.Reset());

    [Theory, OverTransports]
    public Task ACloseInTheMiddleOfADownloadEndsTheHandlersWrites(TransportKind transport, EndPointKind endPoint)
        => AssertWritesEndAsync(transport, endPoint, client => client.Dispose());

    [Theory, OverTransports(TcpOnly = true)]
    public async Task AbortingInTheMiddleOfAnAnswerGivesTheClientAReset(TransportKind transport, EndPointKind endPoint)
    {
        TaskCompletionSource clientHasHead = Waits.Signal();
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, async context =>
        {
            await context.Response.WriteAsync("some");
            await context.Response.Body.FlushAsync();
            await clientHasHead.Task.Within(20.Seconds());
            context.Abort();
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/"));
        await client.ReadHeadAsync();

        Assert.Equal("4", await client.ReadLineAsync());
        Assert.Equal("some", await client.ReadLineAsync());

        clientHasHead.SetResult();
        await client.AssertEndsAsync(Ending.Reset);
    }

    [Theory, OverTransports]
    public async Task AbortingTheRequestEndsTheConnectionByAResetOverTcp(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, context =>
        {
            context.Abort();
            return Task.CompletedTask;
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/"));

        Ended ended = await client.ReadToEndAsync();
        Assert.Empty(ended.Bytes);
        if (endPoint != EndPointKind.Unix)
        {
            Assert.Equal(Ending.Reset, ended.Ending);
        }
    }

    [Theory, OverTransports]
    public async Task ARejectedRequestIsAnsweredBeforeTheEnd(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, Handlers.PathAsync);
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync("NONSENSE\r\n\r\n");

        RawResponse response = await client.ReadResponseAsync();
        Ended ended = await client.ReadToEndAsync();

        Assert.Equal(400, response.Status);
        Assert.Empty(ended.Bytes);
    }

    private static async Task AssertAbortsAsync(TransportKind transport, EndPointKind endPoint, Action<RawClient> end, bool isEnteredFirst = true)
    {
        TaskCompletionSource entered = Waits.Signal();
        TaskCompletionSource aborted = Waits.Signal();
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, context => WaitForAbortAsync(context, entered, aborted));
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/"));
        if (isEnteredFirst)
        {
            await entered.Task.Within(20.Seconds());
        }

        end(client);

        await aborted.Task.Within(20.Seconds());
    }

    private static async Task WaitForAbortAsync(HttpContext context, TaskCompletionSource entered, TaskCompletionSource aborted)
    {
        TaskCompletionSource cancelled = Waits.Signal();
        using CancellationTokenRegistration registration = context.RequestAborted.Register(cancelled.SetResult);
        entered.SetResult();
        await cancelled.Task.Within(20.Seconds());
        aborted.SetResult();
    }

    private static async Task<Exception> CutUploadAsync(TransportKind transport, EndPointKind endPoint, Action<RawClient> cut)
    {
        TaskCompletionSource entered = Waits.Signal();
        TaskCompletionSource<Exception> failed = Waits.Signal<Exception>();
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, async context =>
        {
            try
            {
                await context.Request.Body.ReadExactlyAsync(new byte[10]);
                entered.SetResult();
                await context.Request.Body.CopyToAsync(Stream.Null);
                failed.SetException(new InvalidOperationException("The cut body was read to its end."));
            }
            catch (Exception exception) when (entered.Task.IsCompletedSuccessfully)
            {
                failed.SetResult(exception);
                throw;
            }
        }, expectsErrors: true);
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(UploadHead + "0123456789 and some more");
        await entered.Task.Within(20.Seconds());
        cut(client);
        return await failed.Task.Within(20.Seconds());
    }

    /// <summary>A handler writes without end until the client, in the middle of it, does what <paramref name="cut"/> says.</summary>
    private static async Task AssertWritesEndAsync(TransportKind transport, EndPointKind endPoint, Action<RawClient> cut)
    {
        byte[] piece = Payload.Of(64 * 1024);
        TaskCompletionSource ended = Waits.Signal();
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, async context =>
        {
            while (!context.RequestAborted.IsCancellationRequested)
            {
                await context.Response.Body.WriteAsync(piece, CancellationToken.None);
            }

            ended.SetResult();
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/"));
        await client.ReadExactlyAsync(200_000);

        cut(client);

        await ended.Task.Within(20.Seconds());
    }
}
