using System.Data.Common;
using EvolveDb;

namespace Ioxide.Pg.Tests;

/// <summary>Evolve, a migration tool, on a connection of the facade.</summary>
[Once]
public class EvolveTests : PgTests
{
    [Fact]
    public async Task MigrationsRunOnceAndAFailedOneIsUndone()
    {
        PgDataSource source = await Databases.OpenAsync<EvolveTests>(Fixture);
        await using DbConnection connection = source.AsDbDataSource().CreateConnection();
        string folder = Directory.CreateTempSubdirectory().FullName;
        try
        {
            await File.WriteAllTextAsync(Path.Combine(folder, "V1__things.sql"), "create table things (id int primary key, name text); insert into things values (1, 'a;b')");
            await File.WriteAllTextAsync(Path.Combine(folder, "V2__more.sql"), "alter table things add column price numeric;\nupdate things set price = 1.50;");
            Assert.Equal(2, Migrate());
            Assert.Equal(0, Migrate());
            await File.WriteAllTextAsync(Path.Combine(folder, "V3__wrong.sql"), "insert into things values (2, 'c', 2); insert into things values (2, 'd', 3)");
            Assert.ThrowsAny<EvolveException>(() => Migrate());
            Assert.Equal((1, "a;b", 1.50m), await source.Query(source.Statement("select id, name, price from things")).FirstAsync(
                static row => (row.GetInt32(0), row.GetString(1)!, row.GetDecimal(2))));
            Assert.Equal(1L, await source.Query(source.Statement("select count(*) from things")).ScalarAsync<long>());
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }

        int Migrate()
        {
            var evolve = new Evolve(connection) { Locations = [folder], IsEraseDisabled = true };
            evolve.Migrate();
            return evolve.NbMigration;
        }
    }
}
