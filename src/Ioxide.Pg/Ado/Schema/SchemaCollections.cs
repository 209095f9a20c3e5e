using System.Data;
using System.Data.Common;

namespace Ioxide.Pg.Data;

/// <summary>The collections that are queries. Their columns are Npgsql's, so that tools for Npgsql find them.</summary>
internal static class SchemaCollections
{
    private const string NotInternal = "n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)'";

    private static readonly (string Name, string Column)[] s_ofTable =
        [("Catalog", "table_catalog"), ("Schema", "table_schema"), ("Table", "table_name")];

    private static readonly (string Name, string Column)[] s_ofConstraint =
        [("Catalog", "TABLE_CATALOG"), ("Schema", "TABLE_SCHEMA"), ("Table", "TABLE_NAME"), ("Name", "CONSTRAINT_NAME")];

    internal static SchemaCollection[] All { get; } =
    [
        new("Databases", [("Name", "database_name")], 1,
            Texts("database_name", "owner", "encoding"),
            """
            select d.datname::text, pg_get_userbyid(d.datdba)::text, pg_encoding_to_char(d.encoding)::text from pg_database d
            """),
        new("Schemata", [("Catalog", "catalog_name"), ("Schema", "schema_name"), ("Owner", "schema_owner")], 2,
            Texts("catalog_name", "schema_name", "schema_owner"),
            """
            select current_database()::text, n.nspname::text, pg_get_userbyid(n.nspowner)::text from pg_namespace n
            """),
        new("Tables", [.. s_ofTable, ("TableType", "table_type")], 3,
            Texts("table_catalog", "table_schema", "table_name", "table_type"),
            """
            select table_catalog::text, table_schema::text, table_name::text, table_type::text from information_schema.tables
            where table_type in ('BASE TABLE', 'FOREIGN', 'FOREIGN TABLE') and table_schema not in ('pg_catalog', 'information_schema')
            """),
        new("Columns", [("Catalog", "table_catalog"), ("Schema", "table_schema"), ("Table", "table_name"), ("Column", "column_name")], 4,
            [
                .. Texts("table_catalog", "table_schema", "table_name", "column_name"), ("ordinal_position", typeof(int)),
                .. Texts("column_default", "is_nullable", "data_type"),
                ("character_maximum_length", typeof(int)), ("character_octet_length", typeof(int)), ("numeric_precision", typeof(int)),
                ("numeric_precision_radix", typeof(int)), ("numeric_scale", typeof(int)), ("datetime_precision", typeof(int)),
                .. Texts("character_set_catalog", "character_set_schema", "character_set_name", "collation_catalog"),
            ],
            """
            select table_catalog::text, table_schema::text, table_name::text, column_name::text, ordinal_position::int, column_default::text,
                is_nullable::text,
                case when udt_schema is null then udt_name::text else
                    format_type((quote_ident(udt_schema) || '.' || quote_ident(udt_name))::regtype, null) end,
                character_maximum_length::int, character_octet_length::int, numeric_precision::int, numeric_precision_radix::int,
                numeric_scale::int, datetime_precision::int, character_set_catalog::text, character_set_schema::text,
                character_set_name::text, collation_catalog::text
            from information_schema.columns
            """),
        new("Views", s_ofTable, 3,
            Texts("table_catalog", "table_schema", "table_name", "check_option", "is_updatable"),
            """
            select table_catalog::text, table_schema::text, table_name::text, check_option::text, is_updatable::text
            from information_schema.views where table_schema not in ('pg_catalog', 'information_schema')
            """),
        new("MaterializedViews", s_ofTable, 3,
            [.. Texts("table_catalog", "table_schema", "table_name", "table_owner"), ("has_indexes", typeof(bool)), ("is_populated", typeof(bool))],
            """
            select current_database()::text, schemaname::text, matviewname::text, matviewowner::text, hasindexes, ispopulated from pg_matviews
            """),
        new("Users", [("User", "user_name")], 1,
            [("user_name", typeof(string)), ("user_sysid", typeof(uint))],
            "select usename::text, usesysid from pg_user"),
        new("Indexes", [.. s_ofTable, ("Index", "index_name")], 4,
            Texts("table_catalog", "table_schema", "table_name", "index_name", "type_desc"),
            $"""
            select current_database()::text, n.nspname::text, t.relname::text, i.relname::text, ''::text
            from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
                join pg_namespace n on n.oid = t.relnamespace
            where i.relkind in ('i', 'I') and {NotInternal}
            """),
        new("IndexColumns", [.. s_ofTable, ("Index", "index_name"), ("Column", "column_name")], 5,
            Texts(
                "constraint_catalog", "constraint_schema", "constraint_name", "table_catalog", "table_schema", "table_name", "column_name",
                "index_name"),
            $"""
            select current_database()::text, n.nspname::text, i.relname::text, current_database()::text, n.nspname::text, t.relname::text,
                a.attname::text, i.relname::text
            from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
                join pg_namespace n on n.oid = t.relnamespace
                cross join unnest(x.indkey::int2[]) with ordinality k(number, position)
                join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number
            where i.relkind in ('i', 'I') and {NotInternal}
            order by n.nspname, t.relname, i.relname, k.position
            """),
        Constraints("Constraints", "'p', 'u', 'f'"),
        Constraints("PrimaryKey", "'p'"),
        Constraints("UniqueKeys", "'u'"),
        Constraints("ForeignKeys", "'f'"),
        new("ConstraintColumns", [.. s_ofTable, ("Constraint", "constraint_name"), ("Column", "column_name")], 5,
            [
                .. Texts("constraint_catalog", "constraint_schema", "constraint_name", "table_catalog", "table_schema", "table_name", "column_name"),
                ("ordinal_number", typeof(int)), ("constraint_type", typeof(string)),
            ],
            $"""
            select current_database()::text, n.nspname::text, c.conname::text, current_database()::text, n.nspname::text, t.relname::text,
                a.attname::text, a.attnum::int, {ConstraintType}
            from pg_constraint c join pg_class t on t.oid = c.conrelid join pg_namespace n on n.oid = t.relnamespace
                cross join unnest(c.conkey) with ordinality k(number, position)
                join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number
            where c.contype in ('p', 'u', 'f') and {NotInternal}
            order by n.nspname, t.relname, c.conname, k.position
            """),
        new("ReservedWords", [], 0,
            [("ReservedWord", typeof(string))],
            "select upper(word) from pg_get_keywords() where catcode in ('R', 'T') order by 1"),
    ];

