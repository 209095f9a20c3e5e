using System.Data.Common;
using System.Globalization;
using System.Runtime.CompilerServices;
using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>SQL texts that never come again leave nothing behind: what is kept of them is bounded, and what is in use stays.</summary>
/// <remarks>
/// Weak references to the statements tell which are still held. <c>IOXIDE_PG_TEXTS</c> sets their number for a run by hand.
/// Takes 6 s: 20,000 texts are parsed by the server.
/// </remarks>
[Once]
public class StatementMemoryTests(ITestOutputHelper output) : PgTests(TestDatabase.OneReactor)
{
    private const int MaxPrepared = 32;
    private const int PiecesPerCommand = 4;
    private const int UsesUntilPrepared = 2;
    private const int Callers = 50;

    // A cache of 1,024 texts, a connection of 32 statements, and what a pooled command still holds.
    private const int MaxHeld = 1024 + MaxPrepared + 16;

    private static int TextCount
        => Environment.GetEnvironmentVariable("IOXIDE_PG_TEXTS") is { Length: > 0 } count ? int.Parse(count, CultureInfo.InvariantCulture) : 20_000;

    [Fact]
    public async Task TextsOfTheDataSourceAreLetGo()
    {
        PgDataSource db = await OpenAsync(Fixture);
        var held = new List<WeakReference>();
        long before = Measure();
        for (int start = 0; start < TextCount; start += Callers)
        {
            await RunAsync(db, start, held).Within(60.Seconds());
        }

        Assert.InRange(Report(before, held), 1, MaxHeld);
        Assert.Equal(MaxPrepared, await CountPreparedAsync(db));

        static Task RunAsync(PgDataSource db, int start, List<WeakReference> held)
            => Task.WhenAll(Enumerable.Range(start, Callers).Select(async i =>
            {
                PgStatement statement = db.Statement($"select {i}, $1::int");
                var values = new PgParameterList(PgParameterValue.Of(i));
                held.Add(new WeakReference(statement.ForTypes(((IPgParameters)values).TypeKey)));
                for (int use = 0; use < UsesUntilPrepared; use++)
                {
                    Assert.Equal(i, await db.Query(statement, values).ScalarAsync<int>());
                }
            }));
    }

    [Fact]
    public async Task TextsOfTheFacadeAreLetGo()
    {
        PgDataSource db = await OpenAsync(Fixture);
        await using DbConnection connection = await db.AsDbDataSource().OpenConnectionAsync();
        var held = new List<WeakReference>();
        long before = Measure();
        for (int start = 0; start < TextCount; start += PiecesPerCommand)
        {
            await RunAsync(db, connection, start, held).Within(60.Seconds());
        }

        // Each text in the cache of the facade holds itself and its statements.
        Assert.InRange(Report(before, held), 1, (1024 * (PiecesPerCommand + 1)) + MaxHeld);
        Assert.Equal(MaxPrepared, ((PgDbConnection)connection).Session.Connection.Statements.Count);

        static async Task RunAsync(PgDataSource db, DbConnection connection, int start, List<WeakReference> held)
        {
            string[] texts = [.. Enumerable.Range(start, PiecesPerCommand).Select(static i => $"select {i}")];
            await using DbCommand command = connection.Command(string.Join(';', texts));
            for (int use = 0; use < UsesUntilPrepared; use++)
            {
                Assert.Equal(start, await command.ExecuteScalarAsync());
            }

            held.Add(new WeakReference(command.CommandText));
            held.AddRange(texts.Select(text => new WeakReference(db.Statement(text))));
        }
    }

