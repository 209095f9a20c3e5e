using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>
/// Every type with its extremes and 3,000 random values, single and in arrays, on a real server: what the driver wrote is read by
/// Npgsql, what Npgsql wrote is read by the driver, and psql prints both the same, as the driver does. The seed is printed.
/// </summary>
/// <remarks>Takes up to 10 s: 3,000 values per type in Release.</remarks>
[Once]
public class NpgsqlRoundTripTests(ITestOutputHelper output) : PgTests(TestDatabase.OneReactor)
{
    private static readonly int s_count = Scale.Of(3_000);

    public static TheoryData<string> Cases() => [.. WireCases.All.Keys];

    [Theory, MemberData(nameof(Cases))]
    public async Task IsTheSameInBothDriversAndInPsql(string name)
    {
        int seed = TestSeed.Next();
        output.WriteLine($"seed {seed}");
        WireCases.Register();
        PostgresServer server = await PostgresServer.SharedAsync();
        Assert.SkipWhen(name.StartsWith("hstore", StringComparison.Ordinal) && !server.HasHstore, "The server has no hstore.");
        string database = await DatabaseAsync(server);
        PgDataSource ours = await TestDatabase.OpenAsync<NpgsqlRoundTripTests>(Fixture, static _ => { });
        await using NpgsqlDataSource theirs = Theirs(server, database);
        await WireCases.All[name].CheckAsync(new RoundTripBench(ours, theirs, server, database), new Random(seed), s_count);
    }

    private static async Task<string> DatabaseAsync(PostgresServer server)
    {
        string database = await server.DatabaseAsync<NpgsqlRoundTripTests>();
        if (await server.RunSqlAsync("select to_regtype('mood') is null", database) == "t")
        {
            await server.RunSqlAsync(WireCases.Script, database);
        }

        return database;
    }

    private static NpgsqlDataSource Theirs(PostgresServer server, string database)
    {
        var builder = new NpgsqlDataSourceBuilder(Databases.ForNpgsql(server, database) + ";Timezone=UTC");
        builder.MapEnum<WireCases.Mood>("mood");
        builder.MapComposite<WireCases.Pair>("pair");
        return builder.Build();
    }
}
