using Microsoft.AspNetCore.Http;

namespace Ioxide.Http2;

/// <summary>One run of the application for a request, in Kestrel's order.</summary>
internal abstract partial class Http2Stream : IThreadPoolWorkItem
{
    /// <summary>Starts the run. Threads: the reactor's under the application's context, or the pool's. Never throws.</summary>
    public void Execute()
    {
        if (_rejectedStatus != 0)
        {
            StatusCode = _rejectedStatus;
            ResponseHeaders.ContentLength = 0;
            Refuse(new BadHttpRequestException("The request's header fields are larger or more than the limits allow.", _rejectedStatus));
            End();
            Submit(Submitted.HandlerDone);
            return;
        }

        Exception? error = null;
        bool hasContext = false;
        try
        {
            CreateContext();
            hasContext = true;
            Task handled = ProcessAsync();
            if (!handled.IsCompletedSuccessfully || MustFireOnStarting)
            {
                _ = FinishAsync(handled);
                return;
            }

            Finish();
        }
        catch (Exception exception)
        {
            error = exception;
            FinishFailed(exception);
        }

        Leave(error, hasContext);
    }

    private protected abstract void CreateContext();

    private protected abstract Task ProcessAsync();

    private protected abstract void DisposeContext(Exception? exception);

    private bool MustFireOnStarting => !HasStarted && _onStarting.Count > 0;

    private async Task FinishAsync(Task handled)
    {
        Exception? error = null;
        try
        {
            await handled.ConfigureAwait(true);
            if (MustFireOnStarting)
            {
                await FireOnStartingAsync().ConfigureAwait(true);
            }

            Finish();
        }
        catch (Exception exception)
        {
            error = exception;
            FinishFailed(exception);
        }

        Leave(error, hasContext: true);
    }

    /// <summary>The response is complete; what follows concerns only the application.</summary>
    private void Leave(Exception? error, bool hasContext)
    {
        if (_onCompleted.Count > 0)
        {
            _ = LeaveAsync(error, hasContext);
        }
        else
        {
            EndRun(error, hasContext);
        }
    }

    private async Task LeaveAsync(Exception? error, bool hasContext)
    {
        await FireOnCompletedAsync().ConfigureAwait(true);
        EndRun(error, hasContext);
    }

    private void EndRun(Exception? error, bool hasContext)
    {
        if (hasContext)
        {
            Dispose(error);
        }

        Submit(Submitted.HandlerDone);
    }

    private void Finish()
    {
        if (IsClosedEarly && !HasStarted)
        {
            // Nothing is sent any more: this is what the host measures and logs.
            StatusCode = StatusCodes.Status499ClientClosedRequest;
        }

        if (!_hasEnded && HasStarted && SendsBody && _promised is { } promised && _written + Writer.UnflushedBytes < promised)
        {
            throw new InvalidOperationException(
                $"Response Content-Length mismatch: too few bytes written ({_written + Writer.UnflushedBytes} of {promised}).");
        }

        if (!_hasEnded && !HasStarted && SendsBody && ResponseHeaders.ContentLength is { } length && Writer.UnflushedBytes < length)
        {
            throw new InvalidOperationException(
                $"Response Content-Length mismatch: too few bytes written ({Writer.UnflushedBytes} of {length}).");
        }

        End();
    }

    /// <summary>The application failed: a status if nothing was sent yet, a reset otherwise.</summary>
    private void FinishFailed(Exception exception)
    {
        bool isGone = IsClosedEarly && exception is OperationCanceledException or IOException;
        if (!isGone)
        {
            Http2Log.ApplicationError(Connection.Logger, Connection.Context.ConnectionId, TraceIdentifier, exception);
        }

        if (exception is BadHttpRequestException refusal)
        {
            Refuse(refusal);
        }

        if (_hasEnded)
        {
            return;
        }

        if (HasStarted)
        {
            ResetBy(Http2ErrorCode.InternalError);
            return;
        }

        Writer.Drop();
        _responseHeaders = null;
        _responseFields.Reset();
        _responseTrailers?.Reset();
        _trailers = null;
        _onStarting.Clear();
        StatusCode = isGone ? StatusCodes.Status499ClientClosedRequest
            : exception is BadHttpRequestException bad ? bad.StatusCode
            : StatusCodes.Status500InternalServerError;
        ResponseHeaders.ContentLength = 0;
        End();
    }

    private async Task FireOnCompletedAsync()
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
                Http2Log.ApplicationError(Connection.Logger, Connection.Context.ConnectionId, TraceIdentifier, exception);
            }
        }
    }

    private void Dispose(Exception? error)
    {
        try
        {
            DisposeContext(error);
        }
        catch (Exception exception)
        {
            Http2Log.ApplicationError(Connection.Logger, Connection.Context.ConnectionId, TraceIdentifier, exception);
        }
    }
}
