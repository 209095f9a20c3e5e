using System.Buffers.Text;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Ioxide.Pg;

/// <summary>The statements that one connection has prepared, bounded in number and in bytes; the least recently used one is evicted first.</summary>
/// <remarks>
/// <para>A statement is parsed and described before its first use on a connection, and its Bind follows the description: Bind names a
/// format per column, and no other connection knows the current columns. An unnamed statement is parsed for each use. It is sent whole
/// in the formats of the last description of its text, or of one that differs in its values alone, and its result is read in those formats.
/// A text is unnamed at its first use: many do not recur.</para>
/// <para>A name is unique across all connections and processes: it begins with 64 random bits. If a pooler brings a Bind to another session
/// of the server, that session answers with 26000 and never with the rows of another statement.</para>
/// <para>Errors are repaired: 26000 (the server does not have it), 0A000 of RevalidateCachedQuery (its result has changed) and a count of
/// formats that no longer fits make it stale, and the command is sent again with a new Parse. The first changed result, or an altered
/// table of this data source, makes every connection prepare its statements again (<see cref="ColumnsCache.Epoch"/>).</para>
/// </remarks>
internal sealed class StatementTable(ServerConnection connection, ColumnsCache cache, PoolerWatch poolers, int maxPrepared)
{
    /// <summary>Bytes of SQL text of the statements that are kept prepared; a single one may be longer.</summary>
    internal const int MaxSqlBytes = 8 * 1024 * 1024;

    private const int PrefixBytes = sizeof(ulong);

    private readonly string _prefix = Base64Url.EncodeToString(RandomNumberGenerator.GetBytes(PrefixBytes));
    private readonly Dictionary<long, PreparedStatement> _byNumber = [];

    // The most recently used first.
    private readonly LinkedList<PreparedStatement> _byUse = [];
    private long _nameCount;
    private long _sqlBytes;
    private int _ownChanges;
    private bool _hasOwnChanges;

    /// <summary>Statements that are prepared under a name.</summary>
    internal int Count => _byNumber.Count;

    /// <summary>Statements that were evicted to make room for others.</summary>
    internal long Evictions { get; private set; }

    /// <summary>Whether a Bind goes out at once: its columns are known, and it does not change those of later statements.</summary>
    internal bool Knows(PgStatement statement)
        => !statement.AltersTables
            && (statement.ReturnsNothing
                || (IsNamed(statement) ? Find(statement) is { Columns: not null } : KnownColumnsOf(statement) is not null));

    /// <summary>Finds the statement for a command.</summary>
    /// <param name="statement">The statement of the command.</param>
    /// <param name="isNew">Parse and Describe precede the Bind; if the columns are null, the Bind waits for the answer.</param>
    internal PreparedStatement Use(PgStatement statement, out bool isNew)
    {
        if (statement.AltersTables)
        {
            // Later statements of the same flight are parsed again already.
            TablesChanged();
        }

        bool isNamed = IsNamed(statement);
        if (isNamed && Find(statement) is { } found)
        {
            if (found.Columns is not null)
            {
                isNew = false;
                if (!ReferenceEquals(_byUse.First, found.Place))
                {
                    _byUse.Remove(found.Place!);
                    _byUse.AddFirst(found.Place!);
                }

                return found;
            }

            // Nothing is written while a description is pending, so none is pending: its Parse could not be written.
            GiveUp(found);
        }

        isNew = true;
        ResultColumns? nothing = statement.ReturnsNothing ? ResultColumns.None : null;
        if (!isNamed)
        {
            statement.IsRecurring = true;
            return new PreparedStatement(statement, [], cache.Epoch, _ownChanges) { Columns = nothing ?? KnownColumnsOf(statement) };
        }

        PreparedStatement prepared = Add(statement);
        prepared.Columns = nothing;
        return prepared;
    }

    /// <summary>
    /// The connection's transaction has altered tables, or undone that: this connection prepares its statements again, others do not yet.
    /// </summary>
    internal void TablesChanged()
    {
        _ownChanges++;
        _hasOwnChanges = true;
    }

    /// <summary>The transaction that altered tables is over: other connections prepare again too.</summary>
    internal void PublishChanges()
    {
        if (_hasOwnChanges)
        {
            _hasOwnChanges = false;
            cache.SchemaChanged();
        }
    }

    /// <summary>A part of the transaction was undone, with its changes to tables.</summary>
    internal void PartUndone()
    {
        if (_hasOwnChanges)
        {
            TablesChanged();
        }
    }

    /// <summary>Its Parse was skipped: the server does not have it.</summary>
    internal void Forget(PreparedStatement prepared) => Remove(prepared);

    /// <summary>The answer to a Describe.</summary>
    /// <returns>Why the pending rows cannot be read; or null.</returns>
    internal PgTypeException? Described(PreparedStatement prepared, ReadOnlySpan<byte> body)
    {
        // Connections share one description and everything derived from it.
        ResultColumns? columns = prepared.Columns ?? cache.Find(prepared.Statement);
        if (columns is null || !columns.Matches(body))
        {
            columns = ResultColumns.Read(body, hasBinaryRecords: prepared.Statement.HasBinaryRecords);
        }

        Share(prepared, columns);
        if (prepared.Columns is not { } asked)
        {
            prepared.Columns = columns;
            return null;
        }

        // Bind went out already, with formats that it named; one code stands for all. The server refuses a number of codes that does not fit.
        prepared.Columns = columns.AskedAs(asked);
        return (asked.Count == 1 || asked.Count == columns.Count) && prepared.Columns.FindUnreadable() is >= 0 and int index
            ? TypeErrors.Changed(columns.NameOf(index), columns.TypeIds[index])
            : null;
    }

