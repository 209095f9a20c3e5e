using System.Text;

namespace Ioxide.Pg;

/// <summary>How a transaction is begun.</summary>
/// <param name="Isolation">Defaults to the server's setting.</param>
/// <param name="ReadOnly">Null is the server's setting.</param>
/// <param name="Deferrable">With serializable and read only: waits until no failure can come.</param>
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
