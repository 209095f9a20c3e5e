using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;

namespace Ioxide.Http2;

/// <summary>What moves an answer from one state to the next.</summary>
internal sealed partial class Answer
{
    private long? Promised => HasStarted ? Head.Promised : Head.Length;

    /// <summary>Runs the callbacks that come before the fields are final. Null if there are none, or they are through.</summary>
    private Task? FiringOnStarting(bool isEnd = false)
    {
        if (!MustFireOnStarting)
        {
            return null;
        }

        Task fired = Callbacks.FireOnStartingAsync();
        if (fired.IsCompletedSuccessfully && !isEnd)
        {
            ThrowIfFailed();
        }

        return fired.IsCompletedSuccessfully ? null : fired;
    }

    private async ValueTask<FlushResult> AfterAsync(Task fired, Step step, ReadOnlyMemory<byte> data, CancellationToken cancellationToken)
    {
        await fired.ConfigureAwait(true);
        if (step != Step.Complete)
        {
            ThrowIfFailed();
        }

        switch (step)
        {
            case Step.Write:
                return await WriteNowAsync(data, isFirst: true, cancellationToken).ConfigureAwait(true);
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

        if (FiringOnStarting(isEnd: true) is { } fired)
        {
            return AfterAsync(fired, Step.Complete, default, default).AsTask();
        }

        EndInTime();
        return Task.CompletedTask;
    }

    private ValueTask<FlushResult> WriteNowAsync(ReadOnlyMemory<byte> data, bool isFirst, CancellationToken cancellationToken)
    {
        Submitted asked = StartIfOpen(data.Length);
        if (!_sendsBody)
        {
            SubmitWritten(asked);
            ThrowIfStatusHasNoBody();
            return isFirst ? FlushedAsync(cancellationToken) : default;
        }

        ThrowIfEnded();
        if (_written == Head.Promised)
        {
            asked |= Submitted.LastByte;
        }

        if (_stream.IsClosedEarly || data.IsEmpty)
        {
            SubmitWritten(asked);
            return Dropped;
        }

        _hasWritten = _hasAdvanced = true;
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
        Head.PrepareTrailers();
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
    /// <exception cref="InvalidOperationException">They cannot be sent; an answer that is whole becomes one of the status 500.</exception>
    private void Start(bool isWhole)
    {
        _isMemoryStale = true;
        if (Head.Prepare(isWhole, _hasAdvanced, _bytes.Unpublished > 0, _written) is { } error)
        {
            if (!isWhole)
            {
                throw error;
            }

            _exchange.Report(error);
            SetError(StatusCodes.Status500InternalServerError);
            _ = Head.Prepare(isWhole, hasBytes: false, hasUnsent: false, written: 0);
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
            throw new InvalidOperationException(
                "GetMemory or GetSpan comes first: StartAsync, CompleteAsync or a flush made the earlier memory stale.");
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

    private void ThrowIfFailed()
    {
        if (_exchange.Error is { } error)
        {
            throw new ObjectDisposedException("The response cannot be written, because the application has failed.", error);
        }
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
            throw AnswerHead.TooMany(promised, _written + bytes);
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
