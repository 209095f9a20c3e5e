using System.Text;

namespace Ioxide.Pg;

/// <summary>The statements that one connection has prepared, by slot, with the least recently used one to be given up first.</summary>
/// <remarks>
/// <para>A statement is parsed in front of its first use. Its columns are learned once a data source, by a flight of their own, because
/// Bind names the format of each; every other connection sends Parse, Describe, Bind and Execute in one flight.</para>
/// <para>It heals itself: 26000 (the server does not have it), 0A000 of RevalidateCachedQuery (its result has changed) and a count of
/// formats that no longer fits make it stale, and the command is sent again with a new Parse.</para>
/// </remarks>
internal sealed class StatementTable(ServerConnection connection, ColumnsCache cache, int maxPrepared, bool isUnnamedOnly)
{
    private PreparedStatement?[] _bySlot = new PreparedStatement?[64];
    private PreparedStatement? _newest;
    private PreparedStatement? _oldest;
    private readonly List<PreparedStatement> _learning = [];
    private long _nameCount;

    /// <summary>Statements that are prepared under a name.</summary>
    internal int Count { get; private set; }

    /// <summary>Statements that were given up to make room for others.</summary>
    internal long Evictions { get; private set; }

    /// <summary>A command is learning the columns of its statement.</summary>
    internal bool IsLearning => _learning.Count > 0;

    /// <summary>Operations that wait for columns.</summary>
    internal int WaiterCount { get; private set; }

    /// <summary>Finds the statement for a command, and says what is to be sent.</summary>
    internal StatementUse Use(PgStatement statement, Operation user, out PreparedStatement prepared)
    {
        if (Find(statement) is { } found)
        {
            prepared = found;
            if (found.IsLearning)
            {
                Wait(found, user);
                return StatementUse.Wait;
            }

            Touch(found);
            return StatementUse.Ready;
        }

        ResultColumns? columns = cache.Find(statement);
        if (isUnnamedOnly || !statement.IsPrepared)
        {
            // Nothing is kept: each use brings its Parse, and a neighbour's may stand between two of them.
            prepared = new PreparedStatement(statement, []) { Columns = columns };
            return Begin(prepared);
        }

        prepared = Add(statement);
        prepared.Columns = columns;
        return Begin(prepared);
    }

    /// <summary>Whether a command with the statement can name its formats.</summary>
    internal bool Knows(PgStatement statement) => Find(statement) is { IsLearning: false } || cache.Find(statement) is not null;

    /// <summary>Whether a flight that learns its columns is on its way.</summary>
    internal bool Learns(PgStatement statement) => Find(statement) is { IsLearning: true };

    /// <summary>Lets an operation wait where another one is just learning the columns.</summary>
    internal bool TryWait(PgStatement statement, Operation waiter)
    {
        if (Find(statement) is not { IsLearning: true } learning)
        {
            return false;
        }

        Wait(learning, waiter);
        return true;
    }

    /// <summary>Its Parse was skipped: the server does not have it.</summary>
    internal void Forget(PreparedStatement prepared) => Remove(prepared);

    /// <summary>The answer to a Describe.</summary>
    internal ResultColumns Described(PreparedStatement prepared, ReadOnlySpan<byte> body)
    {
        if (prepared.Columns is not { } expected || !expected.Matches(body))
        {
            // In the flight that sent Bind too, the formats are the ones that it asked for.
            prepared.Columns = ResultColumns.Read(body, prepared.Columns is { } asked ? asked.Formats : default);
            cache.Set(prepared.Statement, ResultColumns.Read(body, default));
        }

        return prepared.Columns;
    }

    internal ResultColumns DescribedEmpty(PreparedStatement prepared)
    {
        prepared.Columns = ResultColumns.None;
        cache.Set(prepared.Statement, ResultColumns.None);
        return ResultColumns.None;
    }

    /// <summary>The flight that learned the columns has ended, well or not. Who waited is submitted again.</summary>
    internal void Learned(PreparedStatement prepared)
    {
        prepared.IsLearning = false;
        _learning.Remove(prepared);
        if (prepared.Columns is null)
        {
            // Nobody learned them: the next user tries again.
            Remove(prepared);
        }

        if (prepared.Waiters is { } waiters)
        {
            prepared.Waiters = null;
            WaiterCount -= waiters.Count;
            foreach (Operation waiter in waiters)
            {
                connection.Resubmit(waiter);
            }
        }
    }

