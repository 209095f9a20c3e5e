using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Http2;

/// <summary>One request and its answer as the application sees them, and the application's run. Reusable, together with its stream.</summary>
/// <remarks>
/// <para>It knows nothing of frames. To its stream it says what is to be sent (<see cref="Http2Stream.Submit"/>, with the bytes in
/// <see cref="Http2Stream.Bytes"/>), waits for room (<see cref="Http2Stream.WaitForRoomAsync"/>), aborts (<see cref="Http2Stream.TryAbort"/>), and
/// to the connection how much of the body was read (<see cref="Http2Connection.Credit"/>).</para>
/// <para>The stream fills <see cref="Request"/> and <see cref="Body"/>, executes it, and has <see cref="Answer"/> encode its fields. Threads: the
/// application's, one at a time, unless a member says otherwise.</para>
/// </remarks>
internal abstract partial class HttpExchange : IHttpRequestIdentifierFeature, IHttpRequestLifetimeFeature, IHttpResetFeature
{
    private const string BadRequestEvent = "Microsoft.AspNetCore.Server.Kestrel.BadRequest";

    private string? _traceIdentifier;
    private CancellationTokenSource? _abortSource;
    private CancellationToken? _requestAborted;
    private BadHttpRequestException? _refusal;
    private ExtendedConnect? _connect;
    private volatile bool _isOver;

    protected HttpExchange(Http2Stream stream)
    {
        Stream = stream;
        Request = new ReceivedRequest(this);
        Body = new RequestBody(this);
        Answer = new Answer(this);
    }

    internal Http2Stream Stream { get; }

    internal Http2Connection Connection => Stream.Connection;

    internal ReceivedRequest Request { get; }

    internal RequestBody Body { get; }

    internal Answer Answer { get; }

    /// <summary>The handler has returned: its bodies can no longer be used. Threads: any.</summary>
    internal bool IsOver => _isOver;

    /// <summary>What the application did wrong, for its host.</summary>
    internal Exception? Error { get; private set; }

    /// <summary>The status that the refused request or the failed application gives an answer that has not started; 0 for none.</summary>
    internal int ErrorStatus => _refusal?.StatusCode ?? (Error is null ? 0 : StatusCodes.Status500InternalServerError);

    /// <summary>As Kestrel writes it: the connection's, and the stream's number in hexadecimal digits.</summary>
    public string TraceIdentifier
    {
        get => _traceIdentifier ??= string.Create(null, stackalloc char[64], $"{Connection.Context.ConnectionId}:{Stream.StreamId:X8}");
        set => _traceIdentifier = value;
    }

    /// <summary>Fires when the client or the connection aborts the request. Created on first use.</summary>
    public CancellationToken RequestAborted
    {
        get
        {
            if (_requestAborted is { } replaced)
            {
                return replaced;
            }

            if (Stream.IsAbortSilenced)
            {
                return CancellationToken.None;
            }

            CancellationTokenSource source = Volatile.Read(ref _abortSource) ?? NewAbortSource();
            if (Stream.IsBroken)
            {
                source.Cancel();
            }

            return source.Token;
        }

        set => _requestAborted = value;
    }

    Exception? IBadRequestExceptionFeature.Error => _refusal;

    internal bool IsExtendedConnect => Request.ConnectProtocol is not null;

    /// <summary>A tunnel was asked for, and is not open: the request has no body. An open one has no limit of size and no minimum rate.</summary>
    internal bool IsTunnelClosed => IsExtendedConnect && _connect is not { IsAccepted: true };

    /// <summary>The application aborts the request: the stream is reset.</summary>
    public void Abort() => Abort(Http2ErrorCode.InternalError, "The connection was aborted by the application.");

    void IHttpResetFeature.Reset(int errorCode)
        => Abort((Http2ErrorCode)errorCode, $"The application reset the stream with the code {errorCode}.");

    internal void Abort(Http2ErrorCode code, string reason)
    {
        if (Stream.TryAbort(code))
        {
            Body.Refuse(new ConnectionAbortedException(reason));
            Stream.Submit(Submitted.Reset);
        }
    }

    /// <summary>The application failed: the answer ends with a status or a reset, and the host is told.</summary>
    internal void Report(Exception error)
    {
        Error = Error is null ? error : new AggregateException(Error, error).Flatten();
        LogError(error);
    }

    internal void ThrowIfSynchronousForbidden()
    {
        if (!AllowSynchronousIO)
        {
            throw new InvalidOperationException("Synchronous operations are disallowed. Call ReadAsync or WriteAsync, or set AllowSynchronousIO.");
        }
    }

    /// <summary>A request begins. Threads: the reactor's.</summary>
    internal void Begin()
    {
        // Whoever kept a feature of the request before may have set something on it until now.
        Forget();
        _refusal = null;
        _connect?.Begin();
        _isOver = false;
        AllowSynchronousIO = Connection.Options.AllowSynchronousIO;
        _isUntimed = false;
        Request.Begin();
        Body.Begin(hasBody: false);
        Answer.Begin();
    }

    /// <summary>The request is over: none of its state is kept. Threads: the reactor's.</summary>
    /// <param name="wasBroken">The abort token fires, maybe only later.</param>
    /// <returns>False if application code still holds the object, which must not be used again.</returns>
    internal bool TryForget(bool wasBroken)
    {
        _isOver = true;
        if (wasBroken || _abortSource?.TryReset() == false)
        {
            _abortSource = null;
        }

        Forget();
        return Body.TryReset();
    }

    private void Forget()
    {
        Error = null;
        _traceIdentifier = null;
        _requestAborted = null;
        ForgetFeatures();
        Request.Forget();
        Answer.Forget();
    }

    /// <summary>The client or the connection aborted the request; the callbacks are application code. Threads: the reactor's.</summary>
    internal void FireAborted()
    {
        // Who creates the source from now on sees that the stream is broken.
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _abortSource) is { } source)
        {
            Connection.Reactor.EnqueueOrPool(source, static source => source.Cancel(), WorkOwner.Application);
        }
    }

    private CancellationTokenSource NewAbortSource()
    {
        CancellationTokenSource source = new();
        return Interlocked.CompareExchange(ref _abortSource, source, null) ?? source;
    }

    /// <summary>The server refuses the request: features and diagnostic listeners see why, under Kestrel's names.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "Listeners take the value as the features that it is.")]
    private void Refuse(BadHttpRequestException reason)
    {
        _refusal = reason;
        if (!Answer.HasStarted)
        {
            Answer.SetError(reason.StatusCode);
        }

        if (Connection.Diagnostics is { } diagnostics && diagnostics.IsEnabled(BadRequestEvent))
        {
            diagnostics.Write(BadRequestEvent, this);
        }
    }

    internal void LogError(Exception exception)
        => Http2Log.ApplicationError(Connection.KestrelLogger, Connection.Context.ConnectionId, TraceIdentifier, exception);
}
