using System.Data.Common;
using Dapper;
using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>Dapper, unchanged, on the facade.</summary>
[Once]
public class DapperTests : PgTests
{
    private sealed record Item(int Id, string Name, decimal Price, DateTime? Made);

    private sealed class Owner
    {
        public int Id { get; set; }

        public string? Name { get; set; }

        public Pet? Pet { get; set; }
    }

    private sealed class Pet
    {
        public int PetId { get; set; }

        public string? PetName { get; set; }
    }

    [Fact]
    public async Task RowsBecomeObjects()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        List<Item> items = [.. await connection.QueryAsync<Item>(
            "select i as id, 'item ' || i as name, i * 1.5 as price, case when i > 1 then timestamp '2020-01-02 03:04:05' end as made " +
            "from generate_series(1, @count) i",
            new { count = 3 })];
        Assert.Equal(new Item(1, "item 1", 1.5m, null), items[0]);
        Assert.Equal(new Item(3, "item 3", 4.5m, new DateTime(2020, 1, 2, 3, 4, 5)), items[2]);
        Assert.Equal(3, items.Count);
    }

    [Fact]
    public async Task ItIsTheSameWithoutAsync()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        Assert.Equal(42, connection.QuerySingle<int>("select @a + @b", new { a = 40, b = 2 }));
        Assert.Equal([1, 2, 3], connection.Query<int>("select generate_series(1, 3)", buffered: false));
        Assert.Equal(7L, connection.ExecuteScalar<long>("select 7"));
        Assert.Equal("x", connection.QueryFirst<string>("select 'x' from generate_series(1, 100000)"));
    }

    [Fact]
    public async Task AListIsOneArray()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        int[] ids = [2, 4, 99];
        Assert.Equal([2, 4], await connection.QueryAsync<int>("select i from generate_series(1, 5) i where i in @ids", new { ids }));
        Assert.Equal([1, 3, 5], await connection.QueryAsync<int>("select i from generate_series(1, 5) i where i not in @ids", new { ids }));
        Assert.Equal([2, 4], await connection.QueryAsync<int>("select i from generate_series(1, 5) i where i = any(@ids)", new { ids }));
        Assert.Equal(["b"], await connection.QueryAsync<string>("select unnest(@names) except select 'a'", new { names = new List<string> { "a", "b" } }));
        Assert.Empty(await connection.QueryAsync<int>("select i from generate_series(1, 5) i where i in @ids", new { ids = Array.Empty<int>() }));
        Assert.Equal([3], await connection.QueryAsync<int>(
            "select i from generate_series(1, 5) i where i in @ids", new { ids = ids.Where(static id => id < 4).Select(static id => id + 1) }));
    }

    [Fact]
    public async Task OneRowBecomesTwoObjects()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        Owner owner = Assert.Single(await connection.QueryAsync<Owner, Pet, Owner>(
            "select 1 as id, 'Ada' as name, 2 as petid, 'Rex' as petname",
            static (owner, pet) =>
            {
                owner.Pet = pet;
                return owner;
            },
            splitOn: "petid"));
        Assert.Equal(("Ada", "Rex", 2), (owner.Name, owner.Pet?.PetName, owner.Pet?.PetId));
    }

    [Fact]
    public async Task ManyRowsBecomeObjectsWithTheirParts()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        var owners = new Dictionary<int, Owner>();
        IEnumerable<Owner> rows = await connection.QueryAsync<Owner, Pet?, Item, Owner>(
            "select o as id, 'owner ' || o as name, p as petid, 'pet ' || p as petname, o * 10 + 1 as id, 'item' as name, 1.5 as price, null::timestamp as made " +
            "from generate_series(1, 3) o left join generate_series(1, 2) p on o < 3 order by o, p",
            (owner, pet, item) =>
            {
                Assert.Equal(owner.Id * 10 + 1, item.Id);
                Owner known = owners.TryGetValue(owner.Id, out Owner? found) ? found : owners[owner.Id] = owner;
                known.Pet = pet ?? known.Pet;
                return known;
            },
            splitOn: "petid,id");
        Assert.Equal([1, 1, 2, 2, 3], rows.Select(static owner => owner.Id));
        Assert.Equal(["pet 2", "pet 2", null], owners.Values.Select(static owner => owner.Pet?.PetName));
    }

    [Fact]
    public async Task RowsAreStreamedAndTheConnectionServesOnAfterwards()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        long sum = 0;
        await foreach (Item item in connection.QueryUnbufferedAsync<Item>(
            "select i as id, 'item ' || i as name, i * 1.5 as price, null::timestamp as made from generate_series(1, @count) i", new { count = 20_000 }))
        {
            Assert.Equal($"item {item.Id}", item.Name);
            sum += item.Id;
        }

        Assert.Equal(20_000L * 20_001 / 2, sum);
        await foreach (int first in connection.QueryUnbufferedAsync<int>("select generate_series(1, 10000000)"))
        {
            Assert.Equal(1, first);
            break;
        }

        Assert.Equal(5, await connection.QuerySingleAsync<int>("select 5"));
    }

    [Fact]
    public async Task AProcedureIsCalledByName()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        await connection.ExecuteAsync(
            "create temp table called (x int, y text); create or replace procedure pg_temp.call_it(x int, y text) language sql as 'insert into called values (x, y)'");
        await connection.ExecuteAsync("pg_temp.call_it", new { y = "b", x = 7 }, commandType: System.Data.CommandType.StoredProcedure);
        Assert.Equal((7, "b"), await connection.QuerySingleAsync<(int, string)>("select x, y from called"));
    }

    [Fact]
    public async Task SeveralResultsComeFromOneFlight()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        await using SqlMapper.GridReader grid = await connection.QueryMultipleAsync(
            "select @a; create temp table m (x int); insert into m values (1), (2); select x from m where x < @b order by x; select null::int",
            new { a = "first", b = 5 });
        Assert.Equal("first", await grid.ReadSingleAsync<string>());
        Assert.Equal([1, 2], await grid.ReadAsync<int>());
        Assert.Null(await grid.ReadSingleAsync<int?>());
        Assert.True(grid.IsConsumed);
    }

    [Fact]
    public async Task NullsAndDynamicRowsAreUnderstood()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        dynamic row = await connection.QuerySingleAsync(
            "select @n::int as n, @s as s, @i + 1 as i, @b as b, @d as d, @u as u",
            new { n = (int?)null, s = (string?)null, i = 1, b = new byte[] { 1, 2 }, d = new DateTime(2024, 2, 29), u = Guid.Empty });
        Assert.Null(row.n);
        Assert.Null(row.s);
        Assert.Equal(2, (int)row.i);
        Assert.Equal([1, 2], (byte[])row.b);
        Assert.Equal(new DateTime(2024, 2, 29), (DateTime)row.d);
        Assert.Equal(Guid.Empty, (Guid)row.u);
    }

    [Fact]
    public async Task ATransactionIsCommittedOrUndone()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        await connection.ExecuteAsync("create temp table t (x int)");
        await using (DbTransaction transaction = await connection.BeginTransactionAsync())
        {
            Assert.Equal(2, await connection.ExecuteAsync("insert into t values (@x), (@x)", new { x = 1 }, transaction));
            await transaction.RollbackAsync();
        }

        await using (DbTransaction transaction = await connection.BeginTransactionAsync())
        {
            Assert.Equal(3, await connection.ExecuteAsync("insert into t values (@x)", new[] { new { x = 1 }, new { x = 2 }, new { x = 3 } }, transaction));
            await transaction.CommitAsync();
        }

        await using (await connection.BeginTransactionAsync())
        {
            await connection.ExecuteAsync("delete from t");
        }

        Assert.Equal(3, await connection.ExecuteScalarAsync<int>("select count(*) from t"));
    }

    [Fact]
    public async Task ReadingThatIsBrokenOffLeavesAUsableConnection()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        Assert.Equal(1, connection.Query<int>("select generate_series(1, 10000000)", buffered: false).First());
        Assert.Equal(5, await connection.QuerySingleAsync<int>("select 5"));
    }

    [Fact]
    public async Task ManyCallersShareAFewSessions()
    {
        PgDbDataSource source = (await Databases.OpenAsync<DapperTests>(Fixture)).AsDbDataSource();
        int[] answers = await Task.WhenAll(Enumerable.Range(0, 200).Select(async i =>
        {
            await using DbConnection connection = await source.OpenConnectionAsync();
            return await connection.QuerySingleAsync<int>("select @i * 2", new { i });
        })).Within(30.Seconds());
        Assert.Equal(Enumerable.Range(0, 200).Select(static i => i * 2), answers);
    }

    private static async Task<DbConnection> OpenAsync(PgFixture fixture)
        => await (await TestDatabase.OpenAsync<DapperTests>(fixture, static _ => { })).AsDbDataSource().OpenConnectionAsync();
}
