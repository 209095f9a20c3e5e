namespace Ioxide.Pg;

/// <summary>Timeouts, abandoned commands, and closing.</summary>
internal sealed partial class ServerConnection
{
    private Exception? _lostCause;

    private static readonly Action<Operation> s_tell = static operation =>
    {
        operation.Complete();
        operation.Release();
    };

    private static readonly Action<Operation> s_return = static operation =>
    {
        ServerConnection connection = operation.Connection!;
        connection.Pool.Return(operation, connection.LostError());
    };

    /// <summary>The command that the server works on.</summary>
    internal Operation? Oldest => _sent.Head;

    /// <summary>The caller has stopped waiting. A running command is cancelled; a queued one's answer is dropped.</summary>
    internal void Abandon(Operation operation, Exception reason)
    {
        if (ReferenceEquals(operation, _reading))
        {
            // The reader still uses what the caller would get back: the caller is resumed when the reader returns.
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
            // If the server is not asked now, the clock sends a cancel request later.
            RestartClock(operation);
        }
        else if (isHead)
        {
            RequestCancel(operation);
        }
    }

    /// <summary>Restarts the time limit of the operation from now.</summary>
    internal void RestartClock(Operation operation)
    {
        if (ReferenceEquals(_sent.Head, operation))
        {
            Begin(operation);
        }
    }

    /// <summary>The session is disposed: an operation that waits for its caller is abandoned.</summary>
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

        open?.ForEach(operation => target.Cancel(
            operation, new ObjectDisposedException(nameof(PgSession), "The session was disposed in the middle of the command.")));

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
            // The request came before the server began with the command, and had no effect.
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
                (head.LimitsEachWait ? $"The server sent nothing for {head.Timeout.TotalSeconds:0.###} s, and the command was cancelled. "
                    : $"The command took longer than {head.Timeout.TotalSeconds:0.###} s and was cancelled. ") +
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

        // EndReading completes the operation whose rows are read now.

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
        Listener?.Lost();
        lost.ForEach(TellLater);
        unsent.ForEach(ReturnLater);
    }

    /// <summary>Completes the caller later: its code may block on the next operation.</summary>
    private void TellLater(Operation operation)
    {
        if (!Reactor.TryEnqueue(operation, s_tell))
        {
            s_tell(operation);
        }
    }

    private void ReturnLater(Operation operation)
    {
        operation.Connection = this;
        if (!Reactor.TryEnqueue(operation, s_return))
        {
            s_return(operation);
        }
    }

    /// <summary>Fails if the server has ended the session since, perhaps in the bytes that began it.</summary>
    internal void ThrowIfLost()
    {
        if (IsBroken)
        {
            throw _lostCause as PgException ?? (Exception)LostError();
        }
    }

    internal PgConnectionException LostError()
        => new($"The connection to {Endpoint} is lost: {_lostCause?.Message}", _lostCause);

    private PgConnectionException SentError(Exception cause)
        => cause is PgException fatal && ReferenceEquals(fatal, _fatal)
            ? new PgConnectionException($"The server ended the connection: {fatal.Message} Whether the command ran is not known.", fatal)
            : new PgConnectionException(
                $"The connection to {Endpoint} was lost while the command was on its way; whether it ran is not known. {cause.Message}", cause);

    /// <summary>Releases everything. The loop calls it at its end, when no row is lent any more.</summary>
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
