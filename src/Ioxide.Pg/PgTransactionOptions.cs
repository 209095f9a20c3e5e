using System.Text;

namespace Ioxide.Pg;

/// <summary>The properties of a new transaction.</summary>
/// <param name="Isolation">The isolation level. Defaults to the server's setting.</param>
/// <param name="ReadOnly">Whether the transaction is read-only; null means the server's setting.</param>
/// <param name="Deferrable">With serializable and read-only: waits until no serialization failure is possible.</param>
public sealed record PgTransactionOptions(PgIsolation Isolation = PgIsolation.Default, bool? ReadOnly = null, bool Deferrable = false)
{
    internal static readonly PgTransactionOptions Default = new();

    internal string ToSql()
    {
        var sql = new StringBuilder("BEGIN");
        sql.Append(Isolation switch
        {
            PgIsolation.ReadCommitted => " ISOLATION LEVEL READ COMMITTED",
            PgIsolation.RepeatableRead => " ISOLATION LEVEL REPEATABLE READ",
            PgIsolation.Serializable => " ISOLATION LEVEL SERIALIZABLE",
            _ => "",
        });
        sql.Append(ReadOnly switch { true => " READ ONLY", false => " READ WRITE", null => "" });
        sql.Append(Deferrable ? " DEFERRABLE" : "");
        return sql.ToString();
    }
}
