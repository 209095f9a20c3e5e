using System.Data.Common;
using LinqToDB;
using LinqToDB.Async;
using LinqToDB.Data;
using LinqToDB.DataProvider.PostgreSQL;
using LinqToDB.Mapping;

namespace Ioxide.Pg.Tests;

/// <summary>linq2db, unchanged, on a connection of the facade.</summary>
[Once]
public class Linq2DbTests : PgTests
{
    [Table("linq_items")]
    internal sealed class Item
    {
        [PrimaryKey, Identity]
        [Column("id")]
        public int Id { get; set; }

        [Column("name")]
        public string? Name { get; set; }

        [Column("price")]
        public decimal? Price { get; set; }

        [Column("made")]
        public DateTime? Made { get; set; }
    }

    [Fact]
    public async Task RowsAreInsertedChangedAndQueried()
    {
        PgDataSource source = await Databases.OpenAsync<Linq2DbTests>(Fixture);
        await using DbConnection connection = await source.AsDbDataSource().OpenConnectionAsync();
        await using var data = new DataConnection(new DataOptions().UseConnection(PostgreSQLTools.GetDataProvider(PostgreSQLVersion.v15), connection));
        await data.ExecuteAsync("create temp table linq_items (id int generated always as identity, name text, price numeric, made timestamp)");
        var made = new DateTime(2020, 1, 2, 3, 4, 5);
        int first = await data.InsertWithInt32IdentityAsync(new Item { Name = "a", Price = 1.5m, Made = made });
        await data.InsertAsync(new Item { Name = "b", Price = 2.5m });
        await data.InsertAsync(new Item { Name = null });
        Assert.Equal(1, await data.GetTable<Item>().Where(item => item.Name == "b").Set(item => item.Price, 9m).UpdateAsync());
        List<Item> items = await data.GetTable<Item>().OrderBy(item => item.Id).ToListAsync();
        Assert.Equal([("a", 1.5m, made), ("b", 9m, null), (null, null, null)], items.Select(static item => (item.Name, item.Price, item.Made)));
        Assert.Equal(first, items[0].Id);
        string?[] names = ["a", "b"];
        Assert.Equal(2, await data.GetTable<Item>().CountAsync(item => names.Contains(item.Name)));
        await using (DataConnectionTransaction transaction = await data.BeginTransactionAsync())
        {
            await data.GetTable<Item>().DeleteAsync();
            await transaction.RollbackAsync();
        }

        Assert.Equal(3, data.GetTable<Item>().Count());
    }

    [Theory, Each(BulkCopyType.Default, BulkCopyType.MultipleRows, BulkCopyType.RowByRow, BulkCopyType.ProviderSpecific)]
    public async Task RowsAreCopiedInBulk(BulkCopyType type)
    {
        PgDataSource source = await Databases.OpenAsync<Linq2DbTests>(Fixture);
        await using DbConnection connection = await source.AsDbDataSource().OpenConnectionAsync();
        await using var data = new DataConnection(new DataOptions().UseConnection(PostgreSQLTools.GetDataProvider(PostgreSQLVersion.v15), connection));
        await data.ExecuteAsync("create temp table linq_items (id int generated always as identity, name text, price numeric, made timestamp)");
        var made = new DateTime(2020, 1, 2, 3, 4, 5);
        Item[] items = [.. Enumerable.Range(0, 2500).Select(i => new Item { Name = i % 7 == 0 ? null : $"it's {i}", Price = i / 4m, Made = made.AddSeconds(i) })];
        BulkCopyRowsCopied copied = await data.BulkCopyAsync(new BulkCopyOptions { BulkCopyType = type }, items);
        Assert.Equal(items.Length, copied.RowsCopied);
        List<Item> read = await data.GetTable<Item>().OrderBy(item => item.Id).ToListAsync();
        Assert.Equal(items.Select(static item => (item.Name, item.Price, item.Made)), read.Select(static item => (item.Name, item.Price, item.Made)));
    }
}