    /// <summary>A command with the statement failed: the statement is given up where that is the cause.</summary>
    internal void Failed(PreparedStatement prepared, PgException error)
    {
        if (!prepared.IsParsed)
        {
            // Its Parse failed, or that of the command before: the server does not have it.
            prepared.IsStale = error.SqlState == PgSqlState.InvalidSqlStatementName;
            Remove(prepared);
            return;
        }

        if (!IsCausedByStaleness(error))
        {
            return;
        }

        prepared.IsStale = true;
        cache.Forget(prepared.Statement);
        if (Remove(prepared) && error.SqlState != PgSqlState.InvalidSqlStatementName)
        {
            MessageWriter.WriteClose(connection.Output, prepared.Name);
        }
    }

    /// <summary>Forgets all: DISCARD ALL or DEALLOCATE ALL was run.</summary>
    internal void Clear()
    {
        Array.Clear(_bySlot);
        _newest = null;
        _oldest = null;
        Count = 0;
    }

    /// <summary>Who waits for columns, when the connection is lost.</summary>
    internal IEnumerable<Operation> TakeWaiters()
    {
        // Not by the table: a statement that failed, or was forgotten with all others, is no longer in it.
        foreach (PreparedStatement prepared in _learning)
        {
            if (prepared.Waiters is not { } waiters)
            {
                continue;
            }

            prepared.Waiters = null;
            WaiterCount -= waiters.Count;
            foreach (Operation waiter in waiters)
            {
                yield return waiter;
            }
        }
    }

    private PreparedStatement? Find(PgStatement statement)
    {
        int slot = statement.Slot;
        return (uint)slot < (uint)_bySlot.Length && _bySlot[slot] is { } found && ReferenceEquals(found.Statement, statement) ? found : null;
    }

    private static bool IsCausedByStaleness(PgException error) => error.SqlState switch
    {
        PgSqlState.InvalidSqlStatementName => true,

        // "Feature not supported" has many other causes; only this one is mended by another Parse.
        PgSqlState.FeatureNotSupported => error.Fields.Routine == "RevalidateCachedQuery",
        PgSqlState.ProtocolViolation => error.Fields.Routine == "exec_bind_message" || error.Fields.Routine == "PortalSetResultFormat",
        _ => false,
    };

    private StatementUse Begin(PreparedStatement prepared)
    {
        if (prepared.Columns is not null)
        {
            return StatementUse.Parse;
        }

        prepared.IsLearning = true;
        _learning.Add(prepared);
        return StatementUse.Learn;
    }

    private void Wait(PreparedStatement prepared, Operation waiter)
    {
        (prepared.Waiters ??= []).Add(waiter);
        WaiterCount++;
    }

    private PreparedStatement Add(PgStatement statement)
    {
        int slot = statement.Slot;
        if (slot >= _bySlot.Length)
        {
            Array.Resize(ref _bySlot, Math.Max(slot + 1, _bySlot.Length * 2));
        }

        if (_bySlot[slot] is { } stranger)
        {
            GiveUp(stranger);
        }

        // Those that are being learned stay, so that there may be too many for a while.
        while (Count >= maxPrepared && FindIdleOldest() is { } oldest)
        {
            Evictions++;
            GiveUp(oldest);
        }

        var prepared = new PreparedStatement(statement, Encoding.ASCII.GetBytes($"s{++_nameCount}"));
        _bySlot[slot] = prepared;
        Count++;
        Link(prepared);
        return prepared;
    }

    private PreparedStatement? FindIdleOldest()
    {
        PreparedStatement? candidate = _oldest;
        while (candidate is { IsLearning: true })
        {
            candidate = candidate.Newer;
        }

        return candidate;
    }

    private void GiveUp(PreparedStatement prepared)
    {
        Remove(prepared);
        MessageWriter.WriteClose(connection.Output, prepared.Name);
    }

    private bool Remove(PreparedStatement prepared)
    {
        int slot = prepared.Statement.Slot;
        if ((uint)slot >= (uint)_bySlot.Length || !ReferenceEquals(_bySlot[slot], prepared))
        {
            return false;
        }

        _bySlot[slot] = null;
        Count--;
        Unlink(prepared);
        return true;
    }

    private void Touch(PreparedStatement prepared)
    {
        if (!ReferenceEquals(_newest, prepared))
        {
            Unlink(prepared);
            Link(prepared);
        }
    }

    private void Link(PreparedStatement prepared)
    {
        prepared.Older = _newest;
        prepared.Newer = null;
        if (_newest is { } newest)
        {
            newest.Newer = prepared;
        }

        _newest = prepared;
        _oldest ??= prepared;
    }

    private void Unlink(PreparedStatement prepared)
    {
        if (prepared.Newer is { } newer)
        {
            newer.Older = prepared.Older;
        }
        else
        {
            _newest = prepared.Older;
        }

        if (prepared.Older is { } older)
        {
            older.Newer = prepared.Newer;
        }
        else
        {
            _oldest = prepared.Newer;
        }

        prepared.Newer = null;
        prepared.Older = null;
    }
}
