using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
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
internal sealed class Answer : PipeWriter, IHttpResponseFeature, IHttpResponseBodyFeature, IHttpResponseTrailersFeature
{
    // Copying that much is cheaper than one stretch of memory more in the send.
    private const int MaxCopiedBytes = 8 * 1024;

    private readonly HttpExchange _exchange;
    private readonly Http2Stream _stream;
    private readonly AnswerQueue _bytes;
    private readonly List<(Func<object, Task> Callback, object State)> _onStarting = [];
    private readonly List<(Func<object, Task> Callback, object State)> _onCompleted = [];
    private BodyStream? _body;
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

    public Stream Stream => _body ??= new BodyStream(_exchange, null, this);

    public PipeWriter Writer => this;

    public IHeaderDictionary Trailers
    {
        get => Head.Trailers;
        set => Head.Trailers = value;
    }

    Stream IHttpResponseFeature.Body
    {
        get => Stream;
        set => throw new NotSupportedException("Set IHttpResponseBodyFeature instead.");
    }

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _bytes.Unpublished;

    internal bool MustFireOnStarting => _onStarting.Count > 0 && _state == State.Open;

    internal bool HasOnCompleted => _onCompleted.Count > 0;

    /// <summary>What the application began by completing its writer, if it did. It is awaited at the handler's end.</summary>
    internal Task? Completing { get; private set; }

    public void OnStarting(Func<object, Task> callback, object state)
    {
        ThrowIfStarted(nameof(OnStarting));
        _onStarting.Add((callback, state));
    }

    public void OnCompleted(Func<object, Task> callback, object state) => _onCompleted.Add((callback, state));

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
        return FiringOnStarting() is { } fired ? AfterAsync(fired, Step.Write, source, cancellationToken) : WriteNowAsync(source, cancellationToken);
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

    /// <summary>The application's callbacks, the last one first; one may add another.</summary>
    internal async Task FireOnStartingAsync()
    {
        try
        {
            while (_onStarting.Count > 0)
            {
                (Func<object, Task> callback, object state) = _onStarting[^1];
                _onStarting.RemoveAt(_onStarting.Count - 1);
                await callback(state).ConfigureAwait(true);
            }
        }
        catch (Exception exception)
        {
            _exchange.Report(exception);
        }
    }

