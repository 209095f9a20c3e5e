namespace Ioxide.Pg.Data;

/// <summary>The catalogue's data about the table column behind a result column.</summary>
internal sealed record BaseColumn(
    uint TableId, int Number, string Schema, string Table, string Name, bool IsNullable, bool IsIdentity, bool IsSerial, bool IsUpdatable, bool IsKey,
    bool IsUnique)
{
    private static readonly PgStatement<uint[]> s_find = PgStatement.Create<uint[]>(
        """
        select a.attrelid, a.attnum, n.nspname, c.relname, a.attname, not a.attnotnull, a.attidentity <> '',
            coalesce(pg_get_expr(d.adbin, d.adrelid) like 'nextval(%', false),
            (c.relkind in ('r', 'p') or (c.relkind in ('v', 'f') and pg_column_is_updatable(c.oid::regclass, a.attnum, false)))
                and a.attidentity <> 'a' and a.attgenerated = '',
            exists (select from pg_index i where i.indrelid = a.attrelid and i.indisprimary and a.attnum = any(i.indkey)),
            exists (select from pg_index i where i.indrelid = a.attrelid and i.indisunique and i.indpred is null
                and i.indnkeyatts = 1 and i.indkey[0] = a.attnum)
        from pg_attribute a
            join pg_class c on c.oid = a.attrelid
            join pg_namespace n on n.oid = c.relnamespace
            left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = any($1) and a.attnum > 0 and not a.attisdropped
        """u8);

    /// <summary>The columns of the tables that a result comes from. Queries shared connections: the caller's own may have an open reader.</summary>
    internal static async ValueTask<List<BaseColumn>> FindAsync(PgDataSource source, ResultColumns columns)
    {
        uint[] tables = [.. Enumerable.Range(0, columns.Count).Select(columns.TableIdOf).Where(static id => id != 0).Distinct()];
        return tables.Length == 0 ? [] : await source.Query(s_find, tables).ListAsync(Read).ConfigureAwait(false);
    }

    private static BaseColumn Read(PgRow row) => new(
        PgCodecs<uint>.Instance.Read(row[0]), row.GetInt16(1), row.GetString(2)!, row.GetString(3)!, row.GetString(4)!, row.GetBoolean(5),
        row.GetBoolean(6), // Never NULL.
        row.GetBoolean(7), row.GetBoolean(8), row.GetBoolean(9), row.GetBoolean(10));
}