    internal void DescribedEmpty(PreparedStatement prepared)
    {
        prepared.Columns = ResultColumns.None;
        Share(prepared, ResultColumns.None);
    }

    /// <summary>A command with the statement failed: the statement is dropped if it is the cause.</summary>
    internal void Failed(PreparedStatement prepared, PgException error)
    {
        if (!prepared.IsParsed)
        {
            // Its Parse failed, or that of the command before: the server does not have it.
            prepared.IsStale = error.SqlState is PgSqlState.InvalidSqlStatementName or PgSqlState.DuplicatePreparedStatement;
            Remove(prepared);
            return;
        }

        if (prepared.Columns is null)
        {
            // Its Describe failed, as in a failed transaction.
            GiveUp(prepared);
            return;
        }

        if (!IsCausedByStaleness(error))
        {
            return;
        }

        prepared.IsStale = true;
        cache.Forget(prepared.Statement);
        if (error.SqlState == PgSqlState.FeatureNotSupported && prepared.Epoch == cache.Epoch)
        {
            cache.SchemaChanged();
        }

        if (!Remove(prepared))
        {
            return;
        }

        if (error.SqlState == PgSqlState.InvalidSqlStatementName)
        {
            poolers.LostStatement(connection);
        }
        else
        {
            MessageWriter.WriteClose(connection.Output, prepared.Name);
        }
    }

    /// <summary>Forgets all statements: DISCARD ALL or DEALLOCATE ALL was run.</summary>
    internal void Clear()
    {
        _byNumber.Clear();
        _byUse.Clear();
        _sqlBytes = 0;
    }

    private bool IsNamed(PgStatement statement)
        => maxPrepared > 0 && !poolers.IsTransactional && statement is { IsPrepared: true, IsRecurring: true };

    // A statement without columns has none that could change.
    private bool IsCurrent(PreparedStatement prepared)
        => (prepared.Epoch == cache.Epoch && prepared.OwnChanges == _ownChanges) || prepared.Columns is { Count: 0 };

    /// <summary>Shares the columns with other connections, unless this connection's open transaction has altered tables.</summary>
    private void Share(PreparedStatement prepared, ResultColumns columns)
    {
        if (!_hasOwnChanges)
        {
            cache.Set(prepared.Statement, columns, prepared.Epoch, isUnnamed: prepared.Name.Length == 0);
        }
    }

    // Of an unnamed statement. Changes of its open transaction are known to this connection only.
    private ResultColumns? KnownColumnsOf(PgStatement statement) => _hasOwnChanges ? null : cache.FindCurrent(statement);

    private PreparedStatement? Find(PgStatement statement)
        => _byNumber.TryGetValue(statement.Number, out PreparedStatement? found) && IsCurrent(found) ? found : null;

    private static bool IsCausedByStaleness(PgException error) => error.SqlState switch
    {
        PgSqlState.InvalidSqlStatementName => true,

        // "Feature not supported" has many other causes; only this one is repaired by another Parse.
        PgSqlState.FeatureNotSupported => error.IsResultChanged,
        PgSqlState.ProtocolViolation => error.Fields.Routine == "exec_bind_message" || error.Fields.Routine == "PortalSetResultFormat",
        _ => false,
    };

    private PreparedStatement Add(PgStatement statement)
    {
        if (_byNumber.TryGetValue(statement.Number, out PreparedStatement? old))
        {
            GiveUp(old);
        }

        while ((Count >= maxPrepared || _sqlBytes + statement.Sql.Length > MaxSqlBytes) && _byUse.Last is { } oldest)
        {
            Evictions++;
            GiveUp(oldest.Value);
        }

        byte[] name = Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{_prefix}.{++_nameCount}"));
        var prepared = new PreparedStatement(statement, name, cache.Epoch, _ownChanges);
        _byNumber.Add(statement.Number, prepared);
        _sqlBytes += statement.Sql.Length;
        prepared.Place = _byUse.AddFirst(prepared);
        return prepared;
    }

    private void GiveUp(PreparedStatement prepared)
    {
        if (Remove(prepared))
        {
            MessageWriter.WriteClose(connection.Output, prepared.Name);
        }
    }

    private bool Remove(PreparedStatement prepared)
    {
        PgStatement statement = prepared.Statement;
        if (!ReferenceEquals(_byNumber.GetValueOrDefault(statement.Number), prepared))
        {
            return false;
        }

        _byNumber.Remove(statement.Number);
        _sqlBytes -= statement.Sql.Length;
        _byUse.Remove(prepared.Place!);
        return true;
    }
}

/// <summary>A statement on one connection.</summary>
/// <param name="statement">The statement.</param>
/// <param name="name">Its name on the server; empty for the unnamed one.</param>
/// <param name="epoch">The <see cref="ColumnsCache.Epoch"/> when it was parsed.</param>
/// <param name="ownChanges">How often the connection itself had altered tables by then.</param>
internal sealed class PreparedStatement(PgStatement statement, byte[] name, int epoch, int ownChanges)
{
    internal PgStatement Statement { get; } = statement;

    /// <summary>Its name on the server; empty for the unnamed one.</summary>
    internal byte[] Name { get; } = name;

    internal int Epoch { get; } = epoch;

    internal int OwnChanges { get; } = ownChanges;

    /// <summary>Its result columns, in the formats that its Bind requests; null until the server has described it.</summary>
    internal ResultColumns? Columns { get; set; }

    /// <summary>The server has confirmed the Parse.</summary>
    internal bool IsParsed { get; private set; }

    /// <summary>It failed in a way that another Parse repairs.</summary>
    internal bool IsStale { get; set; }

    /// <summary>Its place in the order of use; null for an unnamed one.</summary>
    internal LinkedListNode<PreparedStatement>? Place { get; set; }

    internal void Parsed() => IsParsed = true;
}
