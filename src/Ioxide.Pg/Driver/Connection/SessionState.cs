namespace Ioxide.Pg;

/// <summary>What commands leave behind in the session of a connection, and its reset before the next user.</summary>
/// <remarks>Threads: the reactor's, unless a member says otherwise.</remarks>
internal sealed class SessionState(ServerConnection connection)
{
    private SessionReset? _spareReset;
    private bool _hasPrepared;

    // The end of a transaction that its caller has given up, or the ROLLBACK behind it: the last one, until it is answered.
    private RoundTrip? _givenUpEnd;

    /// <summary>I: no transaction; T: in one; E: in one that failed.</summary>
    internal byte TransactionStatus { get; private set; } = (byte)'I';

    /// <summary>
    /// A transaction is open. None is behind an end that was given up: the server ends it with that, or with the ROLLBACK that follows. Threads: the
    /// session's user.
    /// </summary>
    /// <remarks>In this order: when the end is answered, the status is there.</remarks>
    internal bool IsInTransaction => Volatile.Read(ref _givenUpEnd) is null && TransactionStatus != (byte)'I';

    /// <summary>The session may differ from a new one.</summary>
    internal bool IsTouched { get; private set; }

    /// <summary>The session has changed, and is reset before its next user. Threads: the session's user.</summary>
    internal void MarkDirty() => IsTouched = true;

    /// <summary>ReadyForQuery reports the status of the transaction.</summary>
    internal void TakeStatus(ReadOnlySpan<byte> body)
    {
        TransactionStatus = new WireReader(body).ReadByte();
        if (TransactionStatus is not ((byte)'I' or (byte)'T' or (byte)'E'))
        {
            throw new PgProtocolException($"The server reported the unknown transaction status 0x{TransactionStatus:x2}.");
        }
    }

    /// <summary>The written end of a transaction is given up before its answer: its owner takes the transaction for over.</summary>
    internal void EndGivenUp(RoundTrip end) => Volatile.Write(ref _givenUpEnd, end);

    /// <summary>A command is answered. If it is an end that was given up, and has ended nothing, the transaction is rolled back.</summary>
    internal void EndAnswered(RoundTrip roundTrip)
    {
        if (!ReferenceEquals(roundTrip, _givenUpEnd))
        {
            return;
        }

        if (TransactionStatus == (byte)'I')
        {
            Volatile.Write(ref _givenUpEnd, null);
            return;
        }

        var rollback = new BeginAgain(begin: null, connection.Pool.Options.CommandTimeout);
        EndGivenUp(rollback);
        connection.Pipeline.SendFirst(rollback);
    }

    /// <summary>Resets the session after all sent commands. The next command finds it as a new one.</summary>
    internal void SendReset()
    {
        SessionReset reset = (_spareReset ?? new SessionReset()).With(
            rollsBack: TransactionStatus != (byte)'I', resets: IsTouched && connection.Pool.Resets, deallocates: _hasPrepared,
            connection.Pool.Options.CommandTimeout);
        _spareReset = null;
        IsTouched = _hasPrepared = false;
        TransactionStatus = (byte)'I';
        connection.Pool.Counters.Resets++;

        // Commands that wait already must be written after the reset.
        connection.Pipeline.SendFirst(reset);
    }

    /// <summary>A reset is answered. Where it failed, the connection is broken.</summary>
    internal void ResetAnswered(SessionReset reset)
    {
        if (reset.Error is null && TransactionStatus == (byte)'I')
        {
            reset.Release();
            reset.StrayCancels = 0;
            _spareReset = reset;
            return;
        }

        if (reset.Error is PgStrayCancelException && reset.StrayCancels < CancelRequests.MaxStrayCancels && connection.Pipeline.SentCount == 0
            && connection.Pool.Resets && !connection.IsBroken)
        {
            // Nothing was sent behind it, because it was in reach.
            reset.Release();
            reset.StrayCancels++;
            _spareReset = reset;
            IsTouched = true;
            _hasPrepared = (reset.Effect & SessionEffect.ForgetsStatements) != 0;
            SendReset();
            return;
        }

        // In a failed transaction the server has refused every command after the reset: none of them has run.
        var refused = new List<RoundTrip>();
        while (TransactionStatus == (byte)'E' && connection.Pipeline.TakeSent() is { } roundTrip)
        {
            if (roundTrip is not SessionReset)
            {
                roundTrip.Restart();
                refused.Add(roundTrip);
            }
        }

        connection.BreakUnclean(reset.Error ?? new PgConnectionException("A transaction is still open."));
        refused.ForEach(connection.ReturnLater);
    }

    /// <summary>A command is written. On a shared connection its changes are reset before the next command.</summary>
    internal void Written(SessionEffect effect)
    {
        if ((effect & SessionEffect.ForgetsStatements) != 0)
        {
            // Later commands are parsed again.
            connection.Statements.Clear();
        }

        _hasPrepared |= (effect & SessionEffect.Prepares) != 0;
        if ((effect & (SessionEffect.Touches | SessionEffect.Changes)) != 0)
        {
            Touch(isReset: (effect & SessionEffect.Changes) != 0);
        }
    }

    /// <summary>The server reports a setting. If a command has changed it unannounced, it is reset.</summary>
    internal void SettingChanged()
    {
        if (connection.Pipeline.Oldest is { } oldest and not SessionReset
            && (connection.IsLeased || (oldest.Effect & SessionEffect.Changes) == 0))
        {
            Touch(isReset: true);
        }
    }

    private void Touch(bool isReset)
    {
        IsTouched = true;
        if (isReset && !connection.IsLeased && connection.Pool.Resets)
        {
            SendReset();
        }
    }
}
