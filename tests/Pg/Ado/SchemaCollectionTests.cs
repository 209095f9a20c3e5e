using System.Data;
using System.Data.Common;

namespace Ioxide.Pg.Tests;

/// <summary>What <c>GetSchema</c> says of a database, on the facade and on Npgsql.</summary>
public class SchemaCollectionTests() : PairTests(Script)
{
    private const string Script = """
        drop schema if exists shop cascade;
        create schema shop;
        create table shop.owners (id int generated always as identity primary key, name varchar(7) not null unique);
        create table shop.items (
            id serial primary key, owner int references shop.owners, price numeric(9,3) default 1.5, tags text[], made timestamptz(3),
            unique (owner, price));
        create index items_made on shop.items (made, owner);
        create view shop.cheap as select * from shop.items where price < 1;
        create materialized view shop.dear as select id from shop.items;
        """;

    [Theory, Each(
        "Databases", "Schemata", "Tables", "Columns", "Views", "MaterializedViews", "Users", "Indexes", "IndexColumns", "Constraints", "PrimaryKey",
        "UniqueKeys", "ForeignKeys", "ConstraintColumns", "DataTypes", "DataSourceInformation", "ReservedWords", "Restrictions",
        "MetaDataCollections")]
    public async Task ACollectionHasTheColumnsOfNpgsql(string name)
    {
        Assert.Equal(Columns(Pair.Theirs.GetSchema(name)), Columns(Pair.Ours.GetSchema(name)));
        Assert.Equal(Pair.Ours.GetSchema(name).Rows.Count, (await Pair.Ours.GetSchemaAsync(name.ToUpperInvariant())).Rows.Count);
    }

    [Theory]
    [InlineData("Tables", "shop", "items")]
    [InlineData("Tables", "shop", null)]
    [InlineData("Columns", "shop", "items")]
    [InlineData("Columns", "shop", "cheap")]
    [InlineData("Indexes", "shop", null)]
    [InlineData("PrimaryKey", "shop", "items")]
    [InlineData("ForeignKeys", "shop", "items")]
    [InlineData("UniqueKeys", "shop", null)]
    [InlineData("Views", "shop", "none")]
    public async Task ARestrictedCollectionHasTheRowsOfNpgsql(string name, string schema, string? table)
    {
        string?[] restrictions = [null, schema, table];
        Assert.Equal(Rows(Pair.Theirs.GetSchema(name, restrictions)), Rows(Pair.Ours.GetSchema(name, restrictions)));
    }

    [Fact]
    public async Task DataTypesHaveTheNamesThatColumnsAreOf()
    {
        HashSet<string> types = [.. Pair.Ours.GetSchema("DataTypes").Rows.Cast<DataRow>().Select(static row => (string)row["TypeName"])];
        Assert.All(Pair.Ours.GetSchema("Columns", [null, "shop"]).Rows.Cast<DataRow>(), row => Assert.Contains((string)row["data_type"], types));
    }

    [Fact]
    public async Task ColumnsOfAnIndexComeInItsOrder()
    {
        DataTable table = Pair.Ours.GetSchema("IndexColumns", [null, "shop", "items", "items_made"]);
        Assert.Equal(["made", "owner"], table.Rows.Cast<DataRow>().Select(static row => (string)row["column_name"]));
    }

    [Fact]
    public async Task EveryCollectionIsListedWithItsRestrictions()
    {
        DataTable restrictions = Pair.Ours.GetSchema("Restrictions");
        foreach (DataRow row in Pair.Ours.GetSchema().Rows)
        {
            string name = (string)row["CollectionName"];
            Assert.NotEqual("", Pair.Ours.GetSchema(name).TableName);
            Assert.Equal((int)row["NumberOfRestrictions"], restrictions.Select($"CollectionName = '{name}'").Length);
        }

        Assert.Throws<ArgumentException>(() => Pair.Ours.GetSchema("Nothing"));
        Assert.Throws<ArgumentException>(() => Pair.Ours.GetSchema("Databases", ["a", "b"]));
        DataRow type = Assert.Single(Pair.Ours.GetSchema("DataTypes").Select("TypeName = 'integer'"));
        Assert.Equal("System.Int32", type["DataType"]);
        Assert.Equal("YES", Assert.Single(Pair.Ours.GetSchema("Views", [null, "shop"]).Rows.Cast<DataRow>())["is_updatable"]);
        Assert.Single(Pair.Ours.GetSchema("ReservedWords").Select("ReservedWord = 'SELECT'"));
        Assert.StartsWith("01", (string)Pair.Ours.GetSchema("DataSourceInformation").Rows[0]["DataSourceProductVersionNormalized"], StringComparison.Ordinal);
    }

    [Theory, Each(
        "select * from shop.items", "select id, price as cost, price + 1 as more, price from shop.items",
        "select i.id, o.id, o.name from shop.items i join shop.owners o on o.id = i.owner")]
    public async Task ColumnsSayWhereTheyComeFromWhereKeysAreAskedFor(string sql)
    {
        string expected = await KeysAsync(Pair.Theirs, sql, isSync: false);
        Assert.Contains("IsKey=True", expected, StringComparison.Ordinal);
        Assert.Equal(expected, await KeysAsync(Pair.Ours, sql, isSync: false));
        Assert.Equal(expected, await KeysAsync(Pair.Ours, sql, isSync: true));
    }

    private static async Task<string> KeysAsync(DbConnection connection, string sql, bool isSync)
    {
        await using DbDataReader reader = await connection.ReaderAsync(sql, CommandBehavior.KeyInfo);
        DataTable table = (isSync ? reader.GetSchemaTable() : await reader.GetSchemaTableAsync())!; // It has columns.
        string[] names = ["ColumnName", "IsKey", "IsAutoIncrement", "BaseCatalogName", "BaseSchemaName", "BaseTableName", "BaseColumnName", "AllowDBNull"];
        return string.Join('\n', table.Rows.Cast<DataRow>().Select(row => string.Join(
            ", ", names.Select(name => $"{name}={(row[name] is DBNull or false ? "" : row[name])}"))));
    }

    private static string Columns(DataTable table)
        => string.Join(", ", table.Columns.Cast<DataColumn>().Select(static column => $"{column.ColumnName} {column.DataType}"));

    private static string Rows(DataTable table) => string.Join('\n', table.Rows.Cast<DataRow>()
        .Select(static row => string.Join(" | ", row.ItemArray.Select(static value => value is DBNull ? "null" : value?.ToString())))
        .Order(StringComparer.Ordinal));
}
