using System.Net;
using System.Net.Sockets;

namespace Ioxide.Pg.Tests;

/// <summary>Warming up is an attempt to connect like any other: it keeps to the rate of attempts, and its outcome counts.</summary>
public class WarmUpTests
{
    private static readonly PgStatement s_one = PgStatement.Create("select 1"u8);

    [Fact]
    public async Task AServerThatIsDownIsNotAskedBeforeItsTime()
    {
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        using var reserved = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        PgDataSource db = OpenDown(fixture, reserved);
        await Assert.ThrowsAsync<PgConnectionException>(() => db.Query(s_one).ScalarAsync<int>().Within(60.Seconds()));
        await Assert.ThrowsAsync<PgConnectionException>(() => db.WarmUpAsync().Within(60.Seconds()));
        Assert.Equal(1, db.Pools[0].Counters.ConnectFailures);
    }

    [Fact]
    public async Task ItsFailureCounts()
    {
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        using var reserved = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        PgDataSource db = OpenDown(fixture, reserved);
        await Assert.ThrowsAsync<PgConnectionException>(() => db.WarmUpAsync().Within(60.Seconds()));
        await Assert.ThrowsAsync<PgConnectionException>(() => db.Query(s_one).ScalarAsync<int>().Within(60.Seconds()));
        Assert.Equal(1, db.Pools[0].Counters.ConnectFailures);
    }

    [Fact]
    public async Task ClosingEndsItsWait()
    {
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        using Socket silent = RawSocket.Listen(8);
        PgDataSource db = TestDatabase.Open(fixture, ((IPEndPoint)silent.LocalEndPoint!).Port, static options =>
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
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        await using FakeServer server = FakeServer.Start(static index => index == 0
            ? new Script().ExpectStartup().Send(BackendMessages.ErrorResponse("53300", "too many clients", "FATAL")).End()
            : Script.Welcome());
        PgDataSource db = TestDatabase.Open(fixture, server.Port, static options => options.MinPerReactor = 1);
        await Assert.ThrowsAsync<PgException>(() => db.WarmUpAsync().Within(60.Seconds()));
        await Waits.Eventually(() => db.Pools[0].OpenCount == 1, 60.Seconds());
        await db.WarmUpAsync().Within(60.Seconds());
        Assert.Equal(1, db.Pools[0].Counters.ConnectFailures);
    }

    private static PgDataSource OpenDown(PgFixture fixture, Socket reserved)
    {
        reserved.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return TestDatabase.Open(fixture, ((IPEndPoint)reserved.LocalEndPoint!).Port, static options =>
        {
            options.MinPerReactor = 1;
            options.ReconnectDelay = 600.Seconds();
        });
    }
}
