using System.Data.Common;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.EntityFrameworkCore.Migrations;

namespace Ioxide.Pg.Tests;

/// <summary>EF Core with Npgsql's provider on a connection of the facade: it queries with parameters of plain types; SaveChanges, numeric, times and arrays need Npgsql's own classes.</summary>
[Once]
public class EntityFrameworkTests : PgTests
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
        PgDataSource source = await Databases.OpenAsync<EntityFrameworkTests>(Fixture);
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

    [Fact]
    public async Task MigrationsRunOnceAndRowsComeWithWhatTheyInclude()
    {
        PgDataSource source = await Databases.OpenAsync<EntityFrameworkTests>(Fixture);
        await using DbConnection connection = source.AsDbDataSource().CreateConnection();
        await using Blog blog = new(connection);

        // For a table that is missing the provider looks for Npgsql's exception.
        PgException missing = await Assert.ThrowsAsync<PgException>(() => blog.Database.MigrateAsync());
        Assert.Equal("42P01", missing.SqlState);
        await blog.GetService<IHistoryRepository>().CreateIfNotExistsAsync();
        await blog.Database.MigrateAsync();
        await blog.Database.MigrateAsync();
        Assert.Equal(["1_posts"], await blog.Database.GetAppliedMigrationsAsync());

        Post post = await blog.Posts.Include(static x => x.Comments).SingleAsync(static x => x.Id == 1);
        Assert.Equal(["a", "b"], post.Comments.Select(static comment => comment.Text).Order());
        Guid key = post.Key;
        Assert.Equal(1, await blog.Posts.CountAsync(x => x.Key == key));
        await using (var transaction = await blog.Database.BeginTransactionAsync())
        {
            Assert.Equal(2, await blog.Posts.SelectMany(static x => x.Comments).ExecuteDeleteAsync());
            await transaction.RollbackAsync();
        }

        Assert.Equal(2, await blog.Posts.SelectMany(static x => x.Comments).CountAsync());
        DateTime before = DateTime.UtcNow;
        await Assert.ThrowsAsync<InvalidOperationException>(() => blog.Posts.CountAsync(x => x.Made < before));
    }

    internal sealed class Post
    {
        public int Id { get; set; }

        public Guid Key { get; set; }

        public DateTime Made { get; set; }

        public List<Comment> Comments { get; } = [];
    }

    internal sealed class Comment
    {
        public int Id { get; set; }

        public int PostId { get; set; }

        public string? Text { get; set; }
    }

    private sealed class Blog(DbConnection connection) : DbContext
    {
        internal DbSet<Post> Posts => Set<Post>();

        // The model of the migration is not kept here.
        protected override void OnConfiguring(DbContextOptionsBuilder optionsBuilder) => optionsBuilder
            .UseNpgsql(connection)
            .ConfigureWarnings(static warnings => warnings.Ignore(RelationalEventId.PendingModelChangesWarning));
    }

    [DbContext(typeof(Blog))]
    [Migration("1_posts")]
    internal sealed class PostsMigration : Migration
    {
        protected override void Up(MigrationBuilder migrationBuilder)
        {
            migrationBuilder.CreateTable("Posts", static table => new
            {
                Id = table.Column<int>("integer"),
                Key = table.Column<Guid>("uuid"),
                Made = table.Column<DateTime>("timestamp with time zone"),
            }, constraints: static table => table.PrimaryKey("PK_Posts", static post => post.Id));
            migrationBuilder.CreateTable("Comment", static table => new
            {
                Id = table.Column<int>("integer"),
                PostId = table.Column<int>("integer"),
                Text = table.Column<string>("text", nullable: true),
            }, constraints: static table => table.PrimaryKey("PK_Comment", static comment => comment.Id));
            migrationBuilder.Sql("""
                insert into "Posts" values (1, gen_random_uuid(), now()); insert into "Comment" values (1, 1, 'a'), (2, 1, 'b')
                """);
        }
    }
}
