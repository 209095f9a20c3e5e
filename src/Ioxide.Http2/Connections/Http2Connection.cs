using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.Extensions.Logging;

namespace Ioxide.Http2;

/// <summary>One HTTP/2 connection: its frames, its streams, its windows (RFC 9113).</summary>
/// <remarks>
/// <para>It belongs to its reactor; other threads post (<see cref="Post"/>). One loop reads and handles frames. A request whose fields are complete
/// runs inside the loop to its end, or to its first await that waits, so one or two streams stay hot.</para>
/// <para>If such a handler blocks, another loop replaces the one below it and continues with the next frame
/// (<see cref="BlockedWait.Resume"/>). <see cref="_epoch"/> counts the loops, and a loop that finds another number than its own ends.</para>
/// <para>Written bytes are flushed once per receive, and by each writer outside the loop.</para>
/// <para>It has 61 fields: frames, windows, streams, limits and timers are one protocol state, a part of the type each.</para>
/// </remarks>
internal sealed partial class Http2Connection
{
    // Requests that are started in one turn of the reactor, before other connections have theirs.
    private const int MaxStartsPerTurn = 128;

    private readonly ConnectionContext _context;
    private readonly PipeReader _input;
    private readonly PipeWriter _output;
    private readonly Http2Application _application;
    private readonly bool _runsOnPool;
    private readonly ILogger _logger;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Dictionary<int, Http2Stream> _streams = [];

    // Requests whose bodies were not complete when their fields were: they start behind the frames of their receive.
    private readonly Queue<Http2Stream> _incomplete = new();

    private ReadOnlySequence<byte> _rest;
    private int _epoch;
    private long _turn;
    private int _starts;
    private bool _isCalling;
    private bool _isParsing;
    private bool _inputEnded;
    private bool _isClosed;
    private bool _hasLeft;
    private int _running;
    private bool _hasPreface;
    private bool _hasSettings;

    internal Http2Connection(
        ConnectionContext context, Reactor reactor, bool runsOnPool, Http2Options options, Http2Application application, ILogger logger,
        ILogger kestrelLogger)
    {
        _context = context;
        _input = context.Transport.Input;
        _output = context.Transport.Output;
        _application = application;
        _runsOnPool = runsOnPool;
        _logger = logger;
        KestrelLogger = kestrelLogger;
        Reactor = reactor;
        Options = options;
        _decoder = new HpackDecoder(options.HeaderTableBytes, options.MaxFieldBytes);
        _encoder.Allow(options.CompressesFields ? (uint)HpackDecoder.DefaultTableBytes : 0);
        _receiveLeft = options.ConnectionWindow;
    }

    internal static ReadOnlySpan<byte> Preface => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8;

    internal Reactor Reactor { get; }

    internal Http2Options Options { get; }

    internal ConnectionContext Context => _context;

    internal ILogger Logger => _logger;

    internal ILogger KestrelLogger { get; }

    /// <summary>Handlers run on the thread pool.</summary>
    internal bool RunsOnPool => _runsOnPool;

    /// <summary>Where refused requests are announced; null if the host has none.</summary>
    internal DiagnosticListener? Diagnostics { get; init; }

    /// <summary>The field Alt-Svc of each answer; null for none.</summary>
    internal string? AltSvc { get; init; }

    /// <summary>Whether the request's scheme is https.</summary>
    internal bool IsTls { get; init; }

    /// <summary>Serves the connection to its end. Threads: the reactor's.</summary>
    internal async Task RunAsync()
    {
        var lifetime = _context.Features.Get<IConnectionLifetimeNotificationFeature>();
        using CancellationTokenRegistration stop = lifetime?.ConnectionClosedRequested.Register(
            static connection => ((Http2Connection)connection!).PostStop(), this) ?? default;
        using CancellationTokenRegistration closed = _context.ConnectionClosed.Register(
            static connection => ((Http2Connection)connection!).PostLost(), this);
        Start();
        await _ended.Task.ConfigureAwait(false);
    }

    private void Start()
    {
        if (Reactor.HasEnded)
        {
            // It ended before the connection came to it, and the connection with it.
            _ = _ended.TrySetResult();
            return;
        }

        Debug.Assert(Reactor.IsCurrent);
        using ContextScope scope = Reactor.EnterRuntime();
        if (_context.Features.Get<IConnectionMetricsTagsFeature>() is { } metrics)
        {
            metrics.Tags.Add(new("network.protocol.name", "http"));
            metrics.Tags.Add(new("network.protocol.version", "2"));
        }

        WriteFirstSettings();
        _ = LoopAsync(_epoch, hasInput: false);
        _ = WatchAsync();
    }

    private void TakeOverFrom(int epoch)
    {
        if (_epoch == epoch && _isCalling)
        {
            _epoch++;
            _isCalling = false;
            _ = LoopAsync(_epoch, hasInput: true);
        }
    }

