using System.Data.Common;
using System.Diagnostics;
using Ioxide.Pg.Data;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>A server that goes and comes, as a program sees it on Npgsql and on the facade: how soon a call fails, with what, and how soon all is well.</summary>
public class ServerReturnsTests : PgTests
{
    private const int Callers = 8;

    [Fact]
    public async Task CallersAreAnsweredAtOnceAndServedSoonAfterTheReturn()
    {
        await using PostgresServer server = await PostgresServer.StartAsync();
        PgDataSource native = TestDatabase.Open(Fixture, server.Port);
        await using DbDataSource ours = native.AsDbDataSource();
        await using var theirs = NpgsqlDataSource.Create($"Host=127.0.0.1;Port={server.Port};Username={PgUsers.Trust};Database=postgres");
        await AskAsync(ours);
        await AskAsync(theirs);
        await server.StopAsync();

        // What the pools still hold is found lost first.
        DbException expected = await FailAsync(theirs);
        while (await FailAsync(ours) is { InnerException: not System.Net.Sockets.SocketException })
        {
            await Task.Yield();
        }

        while (expected is { InnerException: not System.Net.Sockets.SocketException })
        {
            expected = await FailAsync(theirs);
        }

        long failuresBefore = native.Pools.Sum(static pool => pool.Counters.ConnectFailures);
        long began = Stopwatch.GetTimestamp();
        var waits = new List<TimeSpan>();
        for (int i = 0; i < 30; i++)
        {
            long asked = Stopwatch.GetTimestamp();
            DbException error = await FailAsync(ours);
            waits.Add(Stopwatch.GetElapsedTime(asked));
            Assert.Equal((expected.SqlState, expected.IsTransient), (error.SqlState, error.IsTransient));
            Assert.IsType<System.Net.Sockets.SocketException>(error.InnerException);
            await Task.Delay(20);
        }

        waits.Sort();
        Assert.True(waits[15] < 100.Milliseconds(), $"the median caller waited {waits[15]}");
        Assert.True(waits[^1] < 1.Seconds(), $"the last caller waited {waits[^1]}");
        double mostAttempts = native.Pools.Count * (2 + (10 * Stopwatch.GetElapsedTime(began).TotalSeconds));
        Assert.InRange(native.Pools.Sum(static pool => pool.Counters.ConnectFailures) - failuresBefore, 1, (long)mostAttempts);

        await ReturnsUnderLoadAsync(server, ours);
    }

    private static async Task ReturnsUnderLoadAsync(PostgresServer server, DbDataSource source)
    {
        using var stop = new CancellationTokenSource();
        long wellFrom = long.MaxValue;
        int late = 0;
        int served = 0;
        Task[] callers =
        [
            .. Enumerable.Range(0, Callers).Select(_ => Task.Run(async () =>
            {
                while (!stop.IsCancellationRequested)
                {
                    bool mustServe = Stopwatch.GetTimestamp() >= Volatile.Read(ref wellFrom);
                    try
                    {
                        await AskAsync(source);
                        Interlocked.Add(ref served, mustServe ? 1 : 0);
                    }
                    catch (DbException)
                    {
                        Interlocked.Add(ref late, mustServe ? 1 : 0);
                        await Task.Delay(1);
                    }
                }
            })),
        ];
        await Task.Delay(200);
        await server.StartAgainAsync();
        Volatile.Write(ref wellFrom, Stopwatch.GetTimestamp() + (300 * Stopwatch.Frequency / 1000));
        await Waits.Eventually(() => served >= 200, 30.Seconds());
        await stop.CancelAsync();
        await Task.WhenAll(callers).Within(30.Seconds());
        Assert.Equal(0, late);
    }

    private static async Task AskAsync(DbDataSource source)
    {
        await using DbConnection connection = await source.OpenConnectionAsync().AsTask().Within(20.Seconds());
        Assert.Equal(1, await connection.ScalarAsync("select 1").Within(20.Seconds()));
    }

    private static async Task<DbException> FailAsync(DbDataSource source) => await Assert.ThrowsAnyAsync<DbException>(() => AskAsync(source));
}
