using System.Net;
using System.Net.Sockets;

namespace Ioxide.Pg.Tests;

/// <summary>Warming up is an attempt to connect like any other: it keeps to the rate of attempts, and its outcome counts.</summary>
public class WarmUpTests() : PgTests(TestDatabase.OneReactor)
{
    private static readonly PgStatement s_one = PgStatement.Create("select 1"u8);

    [Theory, AllValues]
    public async Task AServerThatIsDownIsAskedOnceHoweverTheFirstAttemptCameAbout(bool isWarmUpFirst)
    {
        using Socket nobody = RawSocket.Reserve();
        PgDataSource db = TestDatabase.Open(Fixture, ((IPEndPoint)nobody.LocalEndPoint!).Port, static options =>
        {
            options.MinPerReactor = 1;
            options.ReconnectDelay = 600.Seconds();
        });
        Func<Task>[] attempts = [() => db.WarmUpAsync(), () => db.Query(s_one).ScalarAsync<int>().AsTask()];
        foreach (Func<Task> attempt in isWarmUpFirst ? attempts : attempts.Reverse())
        {
            await Assert.ThrowsAsync<PgConnectionException>(() => attempt().Within(60.Seconds()));
        }

        Assert.Equal(1, db.Pools[0].Counters.ConnectFailures);
    }

    [Fact]
    public async Task ClosingEndsItsWait()
    {
        using Socket silent = RawSocket.Listen(8);
        PgDataSource db = TestDatabase.Open(Fixture, ((IPEndPoint)silent.LocalEndPoint!).Port, static options =>
        {
            options.MinPerReactor = 1;
            options.ConnectTimeout = 600.Seconds();
        });
        Task warming = db.WarmUpAsync();
        await db.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => warming.Within(60.Seconds()));
    }

    [Fact]
    public async Task TheMinimumIsOpenedOnceTheServerTakesConnections()
    {
        await using FakeServer server = FakeServer.Start(static index => index == 0
            ? new Script().ExpectStartup().Send(BackendMessages.ErrorResponse("53300", "too many clients", "FATAL")).End()
            : Script.Welcome());
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, static options => options.MinPerReactor = 1);
        await Assert.ThrowsAsync<PgException>(() => db.WarmUpAsync().Within(60.Seconds()));
        await Waits.Eventually(() => db.Pools[0].OpenCount == 1, 60.Seconds());
        await db.WarmUpAsync().Within(60.Seconds());
        Assert.Equal(1, db.Pools[0].Counters.ConnectFailures);
    }
}
