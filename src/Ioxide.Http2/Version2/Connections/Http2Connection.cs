using System.Buffers;
using System.Diagnostics;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.Extensions.Logging;

namespace Ioxide.Http2;

/// <summary>One HTTP/2 connection: its streams, what is received for them, and its end (RFC 9113).</summary>
/// <remarks>
/// <para>It belongs to its reactor; other threads post (<see cref="Post"/>). Its parts: the <see cref="Loop"/> reads frames, which the
/// <see cref="Receiver"/> handles with the <see cref="Blocks"/> of fields; the <see cref="Sender"/> writes answers, and the <see cref="Watch"/>
/// knows the time.</para>
/// <para>A stream is opened by its fields and closed by both ends or a reset; its object is free again when its handler has returned too. The
/// connection ends by a fault, by either side's wish once its streams are over, or with the transport; then the handlers that run are
/// aborted and waited for.</para>
/// </remarks>
internal sealed partial class Http2Connection
{
    // Handlers of closed streams may still run: at most this many handlers per stream that may be open.
    private const int RunningPerStream = 2;

    // What is posted runs on the thread pool once the reactor has ended, several pieces at once. Nobody takes the lock before.
    private static readonly Lock s_behindReactor = new();

    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly RecentResets _resetsHere = new();
    private int _running;
    private int _lastStreamId;
    private long _receiveLeft;
    private long _credit;
    private bool _isStopping;
    private bool _hasError;
    private bool _sentFinalGoAway;
    private Exception? _loss;

    internal Http2Connection(
        ConnectionContext context, Reactor reactor, bool runsOnPool, Http2Options options, Http2Application application, ILogger logger,
        ILogger kestrelLogger)
    {
        Context = context;
        RunsOnPool = runsOnPool;
        Logger = logger;
        KestrelLogger = kestrelLogger;
        Reactor = reactor;
        Options = options;
        _receiveLeft = options.ConnectionWindow;
        Blocks = new HeaderBlocks(options);
        Loop = new ConnectionLoop(this, context.Transport.Input);
        Pool = new StreamPool(this, application);
        Receiver = new FrameReceiver(this);
        Sender = new AnswerSender(this, context.Transport.Output);
        Sender.AllowTable(options.CompressesFields ? (uint)HpackDecoder.DefaultTableBytes : 0);
        Watch = new ConnectionWatch(this);
    }

    internal static ReadOnlySpan<byte> Preface => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8;

    internal ConnectionContext Context { get; }

    internal Reactor Reactor { get; }

    internal Http2Options Options { get; }

    internal ILogger Logger { get; }

    internal ILogger KestrelLogger { get; }

    /// <summary>Handlers run on the thread pool.</summary>
    internal bool RunsOnPool { get; }

    /// <summary>Where refused requests are announced; null if the host has none.</summary>
    internal DiagnosticListener? Diagnostics { get; init; }

    /// <summary>The field Alt-Svc of each answer; null for none.</summary>
    internal string? AltSvc { get; init; }

    /// <summary>Whether the request's scheme is https.</summary>
    internal bool IsTls { get; init; }

    internal HeaderBlocks Blocks { get; }

    internal ConnectionLoop Loop { get; }

    internal StreamPool Pool { get; }

    internal FrameReceiver Receiver { get; }

    internal AnswerSender Sender { get; }

    internal ConnectionWatch Watch { get; }

    /// <summary>Streams that are not closed, by their ids.</summary>
    internal Dictionary<int, Http2Stream> Streams { get; } = [];

    internal int OpenCount => Streams.Count;

    /// <summary>Nothing more is handled.</summary>
    internal bool IsClosed { get; private set; }

    /// <summary>Nothing more is read.</summary>
    internal bool HasLeft { get; private set; }

    /// <summary>The peer may send a body's bytes.</summary>
    internal bool IsWindowOpen => _receiveLeft >= Options.ConnectionWindow / 2;

    /// <summary>Serves the connection to its end. Threads: the reactor's.</summary>
    internal async Task RunAsync()
    {
        var lifetime = Context.Features.Get<IConnectionLifetimeNotificationFeature>();
        using CancellationTokenRegistration stop = lifetime?.ConnectionClosedRequested.Register(
            static connection => ((Http2Connection)connection!).PostStop(), this) ?? default;
        using CancellationTokenRegistration closed = Context.ConnectionClosed.Register(
            static connection => ((Http2Connection)connection!).PostLost(), this);
        Start();
        await _ended.Task.ConfigureAwait(false);
    }

    /// <summary>HEADERS or CONTINUATION: opens a stream, or ends a request with trailers, if the block is whole.</summary>
    internal Http2Fault OnHeaders(in Http2FrameHeader header, in ReadOnlySequence<byte> payload, out Http2Stream? ready)
    {
        ready = null;
        Http2Fault fault = header.Type == Http2FrameType.Headers
            ? Blocks.Begin(header, payload, out ReadOnlySpan<byte> block, out bool isWhole)
            : Blocks.Continue(header, payload, out block, out isWhole);
        return !fault.IsNone || !isWhole ? fault
            : Blocks.StreamId > _lastStreamId ? OnRequest(Blocks.StreamId, block, out ready)
            : OnTrailers(Blocks.StreamId, block);
    }

    /// <summary>DATA uses the connection's window. False if it is longer.</summary>
    internal bool TryCharge(int bytes)
    {
        bool isAllowed = bytes <= _receiveLeft;
        _receiveLeft -= isAllowed ? bytes : 0;
        return isAllowed;
    }

