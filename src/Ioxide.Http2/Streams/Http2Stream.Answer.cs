using System.Diagnostics;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;

namespace Ioxide.Http2;

/// <summary>The life of an answer: which of its operations are allowed, what each does to it, and what becomes of an error.</summary>
/// <remarks>
/// <code>
/// Open --first write, flush, StartAsync: the fields are final--> Started --CompleteAsync, the handler's end--> Ended
/// Open --CompleteAsync, the handler's end----------------------------------------------------------------------> Ended
/// </code>
/// An abort of either side (<see cref="IsClosedEarly"/>) may come in each of them: what is written from then on is dropped.
/// When the handler is over, its bodies are closed (<see cref="IsOver"/>). Threads: the application's, one at a time.
/// </remarks>
internal abstract partial class Http2Stream
{
    private enum AnswerState
    {
        Open,
        Started,
        Ended,
    }

    private AnswerState _answer;

    // Whether bytes that the application writes are sent. Known once the answer has started.
    private bool _sendsBody;
    private bool _hasAdvanced;
    private bool _hasWritten;
    private bool _isEndSubmitted;

    // Memory that was requested before the answer started or ended must not be advanced over.
    private bool _isMemoryStale;
    private long _written;
    private long? _promised;
    private Exception? _error;
    private BadHttpRequestException? _rejection;
    private Task _completing = Task.CompletedTask;
    private volatile bool _isAborted;
    private volatile bool _isOver;

    /// <summary>The handler has returned: its bodies can no longer be used.</summary>
    internal bool IsOver => _isOver;

    /// <summary>The request was aborted by either side: nothing more is sent.</summary>
    private bool IsClosedEarly => _isAborted || Volatile.Read(ref _isBroken);

    private bool MustFireOnStarting => _answer == AnswerState.Open && _onStarting.Count > 0;

    private bool IsHead => Method == "HEAD";

    /// <summary>Makes the fields final. They are sent with whatever is sent next.</summary>
    public Task StartAsync(CancellationToken cancellationToken = default)
    {
        if (HasStarted)
        {
            return Task.CompletedTask;
        }

        cancellationToken.ThrowIfCancellationRequested();
        if (MustFireOnStarting)
        {
            Task fired = FireOnStartingAsync();
            if (!fired.IsCompletedSuccessfully)
            {
                return StartAfterAsync(fired);
            }

            ThrowIfFailed();
        }

        SubmitWritten(StartIfOpen(0));
        return Task.CompletedTask;
    }

    /// <summary>Ends the answer; the handler may continue.</summary>
    public Task CompleteAsync() => CompleteAsync(null);

    internal Task CompleteAsync(Exception? exception)
    {
        if (exception is not null)
        {
            Report(new ConnectionAbortedException("The response's writer was completed with an exception.", exception));
            if (HasStarted)
            {
                Abort();
            }
        }

        if (MustFireOnStarting)
        {
            Task fired = FireOnStartingAsync();
            if (!fired.IsCompletedSuccessfully)
            {
                return CompleteAfterAsync(fired);
            }
        }

        CompleteNow();
        return Task.CompletedTask;
    }

    /// <summary>The application completes the writer. What is left of it is awaited at the handler's end.</summary>
    internal Task CompleteWriting(Exception? exception) => _completing = CompleteAsync(exception);

    internal void ThrowIfOver()
    {
        if (_isOver)
        {
            throw new ObjectDisposedException(nameof(HttpResponse), "The request is over: its response cannot be written any more.");
        }
    }

    internal void ThrowIfEnded()
    {
        if (_isEndSubmitted)
        {
            throw new InvalidOperationException("Writing is not allowed after writer was completed.");
        }
    }

    /// <summary>Counts bytes that the application put into the writer's memory.</summary>
    /// <returns>Whether they are kept.</returns>
    internal bool Advance(int bytes)
    {
        if (_isMemoryStale)
        {
            throw new InvalidOperationException("GetMemory or GetSpan comes first: StartAsync, CompleteAsync or a flush made the earlier memory stale.");
        }

        _hasAdvanced |= bytes > 0;
        if (_answer == AnswerState.Open || _sendsBody)
        {
            ThrowIfTooMany(bytes);
            ThrowIfEnded();
            _hasWritten = true;
            _written += bytes;
            return !IsClosedEarly;
        }

        ThrowIfStatusHasNoBody();
        ThrowIfTooMany(bytes);
        _written += bytes;
        return false;
    }

