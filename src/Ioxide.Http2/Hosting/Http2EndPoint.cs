using System.Buffers;
using System.Diagnostics;
using System.Globalization;
using System.IO.Pipelines;
using System.Net;
using System.Runtime.CompilerServices;
using System.Security.Authentication;
using System.Text;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Ioxide.Http2;

/// <summary>
/// One of Kestrel's endpoints: decides for each connection, by its first bytes or its ALPN, whether Kestrel or the engine serves it.
/// </summary>
internal sealed class Http2EndPoint(ListenOptions listen)
{
    // Kestrel represents "no timeout" as a time that no timer accepts.
    private static readonly TimeSpan s_longestTimer = TimeSpan.FromDays(24);

    private static readonly ConditionalWeakTable<ListenOptions, Http2EndPoint> s_all = [];

    private bool? _isChosen;

    /// <summary>The endpoint itself says who serves.</summary>
    internal static void Choose(ListenOptions listen, bool isEngine)
    {
        Http2EndPoint endPoint = s_all.GetValue(listen, static listen => new Http2EndPoint(listen));
        endPoint._isChosen = isEngine;
        KestrelEndPoints.PutLast(listen, endPoint.Build);
    }

    /// <summary>The endpoint is configured: the engine comes behind its other middleware, in whichever order they were added.</summary>
    /// <param name="listen">The endpoint.</param>
    /// <param name="servesAll">The engine serves unless the endpoint says otherwise.</param>
    internal static void Settle(ListenOptions listen, bool servesAll)
    {
        if (servesAll || s_all.TryGetValue(listen, out _))
        {
            Http2EndPoint endPoint = s_all.GetValue(listen, static listen => new Http2EndPoint(listen));
            KestrelEndPoints.PutLast(listen, endPoint.Build);
            if (endPoint._isChosen != false && KestrelEndPoints.IsOnRing(listen))
            {
                KestrelEndPoints.ServesHttp2InClear(listen);
            }
        }
    }

    /// <summary>Puts the engine in front of Kestrel's HTTP, or leaves the endpoint to Kestrel and says why.</summary>
    private ConnectionDelegate Build(ConnectionDelegate next)
    {
        bool hasHttp2 = listen.Protocols.HasFlag(HttpProtocols.Http2);
        if (_isChosen == false || (_isChosen is null && !hasHttp2))
        {
            return next;
        }

        IServiceProvider services = listen.ApplicationServices;
        ILoggerFactory loggers = services.GetRequiredService<ILoggerFactory>();
        ILogger logger = loggers.CreateLogger(Http2Log.Category);
        string name = listen.ToString() ?? "";
        if (!hasHttp2)
        {
            Http2Log.LeftToKestrel(logger, LogLevel.Warning, name, "its Protocols have no HTTP/2.");
            return next;
        }

        if (!KestrelEndPoints.IsOnRing(listen))
        {
            Http2Log.LeftToKestrel(
                logger, LogLevel.Information, name,
                "reactors do not serve it: UseIoxide() was not called, or its log says why.");
            return next;
        }

        var engine = new Engine(
            services.GetRequiredService<Http2Applications>(), logger, loggers.CreateLogger(Http2Log.KestrelCategory),
            services.GetService<DiagnosticListener>(),
            services.GetService<IMultiplexedConnectionListenerFactory>() is not null && !listen.DisableAltSvcHeader);
        if (KestrelEndPoints.PutBeforeHttp(next, http => connection => ServeAsync(connection, engine, http)) is { } pipeline)
        {
            bool isClear = listen.Protocols.HasFlag(HttpProtocols.Http1) && !KestrelEndPoints.IsTls(listen);
            Http2Log.Started(
                logger, name,
                isClear ? ", to clients that begin with it. A warning of Kestrel's that HTTP/2 is not enabled here does not apply" : "");
            return pipeline;
        }

        Http2Log.LeftToKestrel(
            logger, LogLevel.Warning, name, "connection middleware was added behind it. Call UseIoxideHttp2 on the endpoint after that middleware.");
        return next;
    }

    private async Task ServeAsync(ConnectionContext connection, Engine engine, ConnectionDelegate http)
    {
        if (connection.Features.Get<IReactorFeature>() is not IoxideConnectionContext context || engine.Applications.Current is not { } application)
        {
            await http(connection).ConfigureAwait(false);
            return;
        }

        // Kestrel starts a connection on the thread pool.
        await new SwitchToReactor(context.Reactor);
        bool isTls = connection.Features.Get<ITlsConnectionFeature>() is not null;
        bool? isHttp2 = isTls
            ? connection.Features.Get<ITlsApplicationProtocolFeature>() is { } tls
                && tls.ApplicationProtocol.Span.SequenceEqual("h2"u8)
                && connection.Features.Get<ITlsHandshakeFeature>() is not { Protocol: < SslProtocols.Tls12 }
            : await BeginsWithPrefaceAsync(connection, engine.Logger).ConfigureAwait(true);
        if (isHttp2 is null)
        {
            return;
        }

        if (isHttp2 == false)
        {
            await http(connection).ConfigureAwait(false);
            return;
        }

        context.NoteHttp2();
        if (!context.Reactor.IsCurrent)
        {
            // While another connection's handler blocks, the entry above leads to the thread pool; the engine runs on the reactor all the same.
            await new YieldToReactor(context.Reactor);
        }

        // SslStream's middleware, for one, has put its own pipe in front.
        IDuplexPipe transport = connection.Transport;
        CopyingTransport? copying = transport.Output is IReferenceWriter ? null : new CopyingTransport(transport);
        connection.Transport = copying ?? transport;
        var options = new Http2Options(listen.KestrelServerOptions);
        var server = new Http2Connection(
            connection, context.Reactor, context.RunsOnThreadPool, options, application, engine.Logger, engine.KestrelLogger)
        {
            IsTls = isTls,
            Diagnostics = engine.Diagnostics,
            AltSvc = engine.HasHttp3 ? AltSvcOf(connection) : null,
        };
        Task serving = server.RunAsync();
        if (copying is not null)
        {
            _ = await Task.WhenAny(serving, copying.Completed).ConfigureAwait(false);
            await EndAsync(copying, connection, engine.Logger).ConfigureAwait(false);
            if (copying is { HasError: true, IsStream: true } && !serving.IsCompleted)
            {
                // Handlers run on behind an error, and the stream with them. The client does not wait for their end.
                context.EndOutput();
            }
        }

        await serving.ConfigureAwait(false);
        connection.Transport = transport;
    }

