namespace Ioxide.Pg;

/// <summary>Timeouts, abandoned commands, and closing.</summary>
internal sealed partial class ServerConnection
{
    private Exception? _lostCause;

    private static readonly Action<RoundTrip> s_tell = static roundTrip =>
    {
        roundTrip.Complete();
        roundTrip.Release();
    };

    private static readonly Action<RoundTrip> s_return = static roundTrip =>
    {
        ServerConnection connection = roundTrip.Connection!;
        connection.Pool.Return(roundTrip, connection.LostError());
    };

    /// <summary>The command that the server works on.</summary>
    internal RoundTrip? Oldest => _sent.Head;

    /// <summary>The caller has stopped waiting. A running command is cancelled; a queued one's answer is dropped.</summary>
    internal void Abandon(RoundTrip roundTrip, Exception reason)
    {
        if (ReferenceEquals(roundTrip, _reading))
        {
            // The reader still uses what the caller would get back: the caller is resumed when the reader returns.
            _abandonReason ??= reason;
            return;
        }

        Drop(roundTrip, reason);
        roundTrip.Complete();
    }

    private void Drop(RoundTrip roundTrip, Exception reason)
    {
        bool isHead = ReferenceEquals(_sent.Head, roundTrip);
        roundTrip.Fail(reason);
        roundTrip.IsAbandoned = true;
        if (roundTrip.TryEndByItself())
        {
            // If the server is not asked now, the clock sends a cancel request later.
            RestartClock(roundTrip);
        }
        else if (isHead)
        {
            RequestCancel(roundTrip);
        }
    }

    /// <summary>Restarts the time limit of the round trip from now.</summary>
    internal void RestartClock(RoundTrip roundTrip)
    {
        if (ReferenceEquals(_sent.Head, roundTrip))
        {
            Begin(roundTrip);
        }
    }

    /// <summary>The session is disposed: a round trip that waits for its caller is abandoned.</summary>
    internal void EndSession(CommandTarget target)
    {
        List<RoundTrip>? open = null;
        for (RoundTrip? sent = _sent.Head; sent is not null; sent = sent.Next)
        {
            Collect(sent);
        }

        for (RoundTrip? waiting = _waiting.Head; waiting is not null; waiting = waiting.Next)
        {
            Collect(waiting);
        }

        open?.ForEach(roundTrip => target.Cancel(
            roundTrip, new ObjectDisposedException(nameof(PgSession), "The session was disposed in the middle of the command.")));

        void Collect(RoundTrip roundTrip)
        {
            if (roundTrip is { EndsWithSession: true, IsAbandoned: false })
            {
                (open ??= []).Add(roundTrip);
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
        var lost = new List<RoundTrip>();
        while (_ended.Dequeue() is { } ended)
        {
            lost.Add(ended);
        }

        // EndReading completes the round trip whose rows are read now.

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

        var unsent = new List<RoundTrip>();
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

    /// <summary>Completes the caller later: its code may block on the next round trip.</summary>
    private void TellLater(RoundTrip roundTrip)
    {
        if (!Reactor.TryEnqueue(roundTrip, s_tell))
        {
            s_tell(roundTrip);
        }
    }

    private void ReturnLater(RoundTrip roundTrip)
    {
        roundTrip.Connection = this;
        if (!Reactor.TryEnqueue(roundTrip, s_return))
        {
            s_return(roundTrip);
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
