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
    private static DatabaseType Read(PgRow row) => new(
        (uint)row.GetInt64(0), row.GetString(1)!, row.GetString(2)!, row.GetString(3)![0], (uint)row.GetInt64(4), row.Get<string[]>(5),
        row.Get<long[]>(6));
}
