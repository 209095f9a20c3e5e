using System.IO.Pipelines;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>Copies that end early: by a token, by the session, by another command in the middle. On one connection, which lives on.</summary>
public class CopyEndTests() : PgTests(TestDatabase.OneReactor)
{
    private static readonly PgStatement s_count = PgStatement.Create("select count(*) from copied"u8);
    private static readonly byte[] s_copy = "copy copied from stdin"u8.ToArray();

    // More than a copy keeps back before it sends.
    private static readonly byte[] s_rows = [.. Enumerable.Range(0, 20_000).SelectMany(static i => System.Text.Encoding.ASCII.GetBytes($"{i}\n"))];

    [Fact]
    public async Task ACopyWhoseTokenIsCancelledKeepsNothingAndTheSessionContinues()
    {
        (PgDataSource db, PgSession session) = await OpenAsync(Fixture);
        await using PgSession disposed = session;
        using var source = new CancellationTokenSource();
        await using (PgCopyIn copy = await session.CopyInAsync(s_copy, source.Token))
        {
            await copy.WriteAsync(s_rows);

            // It has taken all rows, and hears of no cancel request while it waits for more.
            await WaitForAsync(session.ProcessId, "wait_event = 'ClientRead'");
            await source.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => copy.CompleteAsync().Within(20.Seconds()));
        }

