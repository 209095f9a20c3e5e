using System.Data.Common;
using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>A connection that is closed while another task reads: an end for both, and a pool that goes on.</summary>
public class CloseWhileReadingTests : PgTests
{
    private const string SlowRows = "select i, pg_sleep(case when i > 3 then 0.02 else 0 end)::text, repeat('x', 20000) from generate_series(1, 14) i";

    [Theory, AllValues]
    public async Task BothEnd(bool isSequential)
    {
        PgDataSource db = await TestDatabase.OpenAsync<CloseWhileReadingTests>(Fixture, static options => options.MaxConnections = 4);
        DbDataSource source = db.AsDbDataSource();
        Func<DbConnection, Task>[] ends =
        [
            static connection => Task.Run(connection.Close),
            static connection => connection.CloseAsync(),
            static connection => Task.Run(connection.Dispose),
            static connection => connection.DisposeAsync().AsTask(),
        ];
        int ended = 0;
        for (int round = 0; round < 24; round++)
        {
            DbConnection connection = await source.OpenConnectionAsync();
            DbCommand command = connection.CreateCommand();
            command.CommandText = SlowRows;
            DbDataReader reader = await command.ExecuteReaderAsync(isSequential ? System.Data.CommandBehavior.SequentialAccess : default);
            bool isBlocking = round % 3 == 0;
            Task reading = Task.Run(async () =>
            {
                while (isBlocking ? reader.Read() : await reader.ReadAsync())
                {
                    Assert.True(reader.GetInt32(0) > 0);
                }
            });
            await Task.Delay(round % 8 * 12);
            await ends[round % ends.Length](connection).Within(20.Seconds());
            Exception? error = await reading.ErrorWithin(20.Seconds());

            // On a slow machine all rows may be there before the close.
            Assert.True(error is null or InvalidOperationException or DbException or OperationCanceledException, $"{round}: {error}");
            ended += error is null ? 0 : 1;
            await connection.DisposeAsync();
            await reader.DisposeAsync();
        }

        Assert.True(ended > 0);
        await AnswersAsync(source, db);
    }

    /// <summary>The task asks for rows again and again: it must not get between the closer and the round trip's end.</summary>
    [Theory, AllValues]
    public async Task ACloserGetsNoErrorFromATaskThatGoesOnReading(bool isBlocking)
    {
        PgDataSource db = await TestDatabase.OpenAsync<CloseWhileReadingTests>(Fixture, static options => options.MaxConnections = 4);
        DbDataSource source = db.AsDbDataSource();
        for (int round = 0; round < 100; round++)
        {
            await using DbConnection connection = await source.OpenConnectionAsync();
            await using DbCommand command = connection.Command("select i, pg_sleep(0.001)::text, repeat('x', 20000) from generate_series(1, 5) i");
            await using DbDataReader reader = await command.ExecuteReaderAsync();
            using ManualResetEventSlim isReading = new();
            Task reading = Task.Run(async () =>
            {
                bool isOver = false;
                while (!isOver)
                {
                    isReading.Set();
                    try
                    {
                        isOver = !(isBlocking ? reader.Read() : await reader.ReadAsync());
                    }
                    catch (InvalidOperationException)
                    {
                        isOver = reader.IsClosed;
                    }
                }
            });
            isReading.Wait(20.Seconds());

            await (isBlocking ? Task.Run(reader.Close) : reader.CloseAsync()).Within(20.Seconds());

            await reading.Within(20.Seconds());
        }

        await AnswersAsync(source, db);
    }

    private static async Task AnswersAsync(DbDataSource source, PgDataSource db)
    {
        await using DbCommand next = source.CreateCommand("select 1");
        Assert.Equal(1, await next.ExecuteScalarAsync().Within(20.Seconds()));
        await Waits.Eventually(() => db.Pools.All(static pool => pool.Sessions == 0), 20.Seconds());
    }
}