    private async Task LoopAsync(int epoch, bool hasInput)
    {
        try
        {
            while (!_isClosed)
            {
                if (!hasInput)
                {
                    Flush();
                    ReadResult result = await _input.ReadAsync().ConfigureAwait(true);
                    _rest = result.Buffer;
                    _inputEnded = result.IsCompleted;
                    NoteHeard();
                }

                hasInput = false;
                switch (HandleFrames(epoch))
                {
                    case Handled.ByAnother:
                        return;
                    case Handled.InPart:
                        hasInput = true;
                        Flush();
                        await new YieldToReactor(Reactor);
                        continue;
                }

                _input.AdvanceTo(_rest.Start, _rest.End);
                if (_inputEnded)
                {
                    NoteLoss();
                    break;
                }
            }
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            // The peer is gone, or this side aborted.
            NoteLoss();
            Http2Log.ConnectionLost(_logger, _context.ConnectionId, exception.Message);
        }
        catch (Exception exception)
        {
            Http2Log.ConnectionFailed(_logger, _context.ConnectionId, exception);
            Fail(Http2Fault.Connection(Http2ErrorCode.InternalError, "The server failed."));
        }

        try
        {
            Leave();
        }
        catch (Exception exception)
        {
            Http2Log.ConnectionFailed(_logger, _context.ConnectionId, exception);
            _context.Abort(new ConnectionAbortedException("The server failed."));
            _ = _ended.TrySetResult();
        }
    }

    private Handled HandleFrames(int epoch)
    {
        _isParsing = true;
        while (!_isClosed && TryReadPreface()
            && Http2FrameReader.TryRead(ref _rest, Options.MaxFrameBytes, out Http2FrameHeader header, out ReadOnlySequence<byte> payload, out Http2Fault fault)
                | !fault.IsNone)
        {
            Http2Stream? ready = null;
            if (fault.IsNone)
            {
                fault = Handle(header, payload, out ready);
            }

            if (!fault.IsNone)
            {
                Answer(fault, header.StreamId);
            }
            else if (ready is { HasReceivedEnd: false })
            {
                // The frames behind it may hold its body, which its handler then need not wait for.
                _incomplete.Enqueue(ready);
            }
            else if (ready is not null)
            {
                if (!Run(ready, epoch))
                {
                    return Handled.ByAnother;
                }

                if (IsTurnUsed())
                {
                    _isParsing = false;
                    return Handled.InPart;
                }
            }
        }

        while (!_isClosed && _incomplete.TryDequeue(out Http2Stream? stream))
        {
            if (stream.IsClosed)
            {
                // It was reset before its handler began.
                ReturnStream(stream);
            }
            else if (!Run(stream, epoch))
            {
                return Handled.ByAnother;
            }
            else if (IsTurnUsed())
            {
                _isParsing = false;
                return Handled.InPart;
            }
        }

        _isParsing = false;
        return Handled.Wholly;
    }

    /// <summary>Counts a start, and says whether it was the turn's last.</summary>
    private bool IsTurnUsed()
    {
        long turn = Reactor.Turns;
        _starts = turn == _turn ? _starts + 1 : 1;
        _turn = turn;
        return _starts >= MaxStartsPerTurn;
    }

    private bool TryReadPreface()
    {
        if (_hasPreface)
        {
            return true;
        }

        Span<byte> first = stackalloc byte[Preface.Length];
        int length = (int)Math.Min(_rest.Length, Preface.Length);
        _rest.Slice(0, length).CopyTo(first);
        if (!Preface.StartsWith(first[..length]))
        {
            Fail(Http2Fault.Connection(Http2ErrorCode.ProtocolError, "The connection does not begin with the preface.", "invalid_handshake"));
            return false;
        }

        _hasPreface = length == Preface.Length;
        _rest = _hasPreface ? _rest.Slice(length) : _rest;
        return _hasPreface;
    }

    /// <summary>Runs the application for a request. False if another loop has replaced this one meanwhile.</summary>
    private bool Run(Http2Stream stream, int epoch)
    {
        _running++;
        stream.Body.HandlerBegins();
        if (_runsOnPool || Reactor.IsBlocked)
        {
            Reactor.Kernel.QueueToThreadPool(stream);
            return true;
        }

        _isCalling = true;
        Reactor.Continuation = WorkItem.Of(this, epoch, static (connection, epoch) => connection.TakeOverFrom((int)epoch));
        using (Reactor.EnterApplication())
        {
            stream.Execute();
        }

        if (_epoch != epoch)
        {
            return false;
        }

        _isCalling = false;
        Reactor.Continuation = default;
        if (Reactor.IsCurrent)
        {
            return true;
        }

        // The reactor ended under the blocked handler: there is nothing left to serve.
        _ = _ended.TrySetResult();
        return false;
    }

    /// <summary>Nothing more is read. Running requests are aborted unless they may still answer.</summary>
    private void Leave()
    {
        _hasLeft = true;
        _isClosed = true;

        // Held to the end of this call: the last stream that runs may be closed before those that wait to run.
        _running++;
        foreach (Http2Stream stream in _streams.Values.ToArray())
        {
            CloseStream(stream, "The connection has ended.");
        }

        while (_incomplete.TryDequeue(out Http2Stream? stream))
        {
            ReturnStream(stream);
        }

        if (!_isFlushing)
        {
            Flush();
        }

        _running--;
        EndIfIdle();
    }

    private void EndIfIdle()
    {
        if (_hasLeft && _running == 0 && !_ended.Task.IsCompleted)
        {
            ReturnBlock();
            Debug.Assert(_streams.Count == 0);
            using ContextScope scope = Reactor.EnterRuntime();
            _input.Complete();
            if (!_hasError)
            {
                _output.Complete();
            }

            // Behind an error the output is its owner's to end, who knows what that says to the client.
            _ = _ended.TrySetResult();
        }
    }

    private enum Handled
    {
        Wholly,

        /// <summary>Other connections have their turn first.</summary>
        InPart,

        /// <summary>A handler blocked, and another loop continues after it.</summary>
        ByAnother,
    }
}
