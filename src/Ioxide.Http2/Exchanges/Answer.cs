using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Http2;

/// <summary>
/// The answer as applications make it: its status and fields, the writer of its body, and its life: which operations are allowed, what each does to
/// it, and what becomes of an error.
/// </summary>
/// <remarks>
/// <code>
/// Open --first write, flush, StartAsync: the fields are final--> Started --CompleteAsync, the handler's end--> Ended
/// Open --CompleteAsync, the handler's end----------------------------------------------------------------------> Ended
/// </code>
/// An abort of either side may come in each of them: what is written from then on is dropped. When the handler is over, its bodies are closed.
/// Threads: the application's, one at a time.
/// </remarks>
internal sealed partial class Answer : PipeWriter, IHttpResponseFeature, IHttpResponseBodyFeature, IHttpResponseTrailersFeature
{
    // Copying that much is cheaper than one stretch of memory more in the send.
    private const int MaxCopiedBytes = 8 * 1024;

    private readonly HttpExchange _exchange;
    private readonly Http2Stream _stream;
    private readonly AnswerQueue _bytes;
    private BodyStream? _body;
    private Stream? _replacedBody;
    private State _state;

    // Whether bytes that the application writes are sent. Known once the answer has started.
    private bool _sendsBody;
    private bool _hasAdvanced;
    private bool _hasWritten;
    private bool _isEndSubmitted;

    // Memory that was requested before the answer started or ended must not be advanced over; of memory that was, as much as this is left.
    private bool _isMemoryStale;
    private int _lent;
    private long _written;

    internal Answer(HttpExchange exchange)
    {
        _exchange = exchange;
        _stream = exchange.Stream;
        _bytes = exchange.Stream.Bytes;
        Head = new AnswerHead(exchange);
        Callbacks = new AnswerCallbacks(exchange);
    }

    private enum State
    {
        Open,
        Started,
        Ended,
    }

    private enum Step
    {
        Start,
        Write,
        Flush,
        Complete,
    }

    /// <summary>The status and the fields.</summary>
    internal AnswerHead Head { get; }

    internal AnswerCallbacks Callbacks { get; }

    public int StatusCode
    {
        get => Head.StatusCode;
        set
        {
            ThrowIfStarted(nameof(StatusCode));
            Head.StatusCode = value;
        }
    }

    /// <summary>Not sent: HTTP/2 has none.</summary>
    public string? ReasonPhrase
    {
        get => Head.ReasonPhrase;
        set
        {
            ThrowIfStarted(nameof(ReasonPhrase));
            Head.ReasonPhrase = value;
        }
    }

    public bool HasStarted => _state != State.Open;

    internal bool HasEnded => _state == State.Ended;

    public IHeaderDictionary Headers
    {
        get => Head.Fields;
        set => Head.Fields = value;
    }

    public Stream Stream => _replacedBody ?? (_body ??= new BodyStream(_exchange, null, this));

    public PipeWriter Writer => this;

    public IHeaderDictionary Trailers
    {
        get => Head.Trailers;
        set => Head.Trailers = value;
    }

    Stream IHttpResponseFeature.Body
    {
        get => Stream;
        set => _replacedBody = value;
    }

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _bytes.Unpublished;

    internal bool MustFireOnStarting => Callbacks.HasOnStarting && _state == State.Open;

    /// <summary>What the application began by completing its writer, if it did. It is awaited at the handler's end.</summary>
    internal Task? Completing { get; private set; }

    public void OnStarting(Func<object, Task> callback, object state)
    {
        ThrowIfStarted(nameof(OnStarting));
        Callbacks.AddOnStarting(callback, state);
    }

    public void OnCompleted(Func<object, Task> callback, object state) => Callbacks.AddOnCompleted(callback, state);

    public void DisableBuffering()
    {
    }

    public Task SendFileAsync(string path, long offset, long? count, CancellationToken cancellationToken = default)
        => SendFileFallback.SendFileAsync(Stream, path, offset, count, cancellationToken);

    /// <summary>Makes the fields final. They are sent with whatever is sent next.</summary>
    public Task StartAsync(CancellationToken cancellationToken = default)
    {
        if (HasStarted)
        {
            return Task.CompletedTask;
        }

        cancellationToken.ThrowIfCancellationRequested();
        if (FiringOnStarting() is { } fired)
        {
            return AfterAsync(fired, Step.Start, default, default).AsTask();
        }

        SubmitWritten(StartIfOpen(0));
        return Task.CompletedTask;
    }