    /// <summary>The application has read bytes. Threads: any.</summary>
    internal void Credit(Http2Stream stream, int bytes)
    {
        if (Reactor.IsCurrent)
        {
            CreditStream(stream, stream.StreamId, bytes);
            return;
        }

        Reactor.EnqueueOrPool(WorkItem.Of(
            stream,
            ((long)stream.StreamId << 32) | (uint)bytes,
            static (stream, credit) => stream.Connection.CreditStream(stream, (int)(credit >> 32), (int)credit)));
    }

    /// <summary>Bytes of the connection's window are free again; the peer is credited once they are half of it.</summary>
    internal void CreditConnection(int bytes)
    {
        _credit += bytes;
        if (_credit >= Math.Max(1, Options.ConnectionWindow / 2) && !IsClosed)
        {
            Http2FrameWriter.WriteWindowUpdate(Sender.Output, 0, (int)_credit);
            _receiveLeft += _credit;
            _credit = 0;
        }
    }

    /// <summary>Has the reactor take over what the application has written, ended or reset. Threads: any other than the reactor's.</summary>
    internal void Post(Http2Stream stream) => Reactor.EnqueueOrPool(stream, static stream => stream.Connection.TakePosted(stream));

    internal bool IsIdle(int streamId) => streamId > _lastStreamId || (streamId & 1) == 0;

    internal bool WasResetHere(int streamId) => _resetsHere.Contains(streamId);

    /// <summary>A handler begins.</summary>
    internal void NoteRun() => _running++;

    /// <summary>Keeps pieces of the connection's work apart, as its reactor does until it ends.</summary>
    internal Lock.Scope Apart() => Reactor.HasEnded ? s_behindReactor.EnterScope() : default;

    private void Start()
    {
        if (Reactor.HasEnded)
        {
            // It ended before the connection came to it, and the connection with it.
            NoteEnd();
            return;
        }

        Debug.Assert(Reactor.IsCurrent);
        using ContextScope scope = Reactor.EnterRuntime();
        if (Context.Features.Get<IConnectionMetricsTagsFeature>() is { } metrics)
        {
            metrics.Tags.Add(new("network.protocol.name", "http"));
            metrics.Tags.Add(new("network.protocol.version", "2"));
        }

        Sender.WriteFirstSettings();
        Loop.Start();
        _ = Watch.RunAsync();
    }

    private void TakePosted(Http2Stream stream)
    {
        using Lock.Scope apart = Apart();
        stream.TakePosted();
        Sender.SendTaken(stream);
    }

    private void CreditStream(Http2Stream stream, int streamId, int bytes)
    {
        using Lock.Scope apart = Apart();

        // If the stream has ended, they were credited then.
        if (stream.StreamId == streamId && !stream.IsReleased)
        {
            (int increment, int freed) = stream.TakeCredit(bytes);
            CreditConnection(freed);
            if (increment > 0 && !IsClosed)
            {
                Http2FrameWriter.WriteWindowUpdate(Sender.Output, streamId, increment);
            }
        }

        Sender.FlushOutsideOfLoop();
    }

    private Http2Fault OnRequest(int streamId, ReadOnlySpan<byte> block, out Http2Stream? ready)
    {
        ready = null;
        _lastStreamId = streamId;
        if (_sentFinalGoAway)
        {
            // Streams above the last announced one are not served, but the table must match the peer's.
            return Blocks.Decode(block, null, areTrailers: false);
        }

        Http2Stream stream = Pool.Rent();
        stream.Begin(streamId, Blocks.EndsStream, Sender.InitialWindow);
        Http2Fault fault = Blocks.Decode(block, stream, areTrailers: false);
        bool isRefused = OpenCount >= Options.MaxStreams || _running >= RunningPerStream * (long)Options.MaxStreams;
        if (fault.IsNone)
        {
            fault = isRefused
                ? Http2Fault.Stream(Http2ErrorCode.RefusedStream, "Too many streams are open.")
                : Blocks.Fields.Malformed is { } malformed ? Http2Fault.Stream(Http2ErrorCode.ProtocolError, malformed)
                : stream.Exchange.Request.Accept(IsTls, Blocks.Fields.IsTooLarge);
        }

        if (!fault.IsNone)
        {
            Pool.Return(stream);
            return isRefused && fault.IsStream && !Receiver.ChargeControlFrame().IsNone
                ? Http2Fault.Connection(
                    Http2ErrorCode.EnhanceYourCalm, "The peer opens streams above the limit again and again.", "stream_creation_error")
                : fault;
        }

        Streams.Add(streamId, stream);
        Receiver.Refill(2);
        ready = stream;
        return default;
    }

    private Http2Fault OnTrailers(int streamId, ReadOnlySpan<byte> block)
    {
        if (!Streams.TryGetValue(streamId, out Http2Stream? stream))
        {
            Http2Fault dropped = Blocks.Decode(block, null, areTrailers: true);
            return !dropped.IsNone || WasResetHere(streamId)
                ? dropped
                : Http2Fault.Connection(Http2ErrorCode.StreamClosed, "HEADERS came for a stream that is closed.");
        }

        if (stream.HasReceivedEnd)
        {
            return Http2Fault.Connection(Http2ErrorCode.StreamClosed, "HEADERS came for a stream that the peer had ended.");
        }

        Http2Fault fault = Blocks.Decode(block, stream, areTrailers: true);
        if (!fault.IsNone)
        {
            return fault;
        }

        if (!Blocks.EndsStream || Blocks.Fields.Malformed is not null || Blocks.Fields.IsTooLarge)
        {
            return Http2Fault.Stream(
                Http2ErrorCode.ProtocolError,
                Blocks.Fields.Malformed ?? (Blocks.EndsStream ? "The trailers are too large." : "Trailers do not end their stream."));
        }

        fault = stream.OnEnd();
        if (fault.IsNone && stream.IsClosedBothWays)
        {
            Close(stream);
        }

        return fault;
    }
}
