using Microsoft.AspNetCore.Http;

namespace Ioxide.Http2;

/// <summary>One run of the application for a request, in Kestrel's order.</summary>
internal abstract partial class Http2Stream : IThreadPoolWorkItem
{
    /// <summary>Starts the run. Threads: the reactor's under the application's context, or the pool's. Never throws.</summary>
    public void Execute() => _ = RunAsync();

    private protected abstract void CreateContext();

    private protected abstract Task ProcessAsync();

    private protected abstract void DisposeContext(Exception? exception);

    private async Task RunAsync()
    {
        if (_rejectedStatus != 0)
        {
            StatusCode = _rejectedStatus;
            ResponseHeaders.ContentLength = 0;
            Refuse(new BadHttpRequestException("The request's header fields are larger or more than the limits allow.", _rejectedStatus));
            End();
        }
        else
        {
            Exception? error = null;
            bool hasContext = false;
            try
            {
                CreateContext();
                hasContext = true;
                await ProcessAsync().ConfigureAwait(true);
                if (!HasStarted && _onStarting is not null)
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

            await FireOnCompletedAsync().ConfigureAwait(true);
            if (hasContext)
            {
                Dispose(error);
            }
        }

        Submit(Submitted.HandlerDone);
    }

    private void Finish()
    {
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
        _responseTrailers = null;
        _trailers = null;
        _onStarting = null;
        StatusCode = exception is BadHttpRequestException bad ? bad.StatusCode : StatusCodes.Status500InternalServerError;
        ResponseHeaders.ContentLength = 0;
        End();
    }

    private async Task FireOnCompletedAsync()
    {
        for (int index = (_onCompleted?.Count ?? 0) - 1; index >= 0; index--)
        {
            try
            {
                (Func<object, Task> callback, object state) = _onCompleted![index];
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
