using System.Text;
using static Ioxide.Pg.Tests.BackendMessages;

namespace Ioxide.Pg.Tests;

/// <summary>
/// A cancel request strikes what the server works on when it comes, which can be another command than the cancelled one. The server is
/// scripted: it says which command was struck, and when it has seen to the request.
/// </summary>
public class StrayCancelTests() : PgTests(TestDatabase.OneReactor)
{
    private static readonly PgStatement s_number = PgStatement.Create("select number"u8);
    private static readonly PgStatement s_call = PgStatement.Create("call number"u8, PgStatementOptions.KeepsSession);

    private static readonly PgStatement s_unknown = PgStatement.Create("select work()"u8);

    private static byte[] Struck => ErrorResponse(PgSqlState.QueryCanceled, "canceling statement due to user request");

    [Fact]
    public async Task OnTheSharedLaneACommandIsRunAgainHoweverOftenItIsStruck()
    {
        var requests = new Requests(2);
        TaskCompletionSource isSentAgain = Waits.Signal();
        await using FakeServer server = requests.Serve(Warm(Script.Welcome())
            .ExpectUntil('S').ExpectUntil('S').ExpectUntil('S')
            .WaitFor(requests.Came(0)).Send(Answer(1), [.. Struck, .. ReadyForQuery()]).Then(requests.End(0))
            .ExpectUntil('S').Then(Set(isSentAgain))
            .WaitFor(requests.Came(1)).Send(Answer(3), [.. Struck, .. ReadyForQuery()]).Then(requests.End(1))
            .ExpectUntil('S').Send(Answer(2)));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection);
        Assert.Equal(0, await db.Query(s_number).ScalarAsync<int>().Within(20.Seconds()));
        using var first = new CancellationTokenSource();
        using var third = new CancellationTokenSource();
        Task<int>[] answers = await Fixture[0].RunAsync(() => (Task<int>[])[Ask(db, first.Token), Ask(db), Ask(db, third.Token)]);
        await first.CancelAsync();
        await isSentAgain.Task.Within(20.Seconds());
        await third.CancelAsync();
        Assert.Equal(2, await answers[1].Within(20.Seconds()));
        await AssertCancelledAsync(answers[0]);
        await AssertCancelledAsync(answers[2]);
    }

    [Fact]
    public async Task OnASessionACommandWithOthersBehindItSaysThatItWasStruck()
    {
        var requests = new Requests(1);
        await using FakeServer server = requests.Serve(Warm(Script.Welcome())
            .ExpectUntil('S').ExpectUntil('S').ExpectUntil('S')
            .WaitFor(requests.Came(0)).Send(Answer(1), [.. Struck, .. ReadyForQuery()], Answer(3)).Then(requests.End(0))
            .ExpectUntil('S').Send(Answer(4)));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection);
        await using PgSession session = await db.OpenSessionAsync();
        Assert.Equal(0, await session.Query(s_number).ScalarAsync<int>().Within(20.Seconds()));
        Task<int>[] answers = await CancelFirstAsync(token => Ask(session, token), () => Ask(session), () => Ask(session));
        PgStrayCancelException error = await Assert.ThrowsAsync<PgStrayCancelException>(() => answers[1].Within(20.Seconds()));
        Assert.Equal((PgSqlState.QueryCanceled, true), (error.SqlState, error.IsTransient));
        Assert.Equal(3, await answers[2].Within(20.Seconds()));
        Assert.Equal(4, await session.Query(s_number).ScalarAsync<int>().Within(20.Seconds()));
    }

    [Theory]
    [InlineData('I', true)]
    [InlineData('E', false)]
    public async Task OnASessionTheLastCommandIsRunAgainOutsideATransactionOnly(char status, bool isRunAgain)
    {
        var requests = new Requests(1);
        await using FakeServer server = requests.Serve(Warm(Script.Welcome())
            .ExpectUntil('S').ExpectUntil('S')
            .WaitFor(requests.Came(0)).Send(Answer(1), [.. Struck, .. ReadyForQuery(status)]).Then(requests.End(0))
            .ExpectUntil('S').Send(Answer(2)));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection);
        PgSession session = await db.OpenSessionAsync();
        Assert.Equal(0, await session.Query(s_number).ScalarAsync<int>().Within(20.Seconds()));
        Task<int>[] answers = await CancelFirstAsync(token => Ask(session, token), () => Ask(session));
        if (isRunAgain)
        {
            Assert.Equal(2, await answers[1].Within(20.Seconds()));
        }
        else
        {
            await Assert.ThrowsAsync<PgStrayCancelException>(() => answers[1].Within(20.Seconds()));
            Assert.True(session.IsInTransaction);
        }
    }

    [Fact]
    public async Task ACommandThatMayHaveCommittedInBetweenIsNotRunAgain()
    {
        var requests = new Requests(1);
        await using FakeServer server = requests.Serve(Warm(Warm(Script.Welcome()))
            .ExpectUntil('S').ExpectUntil('S')
            .WaitFor(requests.Came(0)).Send(Answer(1), [.. Struck, .. ReadyForQuery()]).Then(requests.End(0)));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection);
        Assert.Equal(0, await db.Query(s_number).ScalarAsync<int>().Within(20.Seconds()));
        Assert.Equal(0, await db.Query(s_call).ScalarAsync<int>().Within(20.Seconds()));
        Task<int>[] answers = await CancelFirstAsync(token => Ask(db, token), () => db.Query(s_call).ScalarAsync<int>().AsTask());
        await Assert.ThrowsAsync<PgStrayCancelException>(() => answers[1].Within(20.Seconds()));
    }

    [Fact]
    public async Task OneRequestMayStrikeTwoCommands()
    {
        var requests = new Requests(1);

        // PostgreSQL signals a process and then its group.
        await using FakeServer server = requests.Serve(Warm(Script.Welcome())
            .ExpectUntil('S').ExpectUntil('S')
            .WaitFor(requests.Came(0)).Send([.. Struck, .. ReadyForQuery()], [.. Struck, .. ReadyForQuery()]).Then(requests.End(0))
            .ExpectUntil('S').Send(Answer(2)));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection);
        Assert.Equal(0, await db.Query(s_number).ScalarAsync<int>().Within(20.Seconds()));
        Task<int>[] answers = await CancelFirstAsync(token => Ask(db, token), () => Ask(db));
        Assert.Equal(2, await answers[1].Within(20.Seconds()));
    }

    [Theory]
    [InlineData('I', false)]
    [InlineData('E', true)]
    public async Task AResetThatIsStruckIsRunAgainBeforeTheNextCommandIsSent(char status, bool isInTransaction)
    {
        var requests = new Requests(1);
        TaskCompletionSource<string> again = Waits.Signal<string>();
        byte[] isReset = [.. CommandComplete("COMMIT"), .. ReadyForQuery()];
        await using FakeServer server = requests.Serve(Warm(Script.Welcome())
            .ExpectUntil('Q').Send(isReset)
            .Expect("BES").Expect("Q").WaitFor(requests.Came(0)).Send(Answer(1)).Then(requests.End(0)).Send([.. Struck, .. ReadyForQuery(status)])
            .Then(async session => again.SetResult(Encoding.UTF8.GetString((await session.ReadAsync()).Body))).Send(isReset)
            .ExpectUntil('S').Send(Answer(2)).ExpectUntil('Q').Send(isReset));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection);

        // The server may run a function that changes the session, so that a reset follows it.
        Assert.Equal(0, await db.Query(s_unknown).ScalarAsync<int>().Within(20.Seconds()));
        Task<int>[] answers = await CancelFirstAsync(token => db.Query(s_unknown).ScalarAsync<int>(token).AsTask(), () => db.Query(s_unknown).ScalarAsync<int>().AsTask());
        Assert.StartsWith(isInTransaction ? "ROLLBACK; BEGIN " : "BEGIN ", await again.Task.Within(20.Seconds()), StringComparison.Ordinal);
        Assert.Equal(2, await answers[1].Within(20.Seconds()));
        Assert.Equal(1, db.Opened());
    }

    [Fact]
    public async Task ARequestThatStruckNothingIsForgottenBehindTheCommandsThatItCouldReach()
    {
        var requests = new Requests(1);
        TaskCompletionSource isSeen = Waits.Signal();
        await using FakeServer server = requests.Serve(Warm(Script.Welcome())
            .ExpectUntil('S').ExpectUntil('S')
            .WaitFor(requests.Came(0)).Then(requests.End(0)).WaitFor(isSeen.Task).Send(Answer(1), Answer(2))
            .ExpectUntil('S').Send([.. Struck, .. ReadyForQuery()]));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection);
        Assert.Equal(0, await db.Query(s_number).ScalarAsync<int>().Within(20.Seconds()));
        Task<int>[] answers = await CancelFirstAsync(token => Ask(db, token), () => Ask(db));

        // The end of the request's connection was seen, with both commands in its reach.
        await requests.HasEnded(0).Within(20.Seconds());
        await Waits.Eventually(() => Fixture.Connections == 1, 20.Seconds());
        await Fixture[0].RunAsync(static () => { });
        isSeen.SetResult();
        Assert.Equal(2, await answers[1].Within(20.Seconds()));
        PgException error = await Assert.ThrowsAsync<PgException>(() => Ask(db).Within(20.Seconds()));
        Assert.Equal(PgSqlState.QueryCanceled, error.SqlState);
    }

    [Theory, AllValues]
    public async Task NothingNewIsSentBeforeBothTheCommandAndItsCancelRequestHaveEnded(bool isRequestFirst)
    {
        var requests = new Requests(1);
        TaskCompletionSource goesOn = Waits.Signal();
        Script script = Warm(Script.Welcome()).ExpectUntil('S').WaitFor(requests.Came(0));
        script = isRequestFirst
            ? script.Then(requests.End(0)).WaitFor(goesOn.Task).Send([.. Struck, .. ReadyForQuery()])
            : script.Send([.. Struck, .. ReadyForQuery()]).WaitFor(goesOn.Task).Then(requests.End(0));
        await using FakeServer server = requests.Serve(script.ExpectUntil('S').Send(Answer(2)));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection);
        Assert.Equal(0, await db.Query(s_number).ScalarAsync<int>().Within(20.Seconds()));
        ServerConnection connection = await ConnectionAsync(db);
        await CancelFirstAsync(token => Ask(db, token));
        await requests.Came(0).Within(20.Seconds());
        if (!isRequestFirst)
        {
            await UntilAsync(Fixture, () => connection.Pipeline.Oldest is null);
        }
        else
        {
            await requests.HasEnded(0).Within(20.Seconds());
        }

        Task<int> next = Ask(db);
        Assert.True(await Fixture[0].RunAsync(() => connection.IsCancelling));
        Assert.False(next.IsCompleted);
        goesOn.SetResult();
        Assert.Equal(2, await next.Within(20.Seconds()));
        Assert.Equal(1, db.Opened());
    }

    [Fact]
    public async Task ASessionThatIsDisposedWhileItsCancelIsOnItsWayServesNoOtherBefore()
    {
        var requests = new Requests(1);
        await using FakeServer server = requests.Serve(Warm(Script.Welcome())
            .ExpectUntil('S').WaitFor(requests.Came(0)).Send(Answer(1))
            .ExpectUntil('S').Send(Answer(2)));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection);
        PgSession session = await db.OpenSessionAsync();
        Assert.Equal(0, await session.Query(s_number).ScalarAsync<int>().Within(20.Seconds()));
        await CancelFirstAsync(token => Ask(session, token));
        await requests.Came(0).Within(20.Seconds());
        await UntilAsync(Fixture, () => session.Connection.Pipeline.Oldest is null);
        await session.DisposeAsync();
        Task<PgSession> next = db.OpenSessionAsync().AsTask();
        await Fixture[0].RunAsync(static () => { });
        Assert.True(await Fixture[0].RunAsync(() => session.Connection.IsReturning));
        Assert.False(next.IsCompleted);
        await requests.End(0)(null!);
        await using PgSession other = await next.Within(20.Seconds());
        Assert.Equal(2, await Ask(other).Within(20.Seconds()));
        Assert.Same(session.Connection, other.Connection);
    }

    [Fact]
    public async Task AConnectionWhoseCancelRequestWasLostServesNoLaterCommand()
    {
        var requests = new Requests(1);
        Script served = Warm(Script.Welcome()).ExpectUntil('S').WaitFor(requests.Came(0)).Send(Answer(1));
        await using FakeServer server = requests.Serve(served, Warm(Script.Welcome(), 7));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnectionWith(static options => options.CancelTimeout = 300.Milliseconds()));
        Assert.Equal(0, await db.Query(s_number).ScalarAsync<int>().Within(20.Seconds()));
        await CancelFirstAsync(token => Ask(db, token));

        // The request's own connection never ends, so that its signal may come at any time.
        Assert.Equal(7, await Ask(db).Within(20.Seconds()));
        Assert.Equal(2, db.Opened());
        requests.EndAll();
    }

    /// <summary>The connection serves another by then.</summary>
    [Fact]
    public async Task ASessionThatIsDisposedCancelsNothing()
    {
        TaskCompletionSource isRunning = Waits.Signal();
        TaskCompletionSource goesOn = Waits.Signal();
        await using FakeServer server = FakeServer.Start(index => index > 0 ? new Script().ExpectStartup().End()
            : Warm(Script.Welcome()).ExpectUntil('S').Then(Set(isRunning)).WaitFor(goesOn.Task).Send(Answer(2)));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection);
        PgSession first = await db.OpenSessionAsync();
        Assert.Equal(0, await Ask(first).Within(20.Seconds()));
        await first.DisposeAsync();
        await using PgSession next = await db.OpenSessionAsync();
        Assert.Same(first.Connection, next.Connection);
        Task<int> running = Ask(next);
        await isRunning.Task.Within(20.Seconds());
        await first.CancelAsync().Within(20.Seconds());
        goesOn.SetResult();
        Assert.Equal(2, await running.Within(20.Seconds()));
        Assert.Equal(0, db.Cancels());
    }

    /// <summary>Its cancel waits until the reset of the session before is answered. The next session runs a command in that moment.</summary>
    [Fact]
    public async Task ASessionThatIsDisposedWhileItsCancelWaitsCancelsNothing()
    {
        TaskCompletionSource isResetting = Waits.Signal();
        TaskCompletionSource goesOn = Waits.Signal();
        TaskCompletionSource isOver = Waits.Signal();
        await using FakeServer server = FakeServer.Start(index => index > 0 ? new Script().ExpectStartup().End()
            : Script.Welcome().ExpectUntil('Q').Send(CommandComplete("SET"), ReadyForQuery())
                .ExpectUntil('Q').Then(Set(isResetting)).WaitFor(goesOn.Task).Send(CommandComplete("COMMIT"), ReadyForQuery())
                .ExpectUntil('H').WaitFor(isOver.Task).Send(ParseComplete(), ParameterDescription(), RowDescription(("number", Int4, 0)))
                .ExpectUntil('S').Send(Answer(2)));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection);
        await using (PgSession before = await db.OpenSessionAsync())
        {
            await before.RunScriptAsync("set work_mem = '5MB'").Within(20.Seconds());
        }

        await isResetting.Task.Within(20.Seconds());
        PgSession session = await db.OpenSessionAsync().Within(20.Seconds());
        Task cancelling = session.CancelAsync().AsTask();
        await Fixture[0].RunAsync(static () => { });
        await session.DisposeAsync();
        Task<int> next = Fixture[0].RunAsync(async () =>
        {
            await using PgSession next = await db.OpenSessionAsync();
            return await next.Query(s_number).ScalarAsync<int>();
        });
        await Fixture[0].RunAsync(static () => { });
        goesOn.SetResult();
        await cancelling.Within(20.Seconds());
        isOver.SetResult();
        Assert.Equal(2, await next.Within(20.Seconds()));
        Assert.Equal(0, db.Cancels());
    }

    private static Task<int> Ask(PgDataSource db, CancellationToken token = default) => db.Query(s_number).ScalarAsync<int>(token).AsTask();

    private static Task<int> Ask(PgSession session, CancellationToken token = default) => session.Query(s_number).ScalarAsync<int>(token).AsTask();

    /// <summary>Commands that are sent in one turn of the reactor; the first is cancelled.</summary>
    private async Task<Task<int>[]> CancelFirstAsync(Func<CancellationToken, Task<int>> first, params Func<Task<int>>[] others)
    {
        using var source = new CancellationTokenSource();
        Task<int>[] answers = await Fixture[0].RunAsync(() => (Task<int>[])[first(source.Token), .. others.Select(static other => other())]);
        await source.CancelAsync();
        await AssertCancelledAsync(answers[0]);
        return answers;
    }

    private static async Task AssertCancelledAsync(Task task)
        => await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task.Within(20.Seconds()));

    private static byte[] Answer(int number) => [.. BindComplete(), .. Int4Row(number), .. CommandComplete("SELECT 1"), .. ReadyForQuery()];

    /// <summary>The first use of a statement, which has it described.</summary>
    private static Script Warm(Script script, int number = 0)
        => script.ExpectUntil('H').Send(ParseComplete(), ParameterDescription(), RowDescription(("number", Int4, 0)))
            .ExpectUntil('S').Send(Answer(number));

    private static Func<FakeSession, Task> Set(TaskCompletionSource signal) => _ =>
    {
        signal.SetResult();
        return Task.CompletedTask;
    };

    /// <summary>The only connection; it goes back to the shared lane.</summary>
    private static async Task<ServerConnection> ConnectionAsync(PgDataSource db)
    {
        await using PgSession session = await db.OpenSessionAsync();
        return session.Connection;
    }

    private static Task UntilAsync(PgFixture fixture, Func<bool> condition)
        => Waits.Eventually(() => fixture[0].RunAsync(condition).Result, 20.Seconds());

    /// <summary>Cancel requests, each on a connection of its own, that the test ends.</summary>
    private sealed class Requests(int count)
    {
        private readonly TaskCompletionSource[] _came = [.. Enumerable.Range(0, count).Select(static _ => Waits.Signal())];
        private readonly TaskCompletionSource[] _end = [.. Enumerable.Range(0, count).Select(static _ => Waits.Signal())];
        private int _next = -1;
        private int _served = -1;

        internal Task Came(int index) => _came[index].Task;

        internal Task HasEnded(int index) => _end[index].Task;

        internal Func<FakeSession, Task> End(int index) => _ =>
        {
            _end[index].TrySetResult();
            return Task.CompletedTask;
        };

        internal void EndAll() => Array.ForEach(_end, static end => end.TrySetResult());

        /// <summary>The first connection follows the first script; a cancel request is told by its code, another connection follows the next script.</summary>
        internal FakeServer Serve(params Script[] scripts) => FakeServer.Start(_ => new Script().Then(async session =>
        {
            WireMessage first = await session.ReadUntypedAsync();
            if (!first.Body.AsSpan(0, 4).SequenceEqual<byte>([4, 210, 22, 46]))
            {
                foreach (Func<FakeSession, Task> step in scripts[Interlocked.Increment(ref _served)].Steps.Skip(1))
                {
                    await step(session);
                }

                return;
            }

            int index = Interlocked.Increment(ref _next);
            _came[index].SetResult();
            await _end[index].Task.Within(60.Seconds());
            session.End();
        }));
    }
}