        Assert.Equal(0, await session.Query(s_count).ScalarAsync<long>().Within(20.Seconds()));
        Assert.Equal(1, db.Opened());
    }

    [Fact]
    public async Task ACopyThatWaitsForALockIsCancelled()
    {
        (PgDataSource db, PgSession session) = await OpenAsync(Fixture, connections: 2);
        await using PgSession disposed = session;
        await using PgSession other = await db.OpenSessionAsync();
        await using PgTransaction transaction = await other.BeginAsync();
        await other.RunScriptAsync("lock table copied in access exclusive mode");
        using var source = new CancellationTokenSource();
        Task<PgCopyIn> starting = session.CopyInAsync(s_copy, source.Token).AsTask();
        await WaitForLockAsync(session.ProcessId);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => starting.Within(20.Seconds()));
        await transaction.RollbackAsync();
        Assert.Equal(0, await session.Query(s_count).ScalarAsync<long>().Within(20.Seconds()));
        Assert.Equal(2, db.Opened());
    }

    [Fact]
    public async Task ATokenEndsTheWaitForTheServerToKeepARow()
    {
        (PgDataSource db, PgSession session) = await OpenAsync(Fixture, connections: 2);
        await using PgSession disposed = session;
        await using PgSession other = await db.OpenSessionAsync();
        await using PgTransaction transaction = await other.BeginAsync();
        await other.RunScriptAsync("insert into copied values (1)");
        using var source = new CancellationTokenSource();
        await using (PgCopyIn copy = await session.CopyInAsync(s_copy))
        {
            await copy.WriteAsync("1\n"u8.ToArray());
            Task completing = copy.CompleteAsync(source.Token).AsTask();
            await WaitForLockAsync(session.ProcessId);
            await source.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => completing.Within(20.Seconds()));
        }

        // It is sent when the copy has ended, which nothing else could end yet.
        Assert.Equal(0, await session.Query(s_count).ScalarAsync<long>().Within(20.Seconds()));
        await transaction.RollbackAsync();
        Assert.Equal(2, db.Opened());
    }

    [Fact]
    public async Task ASessionThatIsDisposedInTheMiddleOfACopyInGivesItsConnectionBack()
    {
        (PgDataSource db, PgSession session) = await OpenAsync(Fixture);
        await using PgCopyIn copy = await session.CopyInAsync(s_copy);
        await copy.WriteAsync(s_rows);
        await session.DisposeAsync();
        await using PgSession next = await db.OpenSessionAsync().Within(20.Seconds());
        Assert.Equal(0, await next.Query(s_count).ScalarAsync<long>().Within(20.Seconds()));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => copy.CompleteAsync().Within(20.Seconds()));
        Assert.Equal(0, await next.Query(s_count).ScalarAsync<long>().Within(20.Seconds()));
        Assert.Equal(1, db.Opened());
    }

    [Theory, Each("COPY", "JSON")]
    public async Task ASessionThatIsDisposedWhileAPipeIsNotReadGivesItsConnectionBack(string way)
    {
        (PgDataSource db, PgSession session) = await OpenAsync(Fixture);
        await session.RunScriptAsync("insert into copied select i from generate_series(1, 500000) i");
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 64 * 1024, resumeWriterThreshold: 32 * 1024));
        Task copying = way == "COPY"
            ? session.CopyOutAsync("copy copied to stdout"u8.ToArray(), pipe.Writer).AsTask()
            : session.Query(PgStatement.Create("select i from copied"u8)).StreamJsonAsync(pipe.Writer).AsTask();
        ReadResult read = await pipe.Reader.ReadAsync().Within(20.Seconds());
        while (read.Buffer.Length < 64 * 1024)
        {
            pipe.Reader.AdvanceTo(read.Buffer.Start, read.Buffer.End);
            read = await pipe.Reader.ReadAsync().Within(20.Seconds());
        }

        await session.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => copying.Within(20.Seconds()));
        await using PgSession next = await db.OpenSessionAsync().Within(20.Seconds());
        Assert.Equal(500_000, await next.Query(s_count).ScalarAsync<long>().Within(20.Seconds()));
        Assert.Equal(1, db.Opened());
    }

    [Fact]
    public async Task ACommandInTheMiddleOfACopyIsRefusedBeforeAnythingIsSent()
    {
        (PgDataSource _, PgSession session) = await OpenAsync(Fixture);
        await using PgSession disposed = session;
        await using (PgCopyIn copy = await session.CopyInAsync(s_copy))
        {
            await copy.WriteAsync(s_rows);
            foreach (Func<Task> command in (Func<Task>[])
                [
                    () => session.Query(s_count).ScalarAsync<long>().AsTask(),
                    () => session.RunScriptAsync("select 1").AsTask(),
                    () => session.CopyInAsync(s_copy).AsTask(),
                ])
            {
                InvalidOperationException refused = await Assert.ThrowsAsync<InvalidOperationException>(() => command().Within(20.Seconds()));
                Assert.Contains("COPY", refused.Message, StringComparison.Ordinal);
            }

            Assert.Equal(20_000, await copy.CompleteAsync().Within(20.Seconds()));
        }

        Assert.Equal(20_000, await session.Query(s_count).ScalarAsync<long>().Within(20.Seconds()));
    }

    [Fact]
    public async Task NpgsqlRefusesACommandInTheMiddleOfACopyToo()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        await using var connection = new NpgsqlConnection(Databases.ForNpgsql(server, await server.DatabaseAsync<CopyEndTests>()));
        await connection.OpenAsync();
        await using var create = new NpgsqlCommand("create temp table copied (i int)", connection);
        await create.ExecuteNonQueryAsync();
        await using var count = new NpgsqlCommand("select count(*) from copied", connection);
        await using (TextWriter copy = await connection.BeginTextImportAsync("copy copied from stdin"))
        {
            await copy.WriteAsync("1\n");
            await Assert.ThrowsAsync<NpgsqlOperationInProgressException>(() => count.ExecuteScalarAsync());
        }

        Assert.Equal(1L, await count.ExecuteScalarAsync());
    }

    [Fact]
    public async Task ASecondCopyInOneTextIsRefused()
    {
        (PgDataSource db, PgSession session) = await OpenAsync(Fixture);
        await using PgSession disposed = session;
        await using (PgCopyIn copy = await session.CopyInAsync("copy copied from stdin; copy copied from stdin"u8.ToArray()))
        {
            await copy.WriteAsync("1\n"u8.ToArray());
            await Assert.ThrowsAsync<InvalidOperationException>(() => copy.CompleteAsync().Within(20.Seconds()));
        }

        Assert.Equal(0, await session.Query(s_count).ScalarAsync<long>().Within(20.Seconds()));
        Assert.Equal(1, db.Opened());
    }

    private static async Task<(PgDataSource Db, PgSession Session)> OpenAsync(PgFixture fixture, int connections = 1)
    {
        PgDataSource db = await TestDatabase.OpenAsync<CopyEndTests>(fixture, options =>
        {
            options.MaxPerReactor = connections;
            options.SharedPerReactor = 1;
        });
        PgSession session = await db.OpenSessionAsync();
        await session.RunScriptAsync("drop table if exists copied; create table copied (i int primary key)");
        return (db, session);
    }

    private static Task WaitForLockAsync(int processId) => WaitForAsync(processId, "wait_event_type = 'Lock'");

    private static async Task WaitForAsync(int processId, string condition)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        await Waits.Eventually(
            () => server.RunSqlAsync($"select count(*) from pg_stat_activity where pid = {processId} and state = 'active' and {condition}").Result == "1",
            20.Seconds());
    }
}
