using System.Data.Common;
using static Ioxide.Pg.Tests.BackendMessages;

namespace Ioxide.Pg.Tests;

/// <summary>Servers that break the protocol: the connection ends, its commands are told, and the next connection serves.</summary>
public class HostileServerTests() : PgTests(TestDatabase.OneReactor)
{
    private static readonly PgStatement s_number = PgStatement.Create("select number"u8);

    private static byte[][] Description => [ParseComplete(), ParameterDescription(), RowDescription(("number", Int4, 0))];

    private static byte[][] Answer => [BindComplete(), Int4Row(42), CommandComplete("SELECT 1"), ReadyForQuery()];

    public static TheoryData<string, byte[]> Breaches => new()
    {
        { "garbage", [.. Enumerable.Range(0, 400).Select(static i => (byte)(i * 37))] },
        { "zeros", new byte[300] },
        { "length below itself", [(byte)'D', 0, 0, 0, 3] },
        { "a length of 2 GiB", [(byte)'D', 0x7f, 0xff, 0xff, 0xff, 0, 1] },
        { "a length of 4 GiB", [(byte)'D', 0xff, 0xff, 0xff, 0xff, 0, 1] },
        { "an unknown type", [(byte)'!', 0, 0, 0, 4] },
        { "a row with more columns than described", [.. BindComplete(), .. DataRow([1, 2, 3, 4], [1, 2, 3, 4])] },
        { "a row without columns", [.. BindComplete(), .. DataRow()] },
        { "a value that is longer than its row", [.. BindComplete(), (byte)'D', 0, 0, 0, 11, 0, 1, 0, 0, 0, 9, 1] },
        { "a value of length -2", [.. BindComplete(), (byte)'D', 0, 0, 0, 10, 0, 1, 0xff, 0xff, 0xff, 0xfe] },
        { "a row with bytes behind its values", [.. BindComplete(), (byte)'D', 0, 0, 0, 15, 0, 1, 0, 0, 0, 4, 0, 0, 0, 1, 9] },
        { "an unknown transaction status", [.. BindComplete(), .. Int4Row(1), .. CommandComplete("SELECT 1"), .. ReadyForQuery('Q')] },
        { "an end without an answer", [.. BindComplete(), .. ReadyForQuery()] },
        { "an answer to nothing", [.. BindComplete(), .. Int4Row(42), .. CommandComplete("SELECT 1"), .. ReadyForQuery(), .. ReadyForQuery()] },
        { "a description of more columns than there can be", [(byte)'T', 0, 0, 0, 6, 0x7f, 0xff] },
        { "a description that is cut", [(byte)'T', 0, 0, 0, 8, 0, 1, (byte)'a', 0] },
        { "an error without an end", [(byte)'E', 0, 0, 0, 8, (byte)'S', (byte)'E', (byte)'R', (byte)'R'] },
        { "copy both", CopyBothResponse(0, 1) },
        { "a portal that stops where none was asked to", [.. BindComplete(), .. Int4Row(1), .. PortalSuspended(), .. ReadyForQuery()] },
    };

    [Theory, MemberData(nameof(Breaches))]
    public async Task ABreachOfTheProtocolEndsTheConnectionAndNothingElse(string breach, byte[] bytes)
    {
        await using FakeServer server = FakeServer.Start(index => index == 0
            ? Script.Welcome().ExpectUntil('H').Send(Description).ExpectUntil('S').Send(bytes).End()
            : Script.Welcome().ExpectUntil('H').Send(Description).ExpectUntil('S').Send(Answer));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection);
        Task<int> answer = db.Query(s_number).ScalarAsync<int>().AsTask();
        if (breach == "an answer to nothing")
        {
            Assert.Equal(42, await answer.Within(20.Seconds()));
        }
        else
        {
            DbException error = await Assert.ThrowsAnyAsync<DbException>(() => answer.Within(20.Seconds()));
            Assert.IsNotType<NullReferenceException>(error.GetBaseException());
        }

