using System.Data;
using System.Data.Common;
using System.Globalization;

namespace Ioxide.Pg.Tests;

/// <summary>What a reader says of its columns, on the facade and on Npgsql.</summary>
public class SchemaTests
{
    private const string Script = """
        drop table if exists described;
        create table described (id int primary key, name varchar(7), price numeric(9,3), tags text[], made timestamptz(3), note text not null);
        """;

    // What both know without asking for base tables.
    private static readonly string[] s_columns = ["ColumnName", "ColumnOrdinal", "ColumnSize", "NumericPrecision", "NumericScale", "DataType"];

    [Theory]
    [InlineData("select * from described")]
    [InlineData("select 1 as one, 'a' as two, null as three")]
    [InlineData("select id, id as id, name from described limit 0")]
    [InlineData("insert into described (id, note) values (1, '') returning id, price; delete from described")]
    public async Task TheSchemaTableIsTheSame(string sql)
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<SchemaTests>(fixture, Script);
        string expected = await DescribeAsync(pair.Theirs, sql);
        Assert.Contains("DataType=", expected, StringComparison.Ordinal);
        Assert.Equal(expected, await DescribeAsync(pair.Ours, sql));
    }

    [Fact]
    public async Task ACommandWithoutARowHasNoSchemaTable()
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<SchemaTests>(fixture, Script);
        foreach (DbConnection connection in pair.Both)
        {
            await using DbCommand command = connection.CreateCommand();
            command.CommandText = "delete from described";
            await using DbDataReader reader = await command.ExecuteReaderAsync();
            Assert.Null(reader.GetSchemaTable());
            Assert.Empty(await reader.GetColumnSchemaAsync());
        }
    }

    [Fact]
    public async Task ADataTableIsFilled()
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<SchemaTests>(fixture, Script + "insert into described values (1, 'a', 1.5, '{x}', null, 'n');");
        foreach (DbConnection connection in pair.Both)
        {
            await using DbCommand command = connection.CreateCommand();
            command.CommandText = "select id, name, price, note, made from described";
            await using DbDataReader reader = await command.ExecuteReaderAsync();
            using DataTable table = new() { Locale = CultureInfo.InvariantCulture };
            table.Load(reader);
            Assert.Equal([1, "a", 1.500m, "n", DBNull.Value], Assert.Single(table.Rows.Cast<DataRow>()).ItemArray);
        }
    }

    private static async Task<string> DescribeAsync(DbConnection connection, string sql)
    {
        await using DbCommand command = connection.CreateCommand();
        command.CommandText = sql;
        await using DbDataReader reader = await command.ExecuteReaderAsync();
        using DataTable table = reader.GetSchemaTable()!;
        return string.Join('\n', table.Rows.Cast<DataRow>().Select(static row => string.Join(' ', s_columns.Select(name => $"{name}={row[name]}"))));
    }
}
