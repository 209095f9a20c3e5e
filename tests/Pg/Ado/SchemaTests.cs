using System.Data;
using System.Data.Common;
using System.Globalization;

namespace Ioxide.Pg.Tests;

/// <summary>What a reader says of its columns, on the facade and on Npgsql.</summary>
public class SchemaTests : PgTests
{
    private const string Script = """
        drop view if exists shown;
        drop table if exists described;
        create table described (id int primary key, name varchar(7), price numeric(9,3), tags text[], made timestamptz(3), note text not null, raw bytea);
        drop table if exists keyed;
        create table keyed (
            id int generated always as identity primary key, number serial, code text unique, base int);
        create view shown as select id, 1 as one from described;
        """;

    // Numbers of types are each driver's own.
    private static readonly string[] s_ownColumns = ["ProviderType", "ProviderSpecificDataType"];

    [Theory, Each(
        "select * from described", "select 1 as one, 'a' as two, null as three", "select id, id as id, name from described limit 0",
        "insert into described (id, note) values (1, '') returning id, price; delete from described",
        "select id, id as again, 8 as computed, number, code, base from keyed", "select id, one from shown",
        "select 1::numeric(1000), 1::numeric(5,2), 'a'::char, 'a'::char(3), 'a'::varchar(4), '1 s'::interval(2)",
        "select '12:00'::time(2), '12:00'::timetz(1), array['a']::varchar(10)[], 'a'::name, 'a'::bpchar, 1::numeric, now()::timestamp(0)")]
    public async Task TheSchemaTableIsTheSame(string sql)
    {
        await using DataPair pair = await DataPair.OpenAsync<SchemaTests>(Fixture, Script);
        foreach (CommandBehavior behavior in new[] { CommandBehavior.Default, CommandBehavior.KeyInfo })
        {
            string expected = await DescribeAsync(pair.Theirs, sql, behavior);
            Assert.Contains("DataType=", expected, StringComparison.Ordinal);
            Assert.Equal(expected, await DescribeAsync(pair.Ours, sql, behavior));
        }
    }

    [Fact]
    public Task ACommandWithoutARowHasNoSchemaTable() => DataPair.EachAsync<SchemaTests>(Script, async connection =>
    {
        await using DbDataReader reader = await connection.ReaderAsync("delete from described");
        Assert.Null(reader.GetSchemaTable());
        Assert.Empty(await reader.GetColumnSchemaAsync());
    });

    [Fact]
    public Task ADataTableIsFilled()
        => DataPair.EachAsync<SchemaTests>(Script + "insert into described values (1, 'a', 1.5, '{x}', null, 'n');", async connection =>
    {
        await using DbDataReader reader = await connection.ReaderAsync("select id, name, price, note, made from described");
        using DataTable table = new() { Locale = CultureInfo.InvariantCulture };
        table.Load(reader);
        Assert.Equal([1, "a", 1.500m, "n", DBNull.Value], Assert.Single(table.Rows.Cast<DataRow>()).ItemArray);
    });

    /// <summary>The schema table, the columns and the names of types.</summary>
    private static async Task<string> DescribeAsync(DbConnection connection, string sql, CommandBehavior behavior)
    {
        await using DbDataReader reader = await connection.ReaderAsync(sql, behavior);
        using DataTable table = reader.GetSchemaTable()!;
        IEnumerable<string> rows = table.Rows.Cast<DataRow>().Select(static row => string.Join(' ', row.Table.Columns.Cast<DataColumn>()
            .Where(static column => !s_ownColumns.Contains(column.ColumnName)).Select(column => $"{column.ColumnName}={row[column]}").Order()));
        IEnumerable<string> columns = (await reader.GetColumnSchemaAsync()).Select(static column => string.Join(' ', typeof(DbColumn).GetProperties()
            .Where(static property => property.GetIndexParameters().Length == 0).Select(property => $"{property.Name}={property.GetValue(column)}")));
        return string.Join('\n', [.. rows, .. columns, .. Enumerable.Range(0, reader.FieldCount).Select(reader.GetDataTypeName)]);
    }
}
