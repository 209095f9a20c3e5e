namespace Ioxide.Pg;

/// <summary>Sends commands of one connection again after a failure that is none of theirs, where nothing else would notice.</summary>
/// <remarks>Threads: the reactor's.</remarks>
internal sealed class CommandRepeats(ServerConnection connection)
{
    // The BEGIN of the transaction, while nothing else has run in it.
    private byte[]? _begin;

    /// <summary>
    /// Sends a command again whose statement has to be parsed again. Inside a transaction that holds only while nothing but BEGIN has run: the
    /// transaction is then begun again.
    /// </summary>
    /// <returns>False: the command finally failed.</returns>
    internal bool TryRepeat(RoundTrip roundTrip, PgException error)
    {
        byte status = connection.State.TransactionStatus;
        bool mayRepeat = !roundTrip.IsRepeated && !roundTrip.IsAbandoned && roundTrip.CanRepeat;
        if (mayRepeat && status == (byte)'I' && !connection.IsBroken && !ComesAfterLater)
        {
            roundTrip.Restart();
            connection.Pipeline.Resubmit(roundTrip);
            return true;
        }

        if (mayRepeat && status == (byte)'E' && (roundTrip.BeginsTransaction || _begin is not null) && connection.Pipeline.SentCount == 0)
        {
            roundTrip.Restart();
            var begin = new BeginAgain(roundTrip.BeginsTransaction ? null : _begin, connection.Pool.Options.CommandTimeout);
            if (connection.Pipeline.MayWrite)
            {
                connection.Pipeline.SendFirst(begin);
                connection.Pipeline.Resubmit(roundTrip);
            }
            else
            {
                connection.Pipeline.SendFirst(roundTrip);
                connection.Pipeline.SendFirst(begin);
            }

            return true;
        }

        if (error.IsResultChanged && status == (byte)'E')
        {
            error.Advice = "The columns of the statement have changed since it was prepared (ALTER TABLE), after the transaction had begun its " +
                "work. Run the transaction again: its statements are prepared anew.";
        }

        return false;
    }

    /// <summary>Runs a struck command again (<see cref="CancelRequests"/>), if it left no effects, and nothing was started after it.</summary>
    internal bool TryRunAgain(RoundTrip struck)
    {
        if (struck.StrayCancels >= CancelRequests.MaxStrayCancels || struck.IsAbandoned || !struck.CanRepeat || !struck.IsUndoneByItsError
            || connection.IsBroken || connection.State.TransactionStatus != (byte)'I' || ComesAfterLater)
        {
            return false;
        }

        bool wasRepeated = struck.IsRepeated;
        struck.Restart();
        struck.IsRepeated = wasRepeated;
        struck.StrayCancels++;
        connection.Pipeline.Resubmit(struck);
        return true;
    }

    /// <summary>A command has ended, and the server reported the status of the transaction before and after it.</summary>
    internal void Ended(RoundTrip roundTrip, byte before, byte after)
        => _begin = before == (byte)'I' && after == (byte)'T' ? roundTrip.BeginText : null;

    // In a session it must not come after what was started later.
    private bool ComesAfterLater => connection.IsLeased && connection.Pipeline.SentCount > 0;
}