    /// <summary>Texts that hold their values do not recur: the server keeps none of them.</summary>
    [Fact]
    public async Task ATextIsPreparedWhenItIsUsedAgainOrWasAskedToBe()
    {
        PgDataSource db = await OpenAsync(Fixture);
        await using DbConnection connection = await db.AsDbDataSource().OpenConnectionAsync();
        StatementTable statements = ((PgDbConnection)connection).Session.Connection.Statements;
        int before = statements.Count;
        await RunAsync("select 1", uses: 1);
        await RunAsync("select 2", uses: 1);
        Assert.Equal(before, statements.Count);
        await RunAsync("select 2", uses: 1);
        Assert.Equal(before + 1, statements.Count);
        await RunAsync("select 3", uses: 0);
        Assert.Equal(before + 2, statements.Count);

        async Task RunAsync(string text, int uses)
        {
            await using DbCommand command = connection.Command(text);
            if (uses == 0)
            {
                await command.PrepareAsync();
            }

            for (int use = 0; use < uses; use++)
            {
                Assert.NotNull(await command.ExecuteScalarAsync());
            }
        }
    }

    [Fact]
    public async Task LongTextsAreLetGoByTheirLength()
    {
        PgDataSource db = await OpenAsync(Fixture);
        string comment = new('-', 512 * 1024);
        var held = new List<WeakReference>();
        for (int i = 0; i < 100; i++)
        {
            await RunAsync(db, $"select {i} {comment}", i, held).Within(60.Seconds());
        }

        // Sixteen mebibytes in the cache, and eight on the connection.
        Assert.InRange(Held(held), 1, 30);

        static async Task RunAsync(PgDataSource db, string sql, int expected, List<WeakReference> held)
        {
            PgStatement statement = db.Statement(sql);
            held.Add(new WeakReference(statement));
            Assert.Equal(expected, await db.Query(statement).ScalarAsync<int>());
        }
    }

    [Fact]
    public async Task AStatementInUseStaysAmongTextsThatAreNot()
    {
        PgDataSource db = await OpenAsync(Fixture);
        PgStatement used = db.Statement("select 'used'");
        for (int i = 0; i < 5_000; i++)
        {
            Assert.Same(used, db.Statement("select 'used'"));
            _ = db.Statement($"select {i}");
        }

        for (int i = 0; i < 100; i++)
        {
            Assert.Equal("used", await db.Query(used).ScalarAsync<string>());
            Assert.Equal(i, await db.Query(db.Statement($"select {i}")).ScalarAsync<int>());
        }

        // It was parsed once: its name is that of the first statement of the connection.
        Assert.EndsWith(".1", await db.Query(db.Statement("select name from pg_prepared_statements where statement = 'select ''used'''")).ScalarAsync<string>(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task OneTextWithManyListsOfTypesIsLetGoToo()
    {
        PgDataSource db = await OpenAsync(Fixture);
        PgStatement statement = db.Statement($"select num_nulls({string.Join(", ", Enumerable.Range(1, 12).Select(static i => $"${i}"))})");
        for (int types = 0; types < 1 << 12; types++)
        {
            PgParameterValue[] values = [.. Enumerable.Range(0, 12).Select(i => (types & (1 << i)) == 0 ? PgParameterValue.Of(1) : PgParameterValue.Of(1L))];
            for (int use = 0; use < UsesUntilPrepared; use++)
            {
                Assert.Equal(0, await db.Query(statement, new PgParameterList(values)).ScalarAsync<int>().Within(60.Seconds()));
            }
        }

        Assert.InRange(statement.VariantCount, 1, 64);
        Assert.Equal(MaxPrepared, await CountPreparedAsync(db));
    }

    private static Task<PgDataSource> OpenAsync(PgFixture fixture)
        => TestDatabase.OpenAsync<StatementMemoryTests>(fixture, TestDatabase.OneConnectionWith(static options => options.MaxPreparedPerConnection = MaxPrepared));

    private static async Task<int> CountPreparedAsync(PgDataSource db)
        => await db.Query(PgStatement.Create("select count(*)::int from pg_prepared_statements"u8)).ScalarAsync<int>();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Held(List<WeakReference> references)
    {
        Measure();
        return references.Count(static reference => reference.IsAlive);
    }

    private static long Measure()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
        return GC.GetTotalMemory(forceFullCollection: true);
    }

    private int Report(long before, List<WeakReference> held)
    {
        int count = held.Count;
        int alive = Held(held);
        held.Clear();
        held.Capacity = 0;
        long after = Measure();
        output.WriteLine($"{count} texts, {alive} held: {before} bytes before, {after} after");
        return alive;
    }
}
