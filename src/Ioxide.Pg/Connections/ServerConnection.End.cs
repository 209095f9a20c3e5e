using System.Diagnostics;

namespace Ioxide.Pg;

/// <summary>Timeouts, cancelling, and the end.</summary>
internal sealed partial class ServerConnection
{
    // Commands that were sent before the server had seen to a CancelRequest, and may have been struck by it.
    private int _strayCancelReach;
    private Exception? _lostCause;

    private static readonly Action<object?, object?, long, long> s_tell = static (operation, _, _, _) =>
    {
        ((Operation)operation!).Complete();
        ((Operation)operation).Release();
    };

    private static readonly Action<object?, object?, long, long> s_return = static (operation, _, _, _) =>
    {
        ServerConnection connection = ((Operation)operation!).Connection!;
        connection.Pool.Return((Operation)operation, connection.LostError());
    };

    /// <summary>A CancelRequest is on its way: the server has not closed its connection yet.</summary>
    internal bool IsCancelling { get; private set; }

    /// <summary>The command that the server works on.</summary>
    internal Operation? Oldest => _sent.Head;

    /// <summary>The caller waits no longer. What runs is cancelled, what is queued is dropped when its answer comes.</summary>
    internal void Abandon(Operation operation, Exception reason)
    {
        if (ReferenceEquals(operation, _reading))
        {
            // Its caller gets back what the reader still uses: it is told when the reader is through.
            _abandonReason ??= reason;
            return;
        }

        Drop(operation, reason);
        operation.Complete();
    }

    private void Drop(Operation operation, Exception reason)
    {
        bool isHead = ReferenceEquals(_sent.Head, operation);
        operation.Fail(reason);
        operation.IsAbandoned = true;
        if (isHead)
        {
            RequestCancel(operation);
        }
    }

    /// <summary>Asks the server to cancel what it runs; breaks the connection where it stays silent.</summary>
    internal void RequestCancel(Operation operation)
    {
        if (operation.IsCancelRequested || IsBroken)
        {
            return;
        }

        operation.IsCancelRequested = true;
        _clock.WatchCancel(Pool.Options.CancelTimeout);
        _ = CancelAsync();
    }

    /// <summary>Cancels what runs, on the user's own wish: its command fails with 57014.</summary>
    internal async Task CancelRunningAsync()
    {
        while (_sent.Head is ResetOperation && !IsBroken)
        {
            // That of the user before: this session runs nothing yet.
            await Reactor.DelayAsync(TimeSpan.FromMilliseconds(1)).ConfigureAwait(true);
        }

        if (_sent.Head is { } head && !IsCancelling)
        {
            RequestCancel(head);
        }

        while (IsCancelling)
        {
            await Reactor.DelayAsync(TimeSpan.FromMilliseconds(1)).ConfigureAwait(true);
        }
    }

    /// <summary>A clock ran out. Called by <see cref="CommandClock"/>.</summary>
    internal void ClockRanOut()
    {
        if (_sent.Head is { IsCancelRequested: true } && !_clock.IsCancelOver)
        {
            // The request came before the server began with the command, which has no effect.
            _clock.WatchCancelAgain();
            if (!IsCancelling)
            {
                _ = CancelAsync();
            }

            return;
        }

        if (_sent.Head is { IsCancelRequested: true })
        {
            Break(new PgConnectionException(
                $"The server did not answer within {Pool.Options.CancelTimeout} after the command was cancelled; the connection was given up."));
            return;
        }

        if (_sent.Head is { IsAbandoned: true } unwanted)
        {
            RequestCancel(unwanted);
        }
        else if (_sent.Head is { } head)
        {
            Abandon(head, new PgTimeoutException(
                PgTimeoutKind.Command,
                head.Timeout,
                $"The command took longer than {head.Timeout.TotalSeconds:0.###} s and was cancelled. " +
                $"{nameof(PgDataSourceOptions.CommandTimeout)} sets the limit; waiting behind other commands does not count."));
        }
    }

    internal void RefuseCopyIn()
    {
        MessageWriter.WriteCopyFail(Output, "COPY ... FROM STDIN is run by CopyInAsync."u8);
        ScheduleFlush();
    }

    internal void Break(Exception cause)
    {
        if (IsBroken)
        {
            return;
        }

        IsBroken = true;
        _lostCause = cause;
        _clock.Stop();
        _isLending = false;
        _isCallingOut = false;
        _toTell = null;
        _open = null;
        Transport.Abort();
        var lost = new List<Operation>();
        while (_ended.Dequeue() is { } ended)
        {
            lost.Add(ended);
        }

        // Who reads now is told by EndReading.

        while (_sent.Dequeue() is { } sent)
        {
            Uncount(sent);
            if (ReferenceEquals(sent, _reading))
            {
                continue;
            }

            if (!sent.IsAbandoned)
            {
                sent.Fail(SentError(cause));
            }

            lost.Add(sent);
        }

        var unsent = new List<Operation>();
        while (_waiting.Dequeue() is { } waiting)
        {
            Uncount(waiting);
            unsent.Add(waiting);
        }

        Pool.Lost(this, cause);
        Listener?.Lost(cause);
        lost.ForEach(TellLater);
        unsent.ForEach(ReturnLater);
    }

    /// <summary>Tells the caller later: what it runs may block, and the next one may be what it waits for.</summary>
    private void TellLater(Operation operation)
    {
        if (!Reactor.TryEnqueue(new WorkItem(s_tell, operation)))
        {
            s_tell(operation, null, 0, 0);
        }
    }

    private void ReturnLater(Operation operation)
    {
        operation.Connection = this;
        if (!Reactor.TryEnqueue(new WorkItem(s_return, operation)))
        {
            s_return(operation, null, 0, 0);
        }
    }

    private PgConnectionException LostError()
        => new($"The connection to {Endpoint} is lost: {_lostCause?.Message}", _lostCause);

    private PgConnectionException SentError(Exception cause)
        => cause is PgException fatal && ReferenceEquals(fatal, _fatal)
            ? new PgConnectionException($"The server ended the connection: {fatal.Message} Whether the command ran is not known.", fatal)
            : new PgConnectionException(
                $"The connection to {Endpoint} was lost while the command was on its way; whether it ran is not known. {cause.Message}", cause);

    private bool IsStruckByStrayCancel(Operation operation)
        => (IsCancelling || _strayCancelReach > 0) && !operation.IsCancelRequested
            && operation.Error is PgException { SqlState: PgSqlState.QueryCanceled } && MayRepeat(operation);

    private async Task CancelAsync()
    {
        Debug.Assert(RuntimeContext.IsCurrent);
        IsCancelling = true;
        try
        {
            await Pool.CancelAsync(this, _session).ConfigureAwait(true);
        }
        catch (Exception exception)
        {
            // Not told to anybody: the server's silence is, by the clock that runs.
            Pool.DataSource.Log.CancelFailed(Endpoint, exception);
        }

        IsCancelling = false;
        _strayCancelReach = _sent.Count;
        if (_isDescribed && _open is { } described)
        {
            WriteOn(described);
        }

        SendWaiting();
        if (!IsBroken && _sent.Count == 0)
        {
            Pool.BecameIdle(this);
        }
    }

    /// <summary>Gives everything back. The loop calls it at its end, when no row is lent any more.</summary>
    private async Task CloseAsync()
    {
        _scratch.Release();
        try
        {
            await _session.DisposeAsync().ConfigureAwait(true);
            await Transport.DisposeAsync().ConfigureAwait(true);
        }
        catch (IOException)
        {
            // It was broken already.
        }
    }
}
