namespace Ioxide.Pg.Data;

/// <summary>Reads a database's types from its catalogue.</summary>
internal static class CatalogQuery
{
    // Row types of tables are left out, as on Npgsql: there is one for each table. OIDs below 10000 are the same on every server.
    private static readonly PgStatement s_types = PgStatement.Create(
        """
        select t.oid::int8, n.nspname::text, t.typname::text, case when e.oid is null then t.typtype::text else 'a' end,
            coalesce(e.oid, t.typbasetype)::int8,
            array(select a.attname::text from pg_catalog.pg_attribute a
                where a.attrelid = t.typrelid and t.typrelid <> 0 and a.attnum > 0 and not a.attisdropped order by a.attnum),
            array(select a.atttypid::int8 from pg_catalog.pg_attribute a
                where a.attrelid = t.typrelid and t.typrelid <> 0 and a.attnum > 0 and not a.attisdropped order by a.attnum)
        from pg_catalog.pg_type t
            join pg_catalog.pg_namespace n on n.oid = t.typnamespace
            left join pg_catalog.pg_type e on e.oid = t.typelem and e.typarray = t.oid
            left join pg_catalog.pg_class c on c.oid = coalesce(e.typrelid, t.typrelid)
        where t.oid >= 10000 and t.typtype <> 'p' and (c.oid is null or c.relkind = 'c')
        order by pg_catalog.pg_type_is_visible(t.oid) desc, t.oid
        """u8,
        PgStatementOptions.Unprepared);

    internal static ValueTask<List<DatabaseType>> RunAsync(PgExecutor session, CancellationToken cancellationToken)
        => session.Query(s_types).ListAsync(Read, cancellationToken);

    // No column is NULL.
    private static DatabaseType Read(PgRow row)
    {
        if (row.Count == 7 && row.GetString(1) is { } schema && row.GetString(2) is { } name && row.GetString(3) is [char kind]
            && row.Get<string?[]>(5) is { } fields && Array.TrueForAll(fields, static field => field is not null)
            && row.Get<long[]>(6) is { } fieldIds && fieldIds.Length == fields.Length)
        {
            return new DatabaseType((uint)row.GetInt64(0), schema, name, kind, (uint)row.GetInt64(4), fields!, fieldIds);
        }

        throw Malformed("types");
    }

    internal static PgProtocolException Malformed(string what)
        => new($"The {what} cannot be read: a row of the database's catalogue is missing, lacks a value, or has none that fits. Check that the "
            + "server is PostgreSQL.");
}

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

    // No column is NULL.
    private static BaseColumn Read(PgRow row)
        => row.Count == 11 && row.GetString(2) is { } schema && row.GetString(3) is { } table && row.GetString(4) is { } name
            ? new BaseColumn(
                row.Get<uint>(0), row.GetInt16(1), schema, table, name, row.GetBoolean(5), row.GetBoolean(6), row.GetBoolean(7), row.GetBoolean(8),
                row.GetBoolean(9), row.GetBoolean(10))
            : throw CatalogQuery.Malformed("columns");
}
