namespace Ioxide.Pg;

/// <summary>Timeouts, giving up, and the end.</summary>
internal sealed partial class ServerConnection
{
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
        if (operation.TryEndByItself())
        {
            // Where the server does not hear of it, the clock sees to a cancel request.
            RestartClock(operation);
        }
        else if (isHead)
        {
            RequestCancel(operation);
        }
    }

    /// <summary>The server has from now on as long as the operation allows.</summary>
    internal void RestartClock(Operation operation)
    {
        if (ReferenceEquals(_sent.Head, operation))
        {
            Begin(operation);
        }
    }

    /// <summary>The session is disposed: what waits for its caller, who may be gone, is given up.</summary>
    internal void EndSession(CommandTarget target)
    {
        List<Operation>? open = null;
        for (Operation? sent = _sent.Head; sent is not null; sent = sent.Next)
        {
            Collect(sent);
        }

        for (Operation? waiting = _waiting.Head; waiting is not null; waiting = waiting.Next)
        {
            Collect(waiting);
        }

        open?.ForEach(operation => target.Cancel(operation, new ObjectDisposedException(nameof(PgSession), "The session was disposed in the middle of the command.")));

        void Collect(Operation operation)
        {
            if (operation is { EndsWithSession: true, IsAbandoned: false })
            {
                (open ??= []).Add(operation);
            }
        }
    }

    /// <summary>A clock ran out. Called by <see cref="CommandClock"/>.</summary>
    internal void ClockRanOut()
    {
        if (_sent.Head is { IsCancelRequested: true } && !_clock.IsCancelOver)
        {
            // The request came before the server began with the command, which has no effect.
            _clock.WatchCancelAgain();
            SendCancel();
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