    internal async Task FireOnCompletedAsync()
    {
        for (int index = _onCompleted.Count - 1; index >= 0; index--)
        {
            try
            {
                (Func<object, Task> callback, object state) = _onCompleted[index];
                await callback(state).ConfigureAwait(true);
            }
            catch (Exception exception)
            {
                _exchange.LogError(exception);
            }
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
        _sendsBody = false;
        _hasAdvanced = false;
        _hasWritten = false;
        _isEndSubmitted = false;
        _isMemoryStale = true;
        _lent = 0;
        _written = 0;
    }

    internal void Forget()
    {
        Completing = null;
        Head.Forget();
        _onStarting.Clear();
        _onCompleted.Clear();
    }

    private long? Promised => HasStarted ? Head.Promised : Head.Length;

    /// <summary>Runs the callbacks that come before the fields are final. Null if there are none, or they are through.</summary>
    private Task? FiringOnStarting()
        => MustFireOnStarting && FireOnStartingAsync() is { IsCompletedSuccessfully: false } fired ? fired : null;

    private async ValueTask<FlushResult> AfterAsync(Task fired, Step step, ReadOnlyMemory<byte> data, CancellationToken cancellationToken)
    {
        await fired.ConfigureAwait(true);
        switch (step)
        {
            case Step.Write:
                return await WriteNowAsync(data, cancellationToken).ConfigureAwait(true);
            case Step.Flush:
                return await FlushNowAsync(cancellationToken).ConfigureAwait(true);
            case Step.Start:
                SubmitWritten(StartIfOpen(0));
                return default;
            default:
                EndInTime();
                return default;
        }
    }

    private Task EndAsync(Exception? exception)
    {
        if (exception is not null)
        {
            _exchange.Report(new ConnectionAbortedException("The response's writer was completed with an exception.", exception));
            if (HasStarted)
            {
                _exchange.Abort();
            }
        }

        if (FiringOnStarting() is { } fired)
        {
            return AfterAsync(fired, Step.Complete, default, default).AsTask();
        }

        EndInTime();
        return Task.CompletedTask;
    }

    private ValueTask<FlushResult> WriteNowAsync(ReadOnlyMemory<byte> data, CancellationToken cancellationToken)
    {
        bool isFirst = !HasStarted;
        Submitted asked = StartIfOpen(data.Length);
        if (!_sendsBody)
        {
            SubmitWritten(asked);
            ThrowIfStatusHasNoBody();
            return isFirst ? FlushedAsync(cancellationToken) : default;
        }

        ThrowIfEnded();
        if (_stream.IsClosedEarly || data.IsEmpty)
        {
            SubmitWritten(asked);
            return Dropped;
        }

        _hasWritten = _hasAdvanced = true;
        if (_written == Head.Promised)
        {
            asked |= Submitted.LastByte;
        }

        _bytes.Write(data.Span);
        SubmitWritten(asked);
        return _stream.WaitForRoomAsync(cancellationToken);
    }

    private ValueTask<FlushResult> FlushNowAsync(CancellationToken cancellationToken)
    {
        Submitted asked = HasStarted ? Submitted.None : StartIfOpen(0);
        ThrowIfEnded();
        SubmitWritten(asked);
        return FlushedAsync(cancellationToken);
    }

    private ValueTask<FlushResult> FlushedAsync(CancellationToken cancellationToken)
        => _stream.IsClosedEarly ? Dropped : _hasWritten ? _stream.WaitForRoomAsync(cancellationToken) : default;

    /// <summary>Either side has aborted it: bytes that come now are dropped.</summary>
    private static ValueTask<FlushResult> Dropped => new(new FlushResult(isCanceled: false, isCompleted: true));

    /// <summary>Makes the fields final, unless they are.</summary>
    /// <param name="bytes">How many are about to be written.</param>
    /// <returns>What is to be submitted.</returns>
    private Submitted StartIfOpen(int bytes)
    {
        bool isOpen = !HasStarted;
        if (isOpen && _exchange.Error is { } error)
        {
            throw new ObjectDisposedException("The response cannot be written, because the application has failed.", error);
        }

        ThrowIfTooMany(bytes);
        _written += bytes;
        if (!isOpen)
        {
            return Submitted.None;
        }

        Start(isWhole: false);
        return Submitted.Head;
    }

    /// <summary>The application ends it, with all of its bytes.</summary>
    private void EndInTime()
    {
        if (_state != State.Ended && TooFew() is { } error)
        {
            throw error;
        }

        End();
    }

    /// <summary>Ends the answer, by a reset where an error came too late for a status.</summary>
    private void End()
    {
        if (_state == State.Ended)
        {
            return;
        }

        _isMemoryStale = true;
        if (_exchange.ErrorStatus is not 0 and int status)
        {
            if (HasStarted)
            {
                _exchange.Abort(Http2ErrorCode.InternalError, "The application failed after the response had started.");
                return;
            }

            SetError(status);
        }

        Head.SealTrailers();
        Submitted asked = Submitted.End;
        if (!HasStarted)
        {
            Start(isWhole: true);
            asked |= Submitted.Head;
        }

        _state = State.Ended;
        _isEndSubmitted = !_stream.IsClosedEarly;
        SubmitWritten(asked);
    }

    /// <summary>Makes the fields final.</summary>
    /// <param name="isWhole">No byte follows that is not written yet.</param>
    /// <exception cref="InvalidOperationException">They cannot be sent; where the answer is whole, it becomes one of the status 500 instead.</exception>
    private void Start(bool isWhole)
    {
        _isMemoryStale = true;
        if (Head.Prepare(isWhole, _hasAdvanced, _bytes.Unpublished > 0) is { } error)
        {
            if (!isWhole)
            {
                throw error;
            }

            _exchange.Report(error);
            SetError(StatusCodes.Status500InternalServerError);
            _ = Head.Prepare(isWhole, hasBytes: false, hasUnsent: false);
        }

        _state = State.Started;
        _sendsBody = Head.HasBody;
        Head.Seal();
        if (!_sendsBody)
        {
            DropWritten();
        }
    }

    /// <summary>Bytes that were written and not published are not sent.</summary>
    private void DropWritten()
    {
        _lent = 0;
        _bytes.Drop();
    }

    /// <summary>Hands over what was written, with what is asked for.</summary>
    private void SubmitWritten(Submitted asked)
    {
        _lent = 0;
        bool publishes = _bytes.Unpublished > 0;
        if (_stream.IsClosedEarly)
        {
            _bytes.Withdraw();
        }
        else if (publishes || asked != Submitted.None)
        {
            _stream.Submit(asked, publishes);
        }
    }

    /// <summary>Counts bytes that the application puts into the writer. Returns whether they are kept.</summary>
    private bool Count(int bytes)
    {
        if (_isMemoryStale)
        {
            throw new InvalidOperationException("GetMemory or GetSpan comes first: StartAsync, CompleteAsync or a flush made the earlier memory stale.");
        }

        _hasAdvanced |= bytes > 0;
        bool isKept = _state == State.Open || _sendsBody;
        if (isKept)
        {
            ThrowIfEnded();
        }
        else
        {
            ThrowIfStatusHasNoBody();
        }

        ThrowIfTooMany(bytes);
        _hasWritten |= isKept;
        _written += bytes;
        return isKept && !_stream.IsClosedEarly;
    }

    private void ThrowIfOver()
    {
        if (_exchange.IsOver)
        {
            throw new ObjectDisposedException(nameof(HttpResponse), "The request is over: its response cannot be written any more.");
        }
    }

    private void ThrowIfEnded()
    {
        if (_isEndSubmitted)
        {
            throw new InvalidOperationException("Writing is not allowed after writer was completed.");
        }
    }

    private void ThrowIfStarted(string what)
    {
        if (HasStarted)
        {
            throw new InvalidOperationException($"{what} cannot be set because the response has already started.");
        }
    }

    private void ThrowIfTooMany(int bytes)
    {
        if (Promised is { } promised && _written + bytes > promised)
        {
            throw new InvalidOperationException($"Response Content-Length mismatch: too many bytes written ({_written + bytes} of {promised}).");
        }
    }

    private void ThrowIfStatusHasNoBody()
    {
        if (!Head.IsOfHead)
        {
            throw Head.HasNoBody();
        }
    }
}
