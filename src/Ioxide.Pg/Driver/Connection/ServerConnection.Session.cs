namespace Ioxide.Pg;

/// <summary>Session state that commands leave, its reset, and commands that may take long.</summary>
internal sealed partial class ServerConnection
{
    /// <summary>A command that the server works on for longer holds up later ones.</summary>
    internal const int LongCommandMs = 100;

    private SessionReset? _spareReset;
    private int _longCount;

    /// <summary>The session may differ from a new one.</summary>
    internal bool IsTouched { get; private set; }

    /// <summary>
    /// Later commands may wait long: for a command that may wait for a lock, for one that took long the last time, or for one that the
    /// server has worked on for <see cref="LongCommandMs"/>.
    /// </summary>
    internal bool HoldsUp
        => _longCount > 0 || (_sent.Head is { } head && Reactor.NowTick() - head.BegunTick >= LongCommandMs);

    /// <summary>Its session is as a new one, and nothing is under way. Threads: any, while no command of the session is.</summary>
    internal bool IsClean
        => Pending == 0 && TransactionStatus == (byte)'I' && this is { IsTouched: false, IsBroken: false, IsCancelling: false, Listener: null };

    /// <summary>The session has changed, and is reset before its next user.</summary>
    internal void MarkDirty() => IsTouched = true;

    /// <summary>Resets the session after all sent commands. The next command finds it as a new one.</summary>
    internal void SendReset()
    {
        SessionReset reset = (_spareReset ?? new SessionReset()).With(
            rollsBack: TransactionStatus != (byte)'I', resets: IsTouched && Pool.Resets, Pool.Options.CommandTimeout);
        _spareReset = null;
        IsTouched = false;
        TransactionStatus = (byte)'I';
        Pool.Counters.Resets++;
        if (MayWrite)
        {
            Write(reset);
            return;
        }

        // Commands that wait already must be written after the reset.
        reset.Stage = RoundTripStage.Waiting;
        reset.Connection = this;
        _waiting.EnqueueFirst(reset);
    }

    /// <summary>No caller waits for an answer.</summary>
    private bool HasResetsOnly()
    {
        for (RoundTrip? sent = _sent.Head; sent is not null; sent = sent.Next)
        {
            if (sent is not SessionReset)
            {
                return false;
            }
        }

        for (RoundTrip? waiting = _waiting.Head; waiting is not null; waiting = waiting.Next)
        {
            if (waiting is not SessionReset)
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Closes the connection, because its session could not be reset.</summary>
    internal void BreakUnclean(Exception cause)
        => Break(new PgConnectionException(
            $"The session could not be reset for its next user, and its connection is closed. {cause.Message}", cause));

    private void ResetAnswered(SessionReset reset)
    {
        if (reset.Error is null && TransactionStatus == (byte)'I')
        {
            reset.Release();
            reset.Strikes = 0;
            _spareReset = reset;
            return;
        }

        if (reset.Error is PgStrayCancelException && reset.Strikes < MaxStrikes && _sent.Count == 0 && Pool.Resets && !IsBroken)
        {
            // Nothing was sent behind it, because it was in reach.
            reset.Release();
            reset.Strikes++;
            _spareReset = reset;
            IsTouched = true;
            SendReset();
            return;
        }

        // In a failed transaction the server has refused every command after the reset: none of them has run.
        var refused = new List<RoundTrip>();
        while (TransactionStatus == (byte)'E' && _sent.Dequeue() is { } roundTrip)
        {
            Uncount(roundTrip);
            if (roundTrip is not SessionReset)
            {
                roundTrip.Restart();
                refused.Add(roundTrip);
            }
        }

        BreakUnclean(reset.Error ?? new PgConnectionException("A transaction is still open."));
        refused.ForEach(ReturnLater);
    }

    /// <summary>A command is written. On a shared connection its changes are reset before the next command.</summary>
    private void NoteEffect(SessionEffect effect)
    {
        if ((effect & SessionEffect.ForgetsStatements) != 0)
        {
            // Later commands are parsed again.
            Statements.Clear();
        }

        if ((effect & (SessionEffect.Touches | SessionEffect.Changes)) == 0)
        {
            return;
        }

        IsTouched = true;
        if ((effect & SessionEffect.Changes) != 0 && !IsLeased && Pool.Resets)
        {
            SendReset();
        }
    }

    /// <summary>The server reports a setting. If a command has changed it unannounced, it is reset.</summary>
    private void SettingChanged()
    {
        if (_sent.Head is null or SessionReset || (!IsLeased && (_sent.Head.Effect & SessionEffect.Changes) != 0))
        {
            return;
        }

        IsTouched = true;
        if (!IsLeased && Pool.Resets)
        {
            SendReset();
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

    private void Uncount(RoundTrip roundTrip)
    {
        if (roundTrip.IsCountedAsLong)
        {
            roundTrip.IsCountedAsLong = false;
            _longCount--;
        }
    }
}
