namespace Ioxide.Pg;

/// <summary>What commands leave of their session, how it is undone, and which of them others should not stand behind.</summary>
internal sealed partial class ServerConnection
{
    /// <summary>A command that the server works on for so long holds up those behind it.</summary>
    internal const int LongCommandMs = 100;

    private ResetOperation? _spareReset;
    private int _longCount;

    /// <summary>The session may not be as a new one is.</summary>
    internal bool IsTouched { get; private set; }

    /// <summary>
    /// Who comes next may wait long: for a command that may wait for a lock, for one that took long the last time, or for the one that the
    /// server is at work with for <see cref="LongCommandMs"/> already.
    /// </summary>
    internal bool HoldsUp
        => _longCount > 0 || (_sent.Head is { } head && Reactor.NowTick() - head.BegunTick >= LongCommandMs);

    /// <summary>The next user must not find what this one changed.</summary>
    internal void MarkDirty() => IsTouched = true;

    /// <summary>Undoes what was left, behind all that was sent. What is sent next finds a session as a new one.</summary>
    internal void SendReset()
    {
        ResetOperation reset = (_spareReset ?? new ResetOperation()).With(
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

        // What waits already was to be written after what is undone.
        reset.Stage = OperationStage.Waiting;
        reset.Connection = this;
        _waiting.EnqueueFirst(reset);
    }

    /// <summary>No caller waits for an answer.</summary>
    private bool HasResetsOnly()
    {
        for (Operation? sent = _sent.Head; sent is not null; sent = sent.Next)
        {
            if (sent is not ResetOperation)
            {
                return false;
            }
        }

        for (Operation? waiting = _waiting.Head; waiting is not null; waiting = waiting.Next)
        {
            if (waiting is not ResetOperation)
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>The session is not as it should be, and nobody is to find it so.</summary>
    internal void BreakUnclean(Exception cause)
        => Break(new PgConnectionException($"The session could not be reset for its next user, and its connection is closed. {cause.Message}", cause));

    private void ResetAnswered(ResetOperation reset)
    {
        if (reset.Error is null && TransactionStatus == (byte)'I')
        {
            reset.Release();
            _spareReset = reset;
            return;
        }

        // In a transaction that has failed the server has refused what was sent behind the reset: none of it has run.
        var refused = new List<Operation>();
        while (TransactionStatus == (byte)'E' && _sent.Dequeue() is { } operation)
        {
            Uncount(operation);
            if (operation is not ResetOperation)
            {
                operation.Restart();
                refused.Add(operation);
            }
        }

        BreakUnclean(reset.Error ?? new PgConnectionException("A transaction is still open."));
        refused.ForEach(ReturnLater);
    }

    /// <summary>A command is written. On a shared connection what it changes is undone right behind it, before the next one.</summary>
    private void NoteEffect(SessionEffect effect)
    {
        if ((effect & SessionEffect.ForgetsStatements) != 0)
        {
            // What is sent behind it is parsed anew.
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

    /// <summary>The server reports a setting. One that a command has changed without saying so is put back.</summary>
    private void SettingChanged()
    {
        if (_sent.Head is null or ResetOperation || (!IsLeased && (_sent.Head.Effect & SessionEffect.Changes) != 0))
        {
            return;
        }

        IsTouched = true;
        if (!IsLeased && Pool.Resets)
        {
            SendReset();
        }
    }

    private void Count(Operation operation)
    {
        if (!operation.IsCountedAsLong && operation.MayTakeLong)
        {
            operation.IsCountedAsLong = true;
            _longCount++;
        }
    }

    private void Uncount(Operation operation)
    {
        if (operation.IsCountedAsLong)
        {
            operation.IsCountedAsLong = false;
            _longCount--;
        }
    }
}
