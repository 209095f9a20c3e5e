namespace Ioxide.Pg;

/// <summary>The commands of one connection in their order: the sent ones until their ReadyForQuery, then those that wait to be sent.</summary>
/// <remarks>
/// <para>A command is written when it comes. It waits while the transport is full, while a command is being cancelled (the request strikes
/// whatever runs), behind a reset that could be struck, and while the Sync of another is still to come.</para>
/// <para>Threads: the reactor's, unless a member says otherwise.</para>
/// </remarks>
internal sealed class CommandPipeline(ServerConnection connection)
{
    /// <summary>A command that the server works on for longer holds up later ones.</summary>
    internal const int LongCommandMs = 100;

    private RoundTripQueue _sent;
    private RoundTripQueue _waiting;

    // Its Sync is still to come: messages of others would become part of it.
    private RoundTrip? _open;
    private bool _isAwaitingColumns;
    private bool _isDescribed;
    private int _longCount;

    /// <summary>The command that the server works on.</summary>
    internal RoundTrip? Oldest => _sent.Head;

    /// <summary>Commands that are sent, and not answered.</summary>
    internal int SentCount => _sent.Count;

    internal bool HasWaiting => _waiting.Count > 0;

    /// <summary>Commands that are sent or waiting. Threads: any; a snapshot.</summary>
    internal int Pending => _sent.Count + _waiting.Count;

    internal bool MayWrite => !connection.Flush.IsFull && !connection.IsCancelling && !CancelMayHitReset && _open is null;

    /// <summary>
    /// Later commands may wait long: for a command that may wait for a lock, for one that took long the last time, or for one that the
    /// server has worked on for <see cref="LongCommandMs"/>.
    /// </summary>
    internal bool DelaysNextCommand
        => _longCount > 0 || (_sent.Head is { } head && connection.Reactor.NowTick() - head.BegunTick >= LongCommandMs);

    /// <summary>The last thing sent is a reset, and a cancel request for a command before it could strike it.</summary>
    private bool CancelMayHitReset => _sent.Tail is SessionReset && (_sent.Count > 1 || connection.Cancels.IsLoose);

    /// <summary>Sends the command now, or as soon as it may be sent.</summary>
    internal void Send(RoundTrip roundTrip)
    {
        if (connection.IsBroken)
        {
            roundTrip.Connection = connection;
            connection.Pool.Return(roundTrip, connection.LostError());
            return;
        }

        Count(roundTrip);
        if (!MayWrite || _waiting.Count > 0 || MustBeAlone(roundTrip))
        {
            roundTrip.Stage = RoundTripStage.Waiting;
            roundTrip.Connection = connection;
            _waiting.Enqueue(roundTrip);
            return;
        }

        Write(roundTrip);
    }

    /// <summary>Sends it now, or as soon as it may be sent and before all that wait.</summary>
    internal void SendFirst(RoundTrip roundTrip)
    {
        if (MayWrite && !MustBeAlone(roundTrip))
        {
            Write(roundTrip);
            return;
        }

        roundTrip.Stage = RoundTripStage.Waiting;
        roundTrip.Connection = connection;
        _waiting.EnqueueFirst(roundTrip);
    }

    /// <summary>Sends a command again, before any that came later.</summary>
    internal void Resubmit(RoundTrip roundTrip)
    {
        if (roundTrip.IsAbandoned)
        {
            Forget(roundTrip);
        }
        else if (connection.IsBroken)
        {
            connection.ReturnLater(roundTrip);
        }
        else
        {
            SendFirst(roundTrip);
        }
    }

    /// <summary>Sends what waits, as far as it may be sent.</summary>
    internal void SendWaiting()
    {
        while (!connection.IsBroken && MayWrite && _waiting.Head is { } roundTrip && !MustBeAlone(roundTrip))
        {
            _waiting.Dequeue();
            if (roundTrip.IsAbandoned)
            {
                Forget(roundTrip);
            }
            else
            {
                Write(roundTrip);
            }
        }
    }

    /// <summary>Removes a command that is not yet sent. False: it was sent.</summary>
    internal bool TryWithdraw(RoundTrip roundTrip)
    {
        if (!_waiting.Remove(roundTrip))
        {
            return false;
        }

        Uncount(roundTrip);
        return true;
    }

    /// <summary>The round trip writes nothing more: commands that came meanwhile are sent.</summary>
    internal void UnblockFollowers(RoundTrip roundTrip)
    {
        if (ReferenceEquals(_open, roundTrip))
        {
            _open = null;
        }

        connection.Flush.Schedule();
        SendWaiting();
    }

    /// <summary>Writes the Sync of a round trip that was held open; does nothing for another.</summary>
    internal void EndFlight(RoundTrip roundTrip)
    {
        if (!ReferenceEquals(_open, roundTrip))
        {
            return;
        }

        if (roundTrip.EndsWithSync)
        {
            WriteSync();
            connection.Flush.Schedule();
        }
        else
        {
            _open = null;
        }
    }

    /// <summary>The statement that the round trip waited for is described: it continues to write, unless its caller is gone.</summary>
    internal void WriteOn(RoundTrip roundTrip)
    {
        if (!_isAwaitingColumns || !ReferenceEquals(_open, roundTrip))
        {
            return;
        }

        if (roundTrip.IsAbandoned || roundTrip.Error is not null)
        {
            EndFlight(roundTrip);
            return;
        }

        if (connection.Cancels.IsRequesting && !roundTrip.IsCancelRequested)
        {
            // The request is for another command, and would strike whatever runs when it arrives.
            _isDescribed = true;
            return;
        }

        _open = null;
        _isAwaitingColumns = _isDescribed = false;
        Write(roundTrip);
    }