    /// <summary>Ends the answer; the handler may continue.</summary>
    Task IHttpResponseBodyFeature.CompleteAsync() => EndAsync(null);

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        ThrowIfOver();
        ThrowIfEnded();
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        _isMemoryStale = false;
        Memory<byte> memory = _bytes.MemoryFor(sizeHint);
        _lent = memory.Length;
        return memory;
    }

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void Advance(int bytes)
    {
        ThrowIfOver();
        if ((uint)bytes > (uint)_lent)
        {
            throw new ArgumentOutOfRangeException(nameof(bytes), bytes, "More than GetMemory or GetSpan gave.");
        }

        if (Count(bytes) && bytes > 0)
        {
            _lent -= bytes;
            _bytes.Advance(bytes);
        }
    }

    /// <summary>Sends bytes, and the fields before the first ones.</summary>
    public override ValueTask<FlushResult> WriteAsync(ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        ThrowIfOver();
        cancellationToken.ThrowIfCancellationRequested();
        bool isFirst = !HasStarted;
        return FiringOnStarting() is { } fired
            ? AfterAsync(fired, Step.Write, source, cancellationToken)
            : WriteNowAsync(source, isFirst, cancellationToken);
    }

    /// <summary>Sends what was written into the writer's memory, after the fields.</summary>
    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfOver();
        cancellationToken.ThrowIfCancellationRequested();
        return FiringOnStarting() is { } fired ? AfterAsync(fired, Step.Flush, default, cancellationToken) : FlushNowAsync(cancellationToken);
    }

    public override void CancelPendingFlush()
    {
        ThrowIfOver();
        _stream.CancelFlush(isByToken: false);
    }

    public override void Complete(Exception? exception = null)
    {
        ThrowIfOver();
        Completing = EndAsync(exception);
    }

    public override ValueTask CompleteAsync(Exception? exception = null)
    {
        Complete(exception);
        return new ValueTask(Completing!);
    }

    /// <summary>Adds outside memory by reference.</summary>
    /// <param name="memory">Not empty; must not change until the owner is disposed.</param>
    /// <param name="owner">Disposed once, when the memory is no longer read; null for memory that stays as long as something refers to it.</param>
    /// <param name="isImmutable">As for <see cref="IReferenceWriter.Append"/>.</param>
    internal void Append(ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable)
    {
        ThrowIfOver();
        ThrowIfEnded();
        _isMemoryStale = false;
        _lent = 0;
        if (!Count(memory.Length))
        {
            owner?.Dispose();
        }
        else if (owner is null && memory.Length <= MaxCopiedBytes)
        {
            _bytes.Write(memory.Span);
        }
        else
        {
            _bytes.Append(new ResponseChunk(memory, owner, isImmutable));
        }
    }

    /// <summary>The handler is over.</summary>
    internal void Leave()
    {
        if (!_stream.IsClosedEarly)
        {
            End();
        }
        else if (!HasStarted)
        {
            // Nothing is sent any more: this is what the host measures and logs.
            Head.StatusCode = StatusCodes.Status499ClientClosedRequest;
        }
    }

    /// <summary>Gives an answer that has not started an error's status, and nothing else.</summary>
    internal void SetError(int statusCode)
    {
        DropWritten();
        _hasAdvanced = false;
        Head.SetError(statusCode);
    }

    /// <summary>Fewer bytes were written than the length promised.</summary>
    internal InvalidOperationException? TooFew()
        => Promised is { } promised && _written < promised && !Head.IsOfHead && StatusCode != StatusCodes.Status304NotModified
            ? new InvalidOperationException($"Response Content-Length mismatch: too few bytes written ({_written} of {promised}).")
            : null;

    internal void Begin()
    {
        Head.Begin();
        _state = State.Open;
        _sendsBody = _hasAdvanced = _hasWritten = _isEndSubmitted = false;
        _isMemoryStale = true;
        _lent = 0;
        _written = 0;
    }

    internal void Forget()
    {
        Completing = null;
        _replacedBody = null;
        Head.Forget();
        Callbacks.Forget();
    }
}
