using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using BadHttpRequestException = Microsoft.AspNetCore.Http.BadHttpRequestException;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Answers an <see cref="Exchange"/> and counts what it holds, so that a test can show that it holds nothing.</summary>
internal sealed class ExchangeServer : IAsyncDisposable
{
    private readonly TestKit.LeakCheck _descriptors = TestKit.LeakCheck.Start();
    private readonly UnobservedExceptions _unobserved = UnobservedExceptions.Watch();
    private readonly bool _isSpread;
    private TestServer _server = null!; // Set by StartAsync before anyone else sees the object.
    private int _connections;
    private int _requests;

    private ExchangeServer(EndPointKind endPoint) => _isSpread = endPoint != EndPointKind.Unix;

    /// <summary>The right answers, as this server gave them once.</summary>
    internal Exchange Exchange { get; private set; } = null!; // As above.

    /// <param name="transport">The transport under Kestrel.</param>
    /// <param name="endPoint">What it is bound to.</param>
    /// <param name="limits">Sets Kestrel's limits of time; the defaults are longer than a test.</param>
    internal static async Task<ExchangeServer> StartAsync(TransportKind transport, EndPointKind endPoint, Action<KestrelServerLimits>? limits = null)
    {
        ExchangeServer server = new(endPoint);
        server._server = await TestServer.StartAsync(new(transport, endPoint)
        {
            Handler = server.AnswerAsync,
            Listen = listen => listen.Use(server.CountAsync),
            Kestrel = kestrel =>
            {
                kestrel.AddServerHeader = false;
                limits?.Invoke(kestrel.Limits);
            },
        });
        server.Exchange = await Exchange.RecordAsync(server._server);
        return server;
    }

    internal Task<RawClient> ConnectAsync() => _server.ConnectAsync();

    /// <summary>Waits until connections, requests and buffers are none and operations are those of a server at rest.</summary>
    /// <remarks>
    /// The number at rest is known and not measured: an acceptor that pauses after an injected error has nothing in flight
    /// meanwhile, up to a second.
    /// </remarks>
    internal async Task AssertHoldsNothingAsync()
    {
        string atRest = AtRest();
        string held = "";
        try
        {
            await Waits.Eventually(() => (held = Held()) == atRest, 20.Seconds());
        }
        catch (TimeoutException)
        {
            Assert.Fail($"Held is {held}\nand not  {atRest}");
        }
    }

    /// <summary>Stops it; fails where it logged an error, left a descriptor open or lost an exception.</summary>
    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        await _descriptors.AssertNoneLeftAsync(20.Seconds());
        _unobserved.AssertNone();
        _unobserved.Dispose();
    }

    private IReadOnlyList<Reactor> Reactors => _server.Services.GetService<ReactorFleet>()?.GetOrStart()?.Reactors ?? [];

    /// <summary>A poll for wake-ups on each reactor, and an accept on each that accepts: of a unix socket only the first.</summary>
    private string AtRest() => Describe(0, 0, Reactors.Select(reactor => (reactor.Id, 0, _isSpread || reactor.Id == 0 ? 2 : 1, 0)));

    private string Held()
        => Describe(Volatile.Read(ref _connections), Volatile.Read(ref _requests), Reactors.Select(reactor =>
        {
            ReactorSnapshot snapshot = reactor.Snapshot();
            return (reactor.Id, snapshot.Connections, snapshot.OperationsInFlight, snapshot.BuffersTaken);
        }));

    private static string Describe(int connections, int requests, IEnumerable<(int Id, int Connections, int Operations, int Buffers)> reactors)
        => $"{connections} connections, {requests} requests" + string.Concat(reactors.Select(reactor =>
            $", reactor {reactor.Id}: {reactor.Connections} connections, {reactor.Operations} operations, {reactor.Buffers} buffers"));

    private ConnectionDelegate CountAsync(ConnectionDelegate next) => async connection =>
    {
        Interlocked.Increment(ref _connections);
        try
        {
            await next(connection);
        }
        finally
        {
            Interlocked.Decrement(ref _connections);
        }
    };

    private async Task AnswerAsync(HttpContext context)
    {
        Interlocked.Increment(ref _requests);
        try
        {
            // Kestrel's own would differ from second to second.
            context.Response.Headers.Date = "Sat, 01 Jan 2000 00:00:00 GMT";
            await (context.Request.Path == "/echo" ? EchoInPiecesAsync(context) : Handlers.PathAsync(context));
        }
        catch (BadHttpRequestException exception) when (!context.Response.HasStarted)
        {
            context.Response.StatusCode = exception.StatusCode;
            context.Response.ContentLength = 0;
            context.Response.Headers.Connection = "close";
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            // The client went away in the middle of its body. An end of the answer would be a lie.
            context.Abort();
        }
        finally
        {
            Interlocked.Decrement(ref _requests);
        }
    }

    private static async Task EchoInPiecesAsync(HttpContext context)
    {
        byte[] piece = new byte[Exchange.PieceBytes];
        for (int count = piece.Length; count == piece.Length;)
        {
            count = await context.Request.Body.ReadAtLeastAsync(piece, piece.Length, throwOnEndOfStream: false);
            if (count > 0)
            {
                await context.Response.Body.WriteAsync(piece.AsMemory(0, count));
            }
        }
    }
}