    /// <summary>No cancel request is on its way any more: what it held back is written.</summary>
    internal void WriteHeldBack()
    {
        if (_isDescribed && _open is { } described)
        {
            WriteOn(described);
        }

        SendWaiting();
    }

    /// <summary>Restarts the time limit of the round trip from now. One that was cancelled has its limit already.</summary>
    internal void RestartClock(RoundTrip roundTrip)
    {
        if (ReferenceEquals(_sent.Head, roundTrip) && !roundTrip.IsCancelRequested)
        {
            Begin(roundTrip);
        }
    }

    /// <summary>The command that a message is an answer to.</summary>
    internal RoundTrip AnsweredBy(byte type)
        => _sent.Head ?? throw new PgProtocolException($"The server sent a message of type '{(char)type}' that answers nothing.");

    /// <summary>The server is done with the oldest command, and begins with the next.</summary>
    internal void Answered(RoundTrip oldest)
    {
        if (ReferenceEquals(_open, oldest))
        {
            if (oldest.EndsWithSync)
            {
                throw new PgProtocolException("The server ended a command that was not sent to its end.");
            }

            _open = null;
        }

        _sent.Dequeue();
        if (_sent.Head is { } next)
        {
            Begin(next);
        }
    }

    /// <summary>The command takes part in <see cref="DelaysNextCommand"/> no more.</summary>
    /// <returns>The command.</returns>
    internal RoundTrip? Uncount(RoundTrip? roundTrip)
    {
        if (roundTrip is { IsCountedAsLong: true })
        {
            roundTrip.IsCountedAsLong = false;
            _longCount--;
        }

        return roundTrip;
    }

    /// <summary>Removes the oldest sent command without an answer; or null.</summary>
    internal RoundTrip? TakeSent() => Uncount(_sent.Dequeue());

    /// <summary>Removes the oldest waiting command; or null.</summary>
    internal RoundTrip? TakeWaiting() => Uncount(_waiting.Dequeue());

    /// <summary>The matching commands, oldest first; null if there are none.</summary>
    internal List<RoundTrip>? FindAll(Predicate<RoundTrip> match)
    {
        List<RoundTrip>? found = null;
        for (RoundTrip? next = _sent.Head ?? _waiting.Head; next is not null; next = ReferenceEquals(next, _sent.Tail) ? _waiting.Head : next.Next)
        {
            if (match(next))
            {
                (found ??= []).Add(next);
            }
        }

        return found;
    }

    /// <summary>The connection is broken, and writes no Sync.</summary>
    internal void ForgetFlight() => _open = null;

    /// <summary>
    /// PgBouncer releases the server's session with the last ReadyForQuery that a Sync asked for, and loses later messages that
    /// have no Sync of their own. So a round trip in pieces waits until nothing else is in flight.
    /// </summary>
    private bool MustBeAlone(RoundTrip roundTrip)
        => _sent.Count > 0 && (connection.IsPooled || connection.Pool.Options.Pooler != PgPooler.None)
            && roundTrip.MayHoldOpen(connection.Statements);

    /// <summary>Writes the round trip's messages, or the rest of them where it is sent already.</summary>
    private void Write(RoundTrip roundTrip)
    {
        bool isBegun = roundTrip.Stage == RoundTripStage.Sent;
        if (!isBegun)
        {
            roundTrip.Connection = connection;
            roundTrip.Stage = RoundTripStage.Sent;
            bool isHead = _sent.Head is null;
            _sent.Enqueue(roundTrip);
            if (isHead)
            {
                Begin(roundTrip);
            }
        }

        try
        {
            End(roundTrip.Write(connection), roundTrip);
        }
        catch (Exception exception)
        {
            // A value that cannot be written fails its own round trip only. A Sync ends what it has written, and would commit it.
            roundTrip.Fail(exception);
            if (roundTrip.HasWrittenCommands)
            {
                MessageWriter.WriteGivenUp(connection.Output, "The client cannot send a value of a later command."u8);
            }

            WriteSync();
        }

        connection.Flush.Schedule();
        if (!isBegun)
        {
            connection.State.Written(roundTrip.Effect);
        }
    }

    private void End(FlightEnd end, RoundTrip roundTrip)
    {
        switch (end)
        {
            case FlightEnd.Sync:
                WriteSync();
                break;
            case FlightEnd.Columns or FlightEnd.Portal:
                MessageWriter.WriteFlush(connection.Output);
                _open = roundTrip;
                _isAwaitingColumns = end == FlightEnd.Columns;
                break;
            case FlightEnd.Data:
                _open = roundTrip;
                break;
        }
    }

    /// <summary>Ends what a round trip wrote.</summary>
    private void WriteSync()
    {
        _open = null;
        _isAwaitingColumns = _isDescribed = false;
        MessageWriter.WriteSync(connection.Output);
    }

    private void Begin(RoundTrip roundTrip)
    {
        roundTrip.BegunTick = connection.Reactor.NowTick();
        connection.Clock.Watch(roundTrip);
        if (roundTrip.IsCancelWanted)
        {
            connection.Cancels.Request(roundTrip);
        }
    }

    private void Count(RoundTrip roundTrip)
    {
        if (!roundTrip.IsCountedAsLong && roundTrip.MayTakeLong)
        {
            roundTrip.IsCountedAsLong = true;
            _longCount++;
        }
    }

    private void Forget(RoundTrip abandoned)
    {
        Uncount(abandoned);
        abandoned.Release();
    }
}