    /// <summary>Waits until a stream has taken the last bytes, or the connection is aborted.</summary>
    private static async Task EndAsync(CopyingTransport copying, ConnectionContext connection, ILogger logger)
    {
        try
        {
            await copying.Writing.ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException or InvalidOperationException)
        {
            Http2Log.ConnectionLost(logger, connection.ConnectionId, exception.Message);
            connection.Abort(new ConnectionAbortedException("The last bytes could not be written.", exception));
        }
    }

    /// <summary>What tells clients of HTTP/3 on the same port, as Kestrel does; null where it is not served.</summary>
    private string? AltSvcOf(ConnectionContext connection)
        => connection.LocalEndPoint is IPEndPoint { Port: var port } && listen.Protocols.HasFlag(HttpProtocols.Http3)
            ? string.Create(CultureInfo.InvariantCulture, $"h3=\":{port}\"; ma=86400")
            : null;

    /// <summary>Examines as many bytes as necessary, and consumes none. Null if the client left, or did not send enough in time.</summary>
    /// <remarks>Without HTTP/1.1 too: Kestrel has an answer to whatever else a client begins with.</remarks>
    private async Task<bool?> BeginsWithPrefaceAsync(ConnectionContext connection, ILogger logger)
    {
        // Until the choice is made, neither Kestrel nor the engine ends a silent connection.
        CancellationToken stop = connection.Features.Get<IConnectionLifetimeNotificationFeature>()?.ConnectionClosedRequested ?? default;
        using CancellationTokenSource patience = CancellationTokenSource.CreateLinkedTokenSource(stop);
        KestrelServerLimits limits = listen.KestrelServerOptions.Limits;
        patience.CancelAfter(Timer(limits.KeepAliveTimeout));
        bool maySendHttp1 = listen.Protocols.HasFlag(HttpProtocols.Http1);
        bool hasBegun = false;
        PipeReader input = connection.Transport.Input;
        try
        {
            while (true)
            {
                ReadResult result = await input.ReadAsync(patience.Token).ConfigureAwait(true);
                int? compared = Compare(result.Buffer);
                bool isOver = compared is not null || result.IsCompleted || result.IsCanceled;
                input.AdvanceTo(result.Buffer.Start, isOver ? result.Buffer.Start : result.Buffer.End);
                if (isOver)
                {
                    return compared == 0;
                }

                if (maySendHttp1 && !hasBegun)
                {
                    // What the preface begins with begins a POST too.
                    hasBegun = true;
                    patience.CancelAfter(Timer(limits.RequestHeadersTimeout));
                }
            }
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            Http2Log.ConnectionLost(logger, connection.ConnectionId, exception.Message);
        }

        if (hasBegun && patience.IsCancellationRequested && !stop.IsCancellationRequested)
        {
            await AnswerWithTimeoutAsync(connection, logger).ConfigureAwait(false);
        }

        return null;
    }

    private static TimeSpan Timer(TimeSpan limit) => limit < s_longestTimer ? limit : Timeout.InfiniteTimeSpan;

    /// <summary>The answer of Kestrel's HTTP/1.1 to a request line that is not whole within <c>RequestHeadersTimeout</c>.</summary>
    private async Task AnswerWithTimeoutAsync(ConnectionContext connection, ILogger logger)
    {
        string server = listen.KestrelServerOptions.AddServerHeader ? "Server: Kestrel\r\n" : "";
        byte[] answer = Encoding.ASCII.GetBytes(
            $"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\nDate: {DateTimeOffset.UtcNow:r}\r\n{server}\r\n");
        try
        {
            await connection.Transport.Output.WriteAsync(answer, CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException or InvalidOperationException)
        {
            Http2Log.ConnectionLost(logger, connection.ConnectionId, exception.Message);
        }
    }

    /// <summary>0 for the preface, another number for anything else, null while undecided.</summary>
    private static int? Compare(in ReadOnlySequence<byte> buffer)
    {
        Span<byte> first = stackalloc byte[Http2Connection.Preface.Length];
        int length = (int)Math.Min(first.Length, buffer.Length);
        buffer.Slice(0, length).CopyTo(first);
        return !Http2Connection.Preface.StartsWith(first[..length]) ? 1 : length == first.Length ? 0 : null;
    }

    /// <summary>What the pipeline of one address has.</summary>
    private sealed record Engine(
        Http2Applications Applications, ILogger Logger, ILogger KestrelLogger, DiagnosticListener? Diagnostics, bool HasHttp3);
}
