using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
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
/// One of Kestrel's end points: decides for each connection, by its first bytes or its ALPN, whether Kestrel or the engine serves it.
/// </summary>
internal sealed class Http2EndPoint(ListenOptions listen, Http2Applications applications, ILoggerFactory loggers)
{
    private static readonly KestrelServerOptions s_defaults = new();

    // Kestrel represents "no timeout" as a time that no timer accepts.
    private static readonly TimeSpan s_longestTimer = TimeSpan.FromDays(24);

    private readonly ILogger _logger = loggers.CreateLogger("Ioxide.Http2");
    private readonly ILogger _kestrelLogger = loggers.CreateLogger(Http2Log.KestrelCategory);
    private readonly DiagnosticListener? _diagnostics = listen.ApplicationServices.GetService<DiagnosticListener>();

    /// <summary>Puts the engine in front of Kestrel, or leaves the end point to Kestrel if an option asks for something the engine lacks.</summary>
    internal ConnectionDelegate Build(ConnectionDelegate next)
    {
        if (WhyNot() is { } reason)
        {
            Http2Log.LeftToKestrel(_logger, listen.ToString() ?? "", reason);
            return next;
        }

        Http2Log.Started(_logger, listen.ToString() ?? "");
        return connection => ServeAsync(connection, next);
    }

    private string? WhyNot()
    {
        KestrelServerOptions options = listen.KestrelServerOptions;
        return !listen.Protocols.HasFlag(HttpProtocols.Http2) ? $"{nameof(listen.Protocols)} has no HTTP/2."
            : !ReferenceEquals(options.RequestHeaderEncodingSelector, s_defaults.RequestHeaderEncodingSelector)
                ? $"{nameof(options.RequestHeaderEncodingSelector)} is set."
            : !ReferenceEquals(options.ResponseHeaderEncodingSelector, s_defaults.ResponseHeaderEncodingSelector)
                ? $"{nameof(options.ResponseHeaderEncodingSelector)} is set."
            : options.AllowAlternateSchemes ? $"{nameof(options.AllowAlternateSchemes)} is set."
            : listen.Protocols.HasFlag(HttpProtocols.Http3) && !listen.DisableAltSvcHeader
                && listen.ApplicationServices.GetService<IMultiplexedConnectionListenerFactory>() is not null
                ? $"{nameof(listen.Protocols)} has HTTP/3, which {nameof(listen.DisableAltSvcHeader)} does not keep out of answers."
            : null;
    }

    private async Task ServeAsync(ConnectionContext connection, ConnectionDelegate next)
    {
        if (connection.Features.Get<IReactorFeature>() is not IoxideConnectionContext context
            || connection.Transport.Output is not IReferenceWriter
            || applications.Current is not { } application)
        {
            // The sockets transport serves, or middleware such as SslStream's has put its own pipe in front.
            await next(connection).ConfigureAwait(false);
            return;
        }

        // Kestrel starts a connection on the thread pool.
        await new SwitchToReactor(context.Reactor);
        bool isTls = connection.Features.Get<ITlsConnectionFeature>() is not null;
        bool? isHttp2 = isTls
            ? connection.Features.Get<ITlsApplicationProtocolFeature>() is { } tls
                && tls.ApplicationProtocol.Span.SequenceEqual("h2"u8)
            : await BeginsWithPrefaceAsync(connection).ConfigureAwait(true);
        if (isHttp2 is null)
        {
            return;
        }

        if (isHttp2 == false)
        {
            await next(connection).ConfigureAwait(false);
            return;
        }

        context.NoteHttp2();
        if (!context.Reactor.IsCurrent)
        {
            // While another connection's handler blocks, the entry above leads to the thread pool; the engine runs on the reactor all the same.
            await new YieldToReactor(context.Reactor);
        }

        var engine = new Http2Connection(
            connection, context.Reactor, context.RunsOnThreadPool, new Http2Options(listen.KestrelServerOptions), application, _logger, _kestrelLogger)
        {
            IsTls = isTls,
            Diagnostics = _diagnostics,
        };
        await engine.RunAsync().ConfigureAwait(false);
    }

    /// <summary>Examines as many bytes as necessary, and consumes none. Null if the client left or sent nothing in time.</summary>
    private async Task<bool?> BeginsWithPrefaceAsync(ConnectionContext connection)
    {
        if (!listen.Protocols.HasFlag(HttpProtocols.Http1))
        {
            return true;
        }

        // Until the choice is made, neither Kestrel nor the engine ends a silent connection.
        CancellationToken stop = connection.Features.Get<IConnectionLifetimeNotificationFeature>()?.ConnectionClosedRequested ?? default;
        using CancellationTokenSource patience = CancellationTokenSource.CreateLinkedTokenSource(stop);
        if (listen.KestrelServerOptions.Limits.KeepAliveTimeout is var timeout && timeout < s_longestTimer)
        {
            patience.CancelAfter(timeout);
        }

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
            }
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            Http2Log.ConnectionLost(_logger, connection.ConnectionId, exception.Message);
            return null;
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
}
