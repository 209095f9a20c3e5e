using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Http;

namespace Ioxide.Http2;

/// <summary>One run of the application for a request, in Kestrel's order.</summary>
internal abstract partial class HttpExchange : IThreadPoolWorkItem, IPlacedRun
{
    /// <summary>Starts the run on the thread pool, where it sees what it sees on the reactor.</summary>
    void IThreadPoolWorkItem.Execute() => Connection.Loop.RunInFlow(static exchange => ((HttpExchange)exchange!).Execute(), this);

    /// <summary>Starts the run. Threads: the reactor's under the application's context, or the pool's. Never throws.</summary>
    internal void Execute()
    {
        bool hasContext = false;
        try
        {
            if (Request.RejectedStatus != 0)
            {
                Refuse(new BadHttpRequestException("The request's header fields are larger or more than the limits allow.", Request.RejectedStatus));
            }
            else
            {
                CreateContext();
                hasContext = true;
                KestrelEvents.Write(this, isStart: true);
                Task handled = ProcessAsync();
                if (!handled.IsCompletedSuccessfully || Answer.MustFireOnStarting || Answer.Completing is { IsCompletedSuccessfully: false })
                {
                    _ = FinishAsync(handled);
                    return;
                }

                CheckLength();
            }
        }
        catch (Exception exception)
        {
            Fail(exception);
        }

        Leave(hasContext);
    }

    void IPlacedRun.GoesOn(Placement code) => Stream.Run.GoesOn(code);

    private protected abstract void CreateContext();

    private protected abstract Task ProcessAsync();

    private protected abstract void DisposeContext(Exception? exception);

    private async Task FinishAsync(Task handled)
    {
        try
        {
            await handled.ConfigureAwait(true);
            if (Answer.MustFireOnStarting && Error is null)
            {
                await Answer.Callbacks.FireOnStartingAsync().ConfigureAwait(true);
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
            await (Answer.Completing ?? Task.CompletedTask).ConfigureAwait(true);
        }
        catch (Exception exception)
        {
            Report(exception);
        }

        Leave(hasContext: true);
    }

    private void CheckLength()
    {
        if (Answer.TooFew() is { } error && !Stream.IsClosedEarly)
        {
            Report(error);
        }
    }

    /// <summary>The application threw.</summary>
    private void Fail(Exception exception)
    {
        if (exception is BadHttpRequestException refusal)
        {
            Refuse(refusal);
        }

        if (Stream.IsClosedEarly && exception is OperationCanceledException or IOException)
        {
            Http2Log.RequestAborted(Connection.Logger, Connection.Context.ConnectionId, TraceIdentifier);
        }
        else
        {
            Report(exception);
        }
    }

    /// <summary>The bodies are closed and the answer ends; what follows concerns only the application.</summary>
    private void Leave(bool hasContext)
    {
        _isOver = true;
        try
        {
            Answer.Leave();
        }
        catch (Exception exception)
        {
            // What chooses the encodings of fields is the application's, and may throw.
            Report(exception);
            Abort();
        }

        if (Answer.Callbacks.HasOnCompleted)
        {
            _ = LeaveAsync(hasContext);
        }
        else
        {
            EndRun(hasContext);
        }
    }

    private async Task LeaveAsync(bool hasContext)
    {
        await Answer.Callbacks.FireOnCompletedAsync().ConfigureAwait(true);
        EndRun(hasContext);
    }

    private void EndRun(bool hasContext)
    {
        try
        {
            if (hasContext)
            {
                KestrelEvents.Write(this, isStart: false);
                DisposeContext(Error);
            }
        }
        catch (Exception exception)
        {
            LogError(exception);
        }

        Stream.Submit(Submitted.HandlerDone);
    }
}
