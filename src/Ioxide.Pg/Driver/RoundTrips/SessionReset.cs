using System.Diagnostics;

namespace Ioxide.Pg;

/// <summary>Resets a session after its user. Commands of the next user may be sent right behind it.</summary>
/// <remarks>
/// <para>One message, one transaction: where a part fails, the server skips the rest with its COMMIT and refuses all that follows (25P02),
/// so that no command runs in a session that is not clean. The connection is then closed.</para>
/// <para>Source: PostgreSQL manual, DISCARD. Prepared statements and plans stay, unless the user has prepared some by SQL. Unlike DISCARD ALL
/// it restores the role that the session started with. Owner: its connection, which reuses it.</para>
/// </remarks>
internal sealed class SessionReset : RoundTrip
{
    // Its own isolation: the session's default may be one that waits for others.
    private const string Clean =
        "BEGIN ISOLATION LEVEL READ COMMITTED; SET SESSION AUTHORIZATION DEFAULT; RESET ROLE; RESET ALL; CLOSE ALL; UNLISTEN *; "
            + "SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES; ";

    private const string Deallocate = "DEALLOCATE ALL; ";
    private const string Commit = "COMMIT";
    private const string Rollback = "ROLLBACK";
    private const string RollbackFirst = Rollback + "; ";

    private static readonly byte[] s_rollback = WireText.Encoding.GetBytes(Rollback);
    private static readonly byte[] s_reset = WireText.Encoding.GetBytes(Clean + Commit);
    private static readonly byte[] s_rollbackAndReset = WireText.Encoding.GetBytes(RollbackFirst + Clean + Commit);
    private static readonly byte[] s_resetAndDeallocate = WireText.Encoding.GetBytes(Clean + Deallocate + Commit);
    private static readonly byte[] s_rollbackResetAndDeallocate = WireText.Encoding.GetBytes(RollbackFirst + Clean + Deallocate + Commit);

    private bool _rollsBack;
    private bool _resets;
    private bool _deallocates;

    internal override bool CanRepeat => false;

    internal override SessionEffect Effect => _deallocates ? SessionEffect.ForgetsStatements : SessionEffect.None;

    /// <summary>Prepares it for its next use.</summary>
    /// <param name="rollsBack">A transaction is open.</param>
    /// <param name="resets">The session may have changed.</param>
    /// <param name="deallocates">With a reset every prepared statement is dropped, because some have names that the next user may choose.</param>
    /// <param name="timeout">The server's time limit; after it the connection is closed.</param>
    internal SessionReset With(bool rollsBack, bool resets, bool deallocates, TimeSpan timeout)
    {
        Debug.Assert(rollsBack || resets);
        _rollsBack = rollsBack;
        _resets = resets;
        _deallocates = resets && deallocates;
        Timeout = timeout;
        IsAbandoned = IsCancelRequested = false;
        ClearError();
        return this;
    }

    internal override FlightEnd Write(ServerConnection connection)
    {
        MessageWriter.WriteQuery(connection.Output, (_resets, _deallocates, _rollsBack) switch
        {
            (false, _, _) => s_rollback,
            (true, false, false) => s_reset,
            (true, false, true) => s_rollbackAndReset,
            (true, true, false) => s_resetAndDeallocate,
            (true, true, true) => s_rollbackResetAndDeallocate,
        });
        return FlightEnd.Query;
    }

    internal override void Complete()
    {
        if (Error is { } error)
        {
            Connection!.BreakUnclean(error);
        }
    }
}

/// <summary>
/// Rolls a transaction back: one that failed at its first command, and is begun again for the command that is sent after it, or one whose end
/// was given up and then refused.
/// </summary>
internal sealed class BeginAgain : RoundTrip
{
    private readonly byte[] _sql;
    private readonly bool _begins;

    /// <param name="begin">The text of the BEGIN; null where the command brings its own, or none follows.</param>
    /// <param name="timeout">The time limit of the server.</param>
    internal BeginAgain(byte[]? begin, TimeSpan timeout)
    {
        _begins = begin is not null;
        _sql = [.. "ROLLBACK;"u8, .. begin ?? []];
        Timeout = timeout;
    }

    internal override bool CanRepeat => false;

    internal override FlightEnd Write(ServerConnection connection)
    {
        MessageWriter.WriteQuery(connection.Output, _sql);
        return FlightEnd.Query;
    }

    internal override bool TryEnd(ServerConnection connection)
    {
        if (Error is null && connection.State.TransactionStatus != (_begins ? (byte)'T' : (byte)'I'))
        {
            Fail(new PgConnectionException(_begins ? "The transaction could not be begun anew." : "The transaction could not be rolled back."));
        }

        return true;
    }

    internal override void Complete()
    {
        if (Error is { } error)
        {
            // The next command would run outside a transaction.
            Connection!.Break(error);
        }
    }
}
