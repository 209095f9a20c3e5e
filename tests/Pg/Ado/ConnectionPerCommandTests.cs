using System.Data.Common;
using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>What ADO.NET code does most: it opens a connection, runs one command, and closes it.</summary>
public class ConnectionPerCommandTests() : PgTests(TestDatabase.OneReactor)
{
    [Fact]
    public async Task ItAllocatesObjectsOfAdoNetAndNoBuffers()
    {
        const int WarmUp = 500;
        const int Count = 2_000;
        PgDbDataSource source = await SourceAsync(Fixture);
        long allocated = await Fixture[0].RunAsync(async () =>
        {
            await AskAsync(source, WarmUp);
            long before = GC.GetAllocatedBytesForCurrentThread();
            await AskAsync(source, Count);
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }).Within(60.Seconds());

        // Objects take 1,500 to 2,100 bytes: more of them where more of the awaits have to wait. A buffer of rows would add 2 KiB.
        Assert.InRange(allocated / Count, 1, 3_000);
    }

    [Fact]
    public async Task CancellingACommandThatIsOverLeavesTheNextUserOfItsServerConnectionAlone()
    {
        PgDbDataSource source = await SourceAsync(Fixture);
        await using PgDbCommand first = new("select 1", null);
        await using (PgDbConnection connection = await source.OpenConnectionAsync())
        {
            first.Connection = connection;
            Assert.Equal(1, await first.ExecuteScalarAsync());
        }

        await using PgDbConnection other = await source.OpenConnectionAsync();
        await using PgDbCommand second = new("select 2 from pg_sleep(1)", other);
        Task<object?> running = second.ExecuteScalarAsync();
        while (!running.IsCompleted)
        {
            first.Cancel();
            await Task.WhenAny(running, Task.Delay(20));
        }

        Assert.Equal(2, await running);
    }

    [Fact]
    public async Task ALibraryThatAwaitsWithoutContextStaysOnTheReactor()
    {
        PgDbDataSource source = await SourceAsync(Fixture);
        await Fixture[0].RunAsync(async () =>
        {
            SynchronizationContext? context = SynchronizationContext.Current;
            await using (PgDbConnection connection = await source.OpenConnectionAsync())
            {
                Assert.Same(Fixture[0], await LibraryAsync(connection));
                Assert.Same(context, SynchronizationContext.Current);
            }

            return true;
        }).Within(30.Seconds());
    }

    [Fact]
    public async Task ALibraryThatWaitsForAConnectionStaysOnTheReactor()
    {
        PgDbDataSource source = await SourceAsync(Fixture);
        await Fixture[0].RunAsync(async () =>
        {
            Task<Reactor?> waiting;
            await using (PgDbConnection connection = await source.OpenConnectionAsync())
            {
                waiting = LibraryAsync(source);
                Assert.False(waiting.IsCompleted);
            }

            Assert.Same(Fixture[0], await waiting);
            Assert.True(Fixture[0].IsCurrent);
            return true;
        }).Within(30.Seconds());
    }

    private static async Task AskAsync(PgDbDataSource source, int count)
    {
        for (int i = 0; i < count; i++)
        {
            await using PgDbConnection connection = await source.OpenConnectionAsync();
            await using PgDbCommand command = new("select @i", connection);
            command.Parameters.AddWithValue("i", i);
            await using DbDataReader reader = await command.ExecuteReaderAsync();
            Assert.True(await reader.ReadAsync());
            Assert.Equal(i, reader.GetInt32(0));
        }
    }

    private static async Task<Reactor?> LibraryAsync(PgDbConnection connection)
    {
        await using PgDbCommand command = new("select 1", connection);
        Task<DbDataReader> answer = command.ExecuteReaderAsync();
        Assert.False(answer.IsCompleted);
        await using DbDataReader reader = await answer.ConfigureAwait(false);
        return Reactor.Current;
    }

    private static async Task<Reactor?> LibraryAsync(PgDbDataSource source)
    {
        await using PgDbConnection connection = await source.OpenConnectionAsync().ConfigureAwait(false);
        return Reactor.Current;
    }

    private static async Task<PgDbDataSource> SourceAsync(PgFixture fixture)
        => (await TestDatabase.OpenAsync<ConnectionPerCommandTests>(fixture, TestDatabase.OneConnection)).AsDbDataSource();
}