    /// <summary>Reads a collection.</summary>
    internal static DataTable Read(PgDbConnection connection, string collectionName, string?[]? restrictionValues)
    {
        DataTable table = Make(connection, collectionName, restrictionValues, out PgDbCommand? command);
        using (command)
        {
            using DbDataReader? reader = command?.ExecuteReader();
            while (reader?.Read() == true)
            {
                AddRow(table, reader);
            }
        }

        return table;
    }

    /// <inheritdoc cref="Read"/>
    internal static async Task<DataTable> ReadAsync(
        PgDbConnection connection, string collectionName, string?[]? restrictionValues, CancellationToken cancellationToken)
    {
        DataTable table = Make(connection, collectionName, restrictionValues, out PgDbCommand? command);
        if (command is null)
        {
            return table;
        }

        await using (command.ConfigureAwait(false))
        {
            DbDataReader reader = await command.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await using (reader.ConfigureAwait(false))
            {
                while (await reader.ReadAsync(cancellationToken).ConfigureAwait(false))
                {
                    AddRow(table, reader);
                }
            }
        }

        return table;
    }

    /// <param name="connection">The open connection.</param>
    /// <param name="collectionName">The name of the collection, case-insensitive.</param>
    /// <param name="restrictionValues">A value for each restriction, in order; null means no restriction.</param>
    /// <param name="command">Reads the rows; null: the table has them.</param>
    private static DataTable Make(PgDbConnection connection, string collectionName, string?[]? restrictionValues, out PgDbCommand? command)
    {
        ArgumentException.ThrowIfNullOrEmpty(collectionName);
        _ = connection.OpenSession;
        command = null;
        switch (collectionName.ToUpperInvariant())
        {
            case "METADATACOLLECTIONS":
                return SchemaTables.MetaDataCollections();
            case "RESTRICTIONS":
                return SchemaTables.Restrictions();
            case "DATASOURCEINFORMATION":
                return SchemaTables.DataSourceInformation(connection.ServerVersion);
            case "DATATYPES":
                command = new PgDbCommand(SchemaTables.TypesSql, connection);
                return SchemaTables.DataTypes();
        }

        SchemaCollection collection = Array.Find(All, known => known.Name.Equals(collectionName, StringComparison.OrdinalIgnoreCase))
            ?? throw new ArgumentException($"There is no collection '{collectionName}'. GetSchema() lists them.", nameof(collectionName));
        command = collection.CommandFor(connection, restrictionValues);
        return SchemaTables.NewTable(collection.Name, collection.Columns);
    }

