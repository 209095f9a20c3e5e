using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Http2;

/// <summary>One run of the application for a request, in Kestrel's order.</summary>
internal abstract partial class Http2Stream : IThreadPoolWorkItem
{
    /// <summary>Starts the run. Threads: the reactor's under the application's context, or the pool's. Never throws.</summary>
    public void Execute()
    {
        if (_rejectedStatus != 0)
        {
            Reject(new BadHttpRequestException("The request's header fields are larger or more than the limits allow.", _rejectedStatus));
            _isOver = true;
            End();
            Submit(Submitted.HandlerDone);
            return;
        }

        bool hasContext = false;
        try
        {
            CreateContext();
            hasContext = true;
            WriteEvent(isStart: true);
            Task handled = ProcessAsync();
            if (!handled.IsCompletedSuccessfully || MustFireOnStarting || !_completing.IsCompletedSuccessfully)
            {
                _ = FinishAsync(handled);
                return;
            }

            CheckLength();
        }
        catch (Exception exception)
        {
            Fail(exception);
        }

        Leave(hasContext);
    }

    private protected abstract void CreateContext();

    private protected abstract Task ProcessAsync();

    private protected abstract void DisposeContext(Exception? exception);

    private async Task FinishAsync(Task handled)
    {
        try
        {
            await handled.ConfigureAwait(true);
            if (MustFireOnStarting && _error is null)
            {
                await FireOnStartingAsync().ConfigureAwait(true);
            }

            CheckLength();
        }
        catch (Exception exception)
        {
            Fail(exception);
        }

        // What the application began by completing its writer.
        _isOver = true;
        try
        {
            await _completing.ConfigureAwait(true);
        }
        catch (Exception exception)
        {
            Report(exception);
        }

        Leave(hasContext: true);
    }

    private void CheckLength()
    {
        if (!IsClosedEarly && TooFew() is { } error)
        {
            Report(error);
        }
    }

    /// <summary>The application threw.</summary>
    private void Fail(Exception exception)
    {
        if (exception is BadHttpRequestException refusal)
        {
            Reject(refusal);
        }

        if (IsClosedEarly && exception is OperationCanceledException or IOException)
        {
            Http2Log.RequestAborted(Connection.Logger, Connection.Context.ConnectionId, TraceIdentifier);
        }
        else
        {
            Report(exception);
        }
    }

    private void Reject(BadHttpRequestException reason)
    {
        _rejection = reason;
        if (!HasStarted)
        {
            SetErrorHead(reason.StatusCode);
        }

        Refuse(reason);
    }

    /// <summary>The bodies are closed and the answer ends; what follows concerns only the application.</summary>
    private void Leave(bool hasContext)
    {
        if (hasContext)
        {
            WriteEvent(isStart: false);
        }

        _isOver = true;
        if (!IsClosedEarly)
        {
            End();
        }
        else if (!HasStarted)
        {
            // Nothing is sent any more: this is what the host measures and logs.
            _statusCode = StatusCodes.Status499ClientClosedRequest;
        }

        if (_onCompleted.Count > 0)
        {
            _ = LeaveAsync(hasContext);
        }
        else
        {
            EndRun(hasContext);
        }
    }

    private void WriteEvent(bool isStart)
    {
        if (KestrelEvents.AreOn)
        {
            KestrelEvents.Write(isStart, ((IHttpConnectionFeature)this).ConnectionId, TraceIdentifier, Protocol, Path, Method);
        }
    }

    private async Task LeaveAsync(bool hasContext)
    {
        await FireOnCompletedAsync().ConfigureAwait(true);
        EndRun(hasContext);
    }

    private void EndRun(bool hasContext)
    {
        if (hasContext)
        {
            Dispose(_error);
        }

        Submit(Submitted.HandlerDone);
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
                Http2Log.ApplicationError(Connection.KestrelLogger, Connection.Context.ConnectionId, TraceIdentifier, exception);
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
            Http2Log.ApplicationError(Connection.KestrelLogger, Connection.Context.ConnectionId, TraceIdentifier, exception);
        }
    }
}
