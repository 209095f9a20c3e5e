using static Ioxide.Pg.Tests.BackendMessages;

namespace Ioxide.Pg.Tests;

/// <summary>A server that does not answer the reset of a session: closing does not wait for it, because the session ends anyway.</summary>
public class UnansweredResetTests() : PgTests(TestDatabase.OneReactor)
{
    [Fact]
    public async Task ClosingTheDataSourceDoesNotWaitForIt()
    {
        await using FakeServer server = FakeServer.Start(Script.Welcome().Expect("Q"));
        PgDataSource db = await LeaveAsync(Fixture, server);
        await db.CloseAsync().Within(60.Seconds());
        await server.AssertScriptsEndedAsync();
    }

    [Fact]
    public async Task ACommandBehindItIsWaitedFor()
    {
        TaskCompletionSource answer = Waits.Signal();
        await using FakeServer server = FakeServer.Start(Script.Welcome().Expect("Q").ExpectUntil('H').WaitFor(answer.Task)
            .Send([.. CommandComplete("BEGIN"), .. ReadyForQuery(), .. ParseComplete(), .. ParameterDescription(), .. RowDescription(("number", Int4, 0))])
            .ExpectUntil('S').Send([.. BindComplete(), .. Int4Row(42), .. CommandComplete("SELECT 1"), .. ReadyForQuery()]));
        PgDataSource db = await LeaveAsync(Fixture, server);
        Task<int> running = db.Query(PgStatement.Create("select number"u8)).ScalarAsync<int>().AsTask();
        await Waits.Eventually(() => server.Sessions[0].Received.Any(static message => message.Type == 'H'), 60.Seconds());
        Task closing = db.CloseAsync();
        answer.SetResult();
        Assert.Equal(42, await running.Within(60.Seconds()));
        await closing.Within(60.Seconds());
        await server.AssertScriptsEndedAsync();
    }

    /// <summary>A data source whose one connection has sent a reset.</summary>
    private static async Task<PgDataSource> LeaveAsync(PgFixture fixture, FakeServer server)
    {
        PgDataSource db = TestDatabase.Open(fixture, server.Port, TestDatabase.OneConnectionWith(static options => options.CommandTimeout = TimeSpan.Zero));
        await using (PgSession session = await db.OpenSessionAsync().Within(60.Seconds()))
        {
            session.MarkDirty();
        }

        await Waits.Eventually(() => server.Sessions[0].Received.Any(static message => message.Type == 'Q'), 60.Seconds());
        return db;
    }
}