    private static void AddRow(DataTable table, DbDataReader reader)
    {
        if (table.TableName == "DataTypes")
        {
            SchemaTables.AddType(table, reader);
            return;
        }

        object[] values = new object[reader.FieldCount];
        reader.GetValues(values);
        table.Rows.Add(values);
    }

    private const string ConstraintType = "case c.contype when 'p' then 'PRIMARY KEY' when 'u' then 'UNIQUE KEY' else 'FOREIGN KEY' end";

    private static SchemaCollection Constraints(string name, string kinds) => new(
        name, s_ofConstraint, 4,
        [
            .. Texts(
                "CONSTRAINT_CATALOG", "CONSTRAINT_SCHEMA", "CONSTRAINT_NAME", "TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "CONSTRAINT_TYPE"),
            ("IS_DEFERRABLE", typeof(bool)), ("INITIALLY_DEFERRED", typeof(bool)),
        ],
        $"""
        select current_database()::text, cn.nspname::text, c.conname::text, current_database()::text, n.nspname::text, t.relname::text,
            {ConstraintType}, c.condeferrable, c.condeferred
        from pg_constraint c join pg_class t on t.oid = c.conrelid join pg_namespace n on n.oid = t.relnamespace
            join pg_namespace cn on cn.oid = c.connamespace
        where c.contype in ({kinds}) and {NotInternal}
        """);

    private static (string Name, Type Type)[] Texts(params ReadOnlySpan<string> names)
    {
        var columns = new (string, Type)[names.Length];
        for (int i = 0; i < names.Length; i++)
        {
            columns[i] = (names[i], typeof(string));
        }

        return columns;
    }
}

/// <summary>One collection of <c>GetSchema</c>: a query over the catalogue, its columns, and its restrictions.</summary>
/// <param name="Name">The name, case-insensitive.</param>
/// <param name="Restrictions">The names of restrictions, in order, with the column that each compares.</param>
/// <param name="IdentifierParts">The number of name parts that identify a row.</param>
/// <param name="Columns">Name and type of each column, in the query's order.</param>
/// <param name="Sql">The query.</param>
internal sealed record SchemaCollection(
    string Name, (string Name, string Column)[] Restrictions, int IdentifierParts, (string Name, Type Type)[] Columns, string Sql)
{
    internal PgDbCommand CommandFor(PgDbConnection connection, string?[]? values)
    {
        values ??= [];
        if (values.Length > Restrictions.Length)
        {
            throw new ArgumentException($"{Name} takes {Restrictions.Length} restrictions; {values.Length} are given.", nameof(values));
        }

        var command = new PgDbCommand(null, connection);
        string where = "";
        for (int i = 0; i < values.Length; i++)
        {
            if (!string.IsNullOrEmpty(values[i]))
            {
                where += $"{(where.Length == 0 ? " where" : " and")} s.\"{Restrictions[i].Column}\" = ${command.Parameters.Count + 1}";
                command.Parameters.Add(new PgDbParameter(null, values[i]) { PgTypeId = PgTypeId.Text });
            }
        }

        string columns = string.Join(", ", Columns.Select(static column => $"\"{column.Name}\""));
        command.CommandText = $"select * from ({Sql}) s({columns}){where}";
        return command;
    }
}
