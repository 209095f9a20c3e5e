using System.Data.Common;
using Microsoft.EntityFrameworkCore;

namespace Ioxide.Pg.Tests;

/// <summary>EF Core with Npgsql's provider on a connection of the facade: it queries with parameters of plain types; SaveChanges, numeric and arrays need Npgsql's own classes.</summary>
public class EntityFrameworkTests
{
    internal sealed class Thing
    {
        public int Id { get; set; }

        public string? Name { get; set; }

        public decimal Price { get; set; }
    }

    private sealed class Shop(DbConnection connection) : DbContext
    {
        internal DbSet<Thing> Things => Set<Thing>();

        protected override void OnConfiguring(DbContextOptionsBuilder optionsBuilder) => optionsBuilder.UseNpgsql(connection);

        protected override void OnModelCreating(ModelBuilder modelBuilder) => modelBuilder.Entity<Thing>(static thing =>
        {
            thing.ToTable("things");
            thing.Property(static x => x.Id).HasColumnName("id");
            thing.Property(static x => x.Name).HasColumnName("name");
            thing.Property(static x => x.Price).HasColumnName("price");
        });
    }

    [Fact]
    public async Task QueriesRunAndBulkChangesButNotSaveChanges()
    {
        await using PgFixture fixture = new();
        PgDataSource source = await Databases.OpenAsync<EntityFrameworkTests>(fixture);
        await using DbConnection connection = await source.AsDbDataSource().OpenConnectionAsync();
        await using Shop shop = new(connection);
        await shop.Database.ExecuteSqlRawAsync(
            "create temp table things (id int generated always as identity primary key, name text, price numeric not null); " +
            "insert into things (name, price) values ('a', 1.5), (null, 2.5), ('c', 9)");
        List<Thing> dear = await shop.Things.Where(static thing => thing.Price > 2).OrderBy(static thing => thing.Id).ToListAsync();
        Assert.Equal([(2, null, 2.5m), (3, "c", 9m)], dear.Select(static thing => (thing.Id, thing.Name, thing.Price)));
        string wanted = "c";
        Assert.Equal(1, await shop.Things.CountAsync(thing => thing.Name == wanted));
        Assert.Equal(1, await shop.Things.Where(static thing => thing.Name == "a").ExecuteUpdateAsync(static set => set.SetProperty(static thing => thing.Name, "z")));
        Assert.Equal("z", await shop.Things.MaxAsync(static thing => thing.Name));
        shop.Things.Add(new Thing { Name = "d", Price = 4 });
        DbUpdateException error = await Assert.ThrowsAsync<DbUpdateException>(() => shop.SaveChangesAsync());
        Assert.IsType<InvalidOperationException>(error.InnerException);

        // Its own types, such as numeric and arrays, ask for NpgsqlParameter.
        decimal least = 2;
        await Assert.ThrowsAsync<InvalidOperationException>(() => shop.Things.CountAsync(thing => thing.Price > least));
        string?[] names = ["a", "c"];
        await Assert.ThrowsAsync<ArgumentException>(() => shop.Things.CountAsync(thing => names.Contains(thing.Name)));
    }
}
