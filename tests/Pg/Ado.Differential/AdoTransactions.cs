using System.Data.Common;

namespace Ioxide.Pg.Tests;

/// <summary>The transactions that a program has begun, by what the program did to them and not by what the driver says of them.</summary>
internal sealed class AdoTransactions
{
    private readonly Dictionary<DbTransaction, (DbConnection Connection, bool MayBeOver)> _begun = new(ReferenceEqualityComparer.Instance);

    internal void Add(DbTransaction transaction, DbConnection connection) => _begun[transaction] = (connection, false);

    /// <summary>It was ended, or was asked to end.</summary>
    internal void End(DbTransaction? transaction)
    {
        if (transaction is not null && _begun.TryGetValue(transaction, out (DbConnection Connection, bool MayBeOver) known))
        {
            _begun[transaction] = known with { MayBeOver = true };
        }
    }

    /// <summary>What is left open of a connection was ended with it.</summary>
    internal void End(DbConnection? connection)
    {
        foreach (DbTransaction transaction in _begun.Where(known => ReferenceEquals(known.Value.Connection, connection)).Select(static known => known.Key).ToArray())
        {
            End(transaction);
        }
    }

    internal bool MayBeOver(DbTransaction? transaction) => transaction is not null && _begun[transaction].MayBeOver;

    internal bool IsUnusable(DbTransaction? transaction, DbConnection? connection)
        => MayBeOver(transaction) || (transaction is not null && !ReferenceEquals(_begun[transaction].Connection, connection));
}