        await Waits.Eventually(() => db.Pools[0].OpenCount == 0, 20.Seconds());
        Assert.Equal(42, await db.Query(s_number).ScalarAsync<int>().Within(20.Seconds()));
    }

    public static TheoryData<string, byte[], bool> BatchBreaches
    {
        get
        {
            var breaches = new TheoryData<string, byte[], bool>();
            foreach (bool isAdo in new[] { false, true })
            {
                breaches.Add("an answer too few", ReadyForQuery(), isAdo);
                breaches.Add("an answer too many", [.. Int4Row(2), .. CommandComplete("SELECT 1"), .. CommandComplete("SELECT 1"), .. ReadyForQuery()], isAdo);
                breaches.Add("a row behind the last", [.. Int4Row(2), .. CommandComplete("SELECT 1"), .. Int4Row(3), .. ReadyForQuery()], isAdo);
                breaches.Add("a portal that stops", [.. Int4Row(2), .. PortalSuspended(), .. ReadyForQuery()], isAdo);
            }

            return breaches;
        }
    }

    /// <summary>The first command is answered as it should be, the second is not.</summary>
    [Theory, MemberData(nameof(BatchBreaches))]
    public async Task CommandsThatAreSentTogetherAreAnsweredOneByOne(string breach, byte[] bytes, bool isAdo)
    {
        await using FakeServer server = FakeServer.Start(Script.Welcome().ExpectUntil('H').Send(Description).ExpectUntil('H')
            .Send([BindComplete(), Int4Row(1), CommandComplete("SELECT 1"), .. Description]).ExpectUntil('S').Send(BindComplete(), bytes));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnectionWith(static options => options.LoadTypes = false));
        Exception? error = await (isAdo ? OverAdoAsync() : NativelyAsync()).ErrorWithin(20.Seconds());
        Assert.True(error?.GetBaseException() is PgProtocolException, $"{breach}: {error}");

        Task NativelyAsync()
        {
            PgBatch batch = db.CreateBatch();

            // Not statics: their columns must not be known yet.
            db.Query(PgStatement.Create("select first"u8)).Scalar<int>(batch);
            db.Query(PgStatement.Create("select second"u8)).Scalar<int>(batch);
            return batch.RunAsync().AsTask();
        }

        async Task OverAdoAsync()
        {
            await using DbConnection connection = await db.AsDbDataSource().OpenConnectionAsync();
            await connection.NonQueryAsync("select first; select second");
        }
    }

    [Fact]
    public async Task ACommitWithoutAnAnswerIsNone()
    {
        await using FakeServer server = FakeServer.Start(Script.Welcome().Expect("Q").Send(CommandComplete("BEGIN"), ReadyForQuery('T')).Expect("Q").Send(ReadyForQuery()));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection);
        await using PgSession session = await db.OpenSessionAsync();
        await using PgTransaction transaction = await session.BeginAsync().Within(20.Seconds());
        await Assert.ThrowsAsync<PgProtocolException>(() => transaction.CommitAsync().Within(20.Seconds()));
    }

    [Fact]
    public async Task ARowThatWasNotDescribedIsNotLent()
    {
        await using FakeServer server = FakeServer.Start(Script.Welcome().ExpectUntil('H').Send([.. ParseComplete(), .. Int4Row(42)]));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection);

        // Not a static: its columns must not be known yet.
        await using PgRows rows = await db.Query(PgStatement.Create("select number"u8)).RowsAsync();
        var error = await Assert.ThrowsAnyAsync<PgConnectionException>(
            () => rows.EachAsync(row => Assert.Fail($"There is a row of {row.Count} columns.")));
        Assert.Contains("had not described", error.Message, StringComparison.Ordinal);
    }

    [Theory, Each(3u, 0x7fffffffu, 0xffffffffu)]
    public async Task AnImpossibleLengthIsRefusedWithoutWaitingForItsBytes(uint length)
    {
        byte[] header = [(byte)'D', (byte)(length >> 24), (byte)(length >> 16), (byte)(length >> 8), (byte)length, 0, 1];

        // The server stays, so that only this side can end it.
        await using FakeServer server = FakeServer.Start(
            Script.Welcome().ExpectUntil('H').Send(Description).ExpectUntil('S').Send([.. BindComplete(), .. header]));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection);
        await Assert.ThrowsAnyAsync<DbException>(() => db.Query(s_number).ScalarAsync<int>().Within(20.Seconds()));
    }

    [Fact]
    public async Task NothingIsAllocatedForALengthThatAPeerOnlyClaims()
    {
        await using FakeServer server = FakeServer.Start(
            Script.Welcome().ExpectUntil('H').Send(Description).ExpectUntil('S').Send([.. BindComplete(), (byte)'D', 0x03, 0xff, 0xff, 0xff, 0, 1]).End());
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection);
        long before = GC.GetTotalAllocatedBytes(precise: true);
        await Assert.ThrowsAnyAsync<DbException>(() => db.Query(s_number).ScalarAsync<int>().Within(20.Seconds()));
        Assert.InRange(GC.GetTotalAllocatedBytes(precise: true) - before, 0, 4 * 1024 * 1024);
    }

    [Fact]
    public async Task AnAnswerThatIsCutAtAnyByteIsAnErrorOrWhole()
    {
        int length = Welcome().Concat(Description).Concat(Answer).Sum(static message => message.Length);
        for (int at = 0; at <= length; at++)
        {
            await using FakeServer server = FakeServer.Start(
                Script.Welcome().ExpectUntil('H').Send(Description).ExpectUntil('S').Send(Answer), Delivery.Cut(at, isReset: at % 2 == 1));
            await using PgDataSource db = PgDataSource.Create(
                $"Host=127.0.0.1;Port={server.Port};Username=u;Database=d;SSL Mode=Disable", Fixture.Group);
            Task<int> answer = db.Query(s_number).ScalarAsync<int>().AsTask();
            if (at < length)
            {
                Exception? error = await answer.ErrorWithin(20.Seconds());
                Assert.True(error is PgConnectionException, $"Cut at {at}: {error}");
            }
            else
            {
                Assert.Equal(42, await answer.Within(20.Seconds()));
            }
        }
    }

    [Fact]
    public async Task AnAnswerThatIsSplitAtAnyByteIsReadAsEver()
    {
        int welcome = Welcome().Sum(static message => message.Length);
        int length = welcome + Description.Concat(Answer).Sum(static message => message.Length);
        for (int at = welcome; at < length; at++)
        {
            await using FakeServer server = FakeServer.Start(
                Script.Welcome().ExpectUntil('H').Send(Description).ExpectUntil('S').Send(Answer), Delivery.Split(at));
            await using PgDataSource db = PgDataSource.Create(
                $"Host=127.0.0.1;Port={server.Port};Username=u;Database=d;SSL Mode=Disable", Fixture.Group);
            Assert.Equal(42, await db.Query(s_number).ScalarAsync<int>().Within(20.Seconds()));
        }
    }

    [Fact]
    public async Task NoticesAndSettingsBetweenTheMessagesOfAnAnswerDisturbNobody()
    {
        byte[] between =
        [.. NoticeResponse("00000", "by the way"), .. ParameterStatus("TimeZone", "Europe/Berlin"), .. NotificationResponse(1, "channel", "payload")];
        byte[] rows = [.. BindComplete(), .. Int4Row(1), .. between, .. Int4Row(2), .. between, .. CommandComplete("SELECT 2"), .. between, .. ReadyForQuery()];
        await using FakeServer server = FakeServer.Start(
            Script.Welcome().ExpectUntil('H').Send([.. Description.SelectMany(message => (byte[][])[between, message])])
                .ExpectUntil('S').Send(rows).ExpectUntil('S').Send(rows));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, static options =>
        {
            TestDatabase.OneConnection(options);

            // A setting that changes on a shared connection is put back, which the script does not answer.
            options.ResetOnReturn = false;
        });
        Assert.Equal([1, 2], await db.Query(s_number).ListAsync(static row => row.GetInt32(0)).Within(20.Seconds()));
        var numbers = new List<int>();
        await using PgRows stream = await db.Query(s_number).RowsAsync();
        while (await stream.NextBatchAsync().Within(20.Seconds()))
        {
            foreach (PgRow row in stream.Batch)
            {
                numbers.Add(row.GetInt32(0));
            }
        }

        Assert.Equal([1, 2], numbers);
    }
}