    /// <summary>Memory is requested.</summary>
    internal void RenewMemory()
    {
        ThrowIfOver();
        ThrowIfEnded();
        _isMemoryStale = false;
    }

    /// <summary>Sends bytes, and the fields before the first ones.</summary>
    internal ValueTask<FlushResult> WriteAsync(ReadOnlyMemory<byte> data, CancellationToken cancellationToken)
    {
        bool isFirst = !HasStarted;
        if (MustFireOnStarting)
        {
            Task fired = FireOnStartingAsync();
            if (!fired.IsCompletedSuccessfully)
            {
                return WriteAfterAsync(fired, data, cancellationToken);
            }

            ThrowIfFailed();
        }

        return WriteNowAsync(data, isFirst, cancellationToken);
    }

    /// <summary>Sends what was written into the writer's memory, after the fields.</summary>
    internal ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken)
    {
        if (MustFireOnStarting)
        {
            Task fired = FireOnStartingAsync();
            if (!fired.IsCompletedSuccessfully)
            {
                return FlushAfterAsync(fired, cancellationToken);
            }

            ThrowIfFailed();
        }

        return FlushNowAsync(cancellationToken);
    }

    /// <summary>Either side has aborted it: bytes that come now are dropped.</summary>
    private static ValueTask<FlushResult> Dropped => new(new FlushResult(isCanceled: false, isCompleted: true));

    private async ValueTask<FlushResult> WriteAfterAsync(Task fired, ReadOnlyMemory<byte> data, CancellationToken cancellationToken)
    {
        await fired.ConfigureAwait(true);
        ThrowIfFailed();
        return await WriteNowAsync(data, isFirst: true, cancellationToken).ConfigureAwait(true);
    }

    private async ValueTask<FlushResult> FlushAfterAsync(Task fired, CancellationToken cancellationToken)
    {
        await fired.ConfigureAwait(true);
        ThrowIfFailed();
        return await FlushNowAsync(cancellationToken).ConfigureAwait(true);
    }

    private async Task StartAfterAsync(Task fired)
    {
        await fired.ConfigureAwait(true);
        ThrowIfFailed();
        SubmitWritten(StartIfOpen(0));
    }

    private async Task CompleteAfterAsync(Task fired)
    {
        await fired.ConfigureAwait(true);
        CompleteNow();
    }

    private ValueTask<FlushResult> WriteNowAsync(ReadOnlyMemory<byte> data, bool isFirst, CancellationToken cancellationToken)
    {
        Submitted asked = StartIfOpen(data.Length);
        if (!_sendsBody)
        {
            SubmitWritten(asked);
            ThrowIfStatusHasNoBody();
            return isFirst ? FlushedAsync(cancellationToken) : new ValueTask<FlushResult>(default(FlushResult));
        }

        ThrowIfEnded();
        if (IsClosedEarly || data.IsEmpty)
        {
            SubmitWritten(asked);
            return Dropped;
        }

        _hasWritten = _hasAdvanced = true;
        if (_written == _promised)
        {
            asked |= Submitted.LastByte;
        }

        Writer.Add(data.Span);
        SubmitWritten(asked);
        return WaitForRoomAsync(cancellationToken);
    }

    private ValueTask<FlushResult> FlushNowAsync(CancellationToken cancellationToken)
    {
        Submitted asked = _answer == AnswerState.Open ? StartIfOpen(0) : Submitted.None;
        ThrowIfEnded();
        SubmitWritten(asked);
        return FlushedAsync(cancellationToken);
    }

    private ValueTask<FlushResult> FlushedAsync(CancellationToken cancellationToken)
        => IsClosedEarly ? Dropped : _hasWritten ? WaitForRoomAsync(cancellationToken) : new ValueTask<FlushResult>(default(FlushResult));

    /// <summary>Makes the fields final, unless they are.</summary>
    /// <param name="bytes">How many are about to be written.</param>
    /// <returns>What is to be submitted.</returns>
    private Submitted StartIfOpen(int bytes)
    {
        bool isOpen = _answer == AnswerState.Open;
        if (isOpen)
        {
            ThrowIfFailed();
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

    private void CompleteNow()
    {
        if (_answer != AnswerState.Ended)
        {
            if (TooFew() is { } error)
            {
                throw error;
            }

            End();
        }
    }

    /// <summary>Ends the answer, by a reset where an error came too late for a status.</summary>
    private void End()
    {
        if (_answer == AnswerState.Ended)
        {
            return;
        }

        _isMemoryStale = true;
        if (_error is not null || _rejection is not null)
        {
            if (HasStarted)
            {
                ResetBy(Http2ErrorCode.InternalError, "The application failed after the response had started.");
                return;
            }

            SetErrorHead(_rejection?.StatusCode ?? StatusCodes.Status500InternalServerError);
        }

        FreezeTrailers();
        Submitted asked = Submitted.End;
        if (!HasStarted)
        {
            Start(isWhole: true);
            asked |= Submitted.Head;
        }

        _answer = AnswerState.Ended;
        _isEndSubmitted = !IsClosedEarly;
        SubmitWritten(asked);
    }

    /// <summary>Hands over what was written, with what is asked for.</summary>
    private void SubmitWritten(Submitted asked)
    {
        Writer.Take(out ResponseChunk? first, out ResponseChunk? last, out long bytes);
        if (IsClosedEarly)
        {
            ReleaseAll(first);
            return;
        }

        if (asked != Submitted.None || first is not null)
        {
            Submit(asked, first, last, bytes);
        }
    }

    private void ResetBy(Http2ErrorCode code, string reason)
    {
        _gate.Enter();
        bool isFirst = !_isAborted;
        if (isFirst)
        {
            _isAborted = true;
            _resetCode = code;
        }

        _gate.Exit();
        if (isFirst)
        {
            Body.Refuse(new ConnectionAbortedException(reason));
            Submit(Submitted.Reset);
        }
    }

    /// <summary>The application failed: the answer ends with a status or a reset, and the host is told.</summary>
    internal void Report(Exception error)
    {
        _error = _error is null ? error : new AggregateException(_error, error).Flatten();
        Http2Log.ApplicationError(Connection.KestrelLogger, Connection.Context.ConnectionId, TraceIdentifier, error);
    }

    private async Task FireOnStartingAsync()
    {
        try
        {
            // The last one added runs first; it may add another.
            while (_onStarting.Count > 0)
            {
                (Func<object, Task> callback, object state) = _onStarting[^1];
                _onStarting.RemoveAt(_onStarting.Count - 1);
                await callback(state).ConfigureAwait(true);
            }
        }
        catch (Exception exception)
        {
            Report(exception);
        }
    }

    private void ThrowIfFailed()
    {
        if (_error is not null)
        {
            throw new ObjectDisposedException("The response cannot be written, because the application has failed.", _error);
        }
    }

    private void ThrowIfTooMany(int bytes)
    {
        if ((HasStarted ? _promised : ResponseLength) is { } promised && _written + bytes > promised)
        {
            throw new InvalidOperationException($"Response Content-Length mismatch: too many bytes written ({_written + bytes} of {promised}).");
        }
    }

    private InvalidOperationException? TooFew()
        => !IsHead && _statusCode != StatusCodes.Status304NotModified
            && (HasStarted ? _promised : ResponseLength) is { } promised && _written < promised
            ? new InvalidOperationException($"Response Content-Length mismatch: too few bytes written ({_written} of {promised}).")
            : null;

    private void ThrowIfStatusHasNoBody()
    {
        if (!IsHead)
        {
            throw HasNoBody();
        }
    }

    private InvalidOperationException HasNoBody()
        => new($"Writing to the response body is invalid for responses with status code {_statusCode}.");

    private void BeginAnswer()
    {
        _answer = AnswerState.Open;
        _sendsBody = false;
        _hasAdvanced = false;
        _hasWritten = false;
        _isEndSubmitted = false;
        _isMemoryStale = true;
        _written = 0;
        _promised = null;
        _error = null;
        _rejection = null;
        _isAborted = false;
        _isOver = false;
    }

    private void ForgetAnswer()
    {
        _isOver = true;
        _error = null;
        _rejection = null;
        _completing = Task.CompletedTask;
    }
}
