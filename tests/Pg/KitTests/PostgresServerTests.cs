using System.Net.Sockets;

namespace Ioxide.Pg.Tests;

/// <summary>The throw-away server starts, answers, lets users in as they should be, dies, comes back and leaves nothing.</summary>
public class PostgresServerTests
{
    [Fact]
    public async Task AnswersPsqlInUtf8AndTellsErrors()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        Assert.Equal("1|ä|\n2||x", await server.RunSqlAsync("select 1, 'ä', null; select 2, '', 'x'"));
        Assert.Equal("UTF8|C|UTC|off", await server.RunSqlAsync(
            "select current_setting('server_encoding'), current_setting('lc_collate'), current_setting('timezone'), current_setting('fsync')"));
        ToolFailedException failure = await Assert.ThrowsAsync<ToolFailedException>(() => server.RunSqlAsync("select 1/0"));
        Assert.Contains("22012", failure.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task GivesEachClassItsDatabaseOnce()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync<PostgresServerTests>();
        Assert.Equal(database, await server.DatabaseAsync<PostgresServerTests>());
        Assert.Equal(database, await server.RunSqlAsync("create temp table t(a int); select current_database()", database, PgUsers.Trust));
        Assert.SkipUnless(server.HasHstore, "The server has no hstore.");
        Assert.Equal("1", await server.RunSqlAsync("select 'a=>1'::hstore -> 'a'", database, PgUsers.Trust));
    }

    [Theory]
    [InlineData(PgUsers.Trust, null, "disable", true)]
    [InlineData(PgUsers.Cleartext, PgUsers.Password, "disable", true)]
    [InlineData(PgUsers.Cleartext, "wrong", "disable", false)]
    [InlineData(PgUsers.Md5, PgUsers.Password, "disable", true)]
    [InlineData(PgUsers.Md5, "wrong", "disable", false)]
    [InlineData(PgUsers.Scram, PgUsers.Password, "verify-full", true)]
    [InlineData(PgUsers.Scram, "wrong", "disable", false)]
    [InlineData(PgUsers.Unicode, PgUsers.UnicodePassword, "disable", true)]
    [InlineData(PgUsers.Unicode, "p IXä", "disable", true)]
    [InlineData(PgUsers.Certificate, null, "verify-full", true)]
    [InlineData(PgUsers.Certificate, null, "disable", false)]
    [InlineData(PgUsers.TlsOnly, null, "require", true)]
    [InlineData(PgUsers.TlsOnly, null, "disable", false)]
    [InlineData(PgUsers.PlainOnly, null, "require", false)]
    [InlineData(PgUsers.Rejected, null, "disable", false)]
    public async Task LetsUsersInByTheirMethod(string user, string? password, string sslMode, bool isIn)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string passwordPart = password is null ? "" : $" password='{password.Replace("'", @"\'", StringComparison.Ordinal)}'";
        string certificates = user == PgUsers.Certificate
            ? $" sslcert={server.Certificates.ClientFile} sslkey={server.Certificates.ClientKeyFile}"
            : "";
        Task<string> answer = Tool.RunAsync(
        [
            ServerBinaries.Installed!["psql"], "-X", "-w", "-A", "-t",
            "-c", "select current_user, ssl from pg_stat_ssl where pid = pg_backend_pid()",
            $"host=localhost hostaddr=127.0.0.1 port={server.Port} dbname=postgres user={user} "
                + $"sslmode={sslMode} sslrootcert={server.Certificates.CaFile}{passwordPart}{certificates}",
        ]);
        if (isIn)
        {
            Assert.Equal($"{user}|{(sslMode == "disable" ? 'f' : 't')}\n", await answer);
        }
        else
        {
            await Assert.ThrowsAsync<ToolFailedException>(() => answer);
        }
    }

    [Fact]
    public async Task ListensOnBothFamiliesAndTheUnixSocket()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        using (await RawSession.ConnectAsync(server.EndPoint))
        using (await RawSession.ConnectAsync(server.UnixEndPoint))
        {
            // Data sources of other tests may be there too, for a moment.
            Assert.True((await server.BackendsAsync("postgres")).Length >= 2);
        }

        Assert.SkipUnless(Socket.OSSupportsIPv6, "This host has no IPv6.");
        using RawSession session = await RawSession.ConnectAsync(new System.Net.IPEndPoint(System.Net.IPAddress.IPv6Loopback, server.Port));
    }

    [Theory, AllValues]
    public async Task RestartsOnItsPortAndKeepsItsData(bool isImmediate)
    {
        await using PostgresServer server = await PostgresServer.StartAsync(new PostgresServerOptions { MaxConnections = 11 });
        int port = server.Port;
        Assert.Equal("11", await server.RunSqlAsync("create table t(a int); show max_connections"));
        using (RawSession session = await RawSession.ConnectAsync(server.EndPoint))
        {
            await server.StopAsync(isImmediate ? StopMode.Immediate : StopMode.Fast);
            WireMessage? last = await session.ReadAsync();

            // After an immediate stop there is mostly a warning and sometimes nothing.
            if (!isImmediate || last is not null)
            {
                Assert.Contains("57P01", last!.Text, StringComparison.Ordinal);
                Assert.Equal(isImmediate ? 'N' : 'E', last.Type);
            }
        }

        await Assert.ThrowsAsync<SocketException>(() => RawSocket.ConnectAsync(server.EndPoint));
        await server.StartAgainAsync();
        Assert.Equal(port, server.Port);
        Assert.Equal("0", await server.RunSqlAsync("select count(*) from t"));
    }

    [Fact]
    public async Task AKilledBackendEndsTheOthersAndAFrozenOneIsSilent()
    {
        await using PostgresServer server = await PostgresServer.StartAsync();
        using (RawSession frozen = await RawSession.ConnectAsync(server.EndPoint))
        {
            int backend = Assert.Single(await server.BackendsAsync());
            server.FreezeBackend(backend);
            Task<IReadOnlyList<WireMessage>> answer = frozen.AskAsync(FrontendMessages.Query("select 1"));
            await Assert.ThrowsAsync<TimeoutException>(() => answer.Within(100.Milliseconds()));
            server.ThawBackend(backend);
            Assert.Equal('Z', (await answer)[^1].Type);

            using RawSession other = await RawSession.ConnectAsync(server.EndPoint);
            server.KillBackend(backend);
            Assert.Null(await frozen.ReadAsync());

            // The others warn their clients, if they get to it before the server kills them.
            Assert.Contains("57P02", (await other.ReadAsync())?.Text ?? "57P02", StringComparison.Ordinal);
        }

        Assert.ThrowsAny<Exception>(() => server.KillBackend(Environment.ProcessId));
    }

    [Fact]
    public async Task LeavesNothingBehind()
    {
        LeakCheck descriptors = LeakCheck.Start();
        PostgresServer server = await PostgresServer.StartAsync();
        int process = server.ProcessId;
        Assert.True(Directory.Exists($"/proc/{process}"));
        await server.DisposeAsync();
        await server.DisposeAsync();
        Assert.False(Directory.Exists($"/proc/{process}"));
        Assert.False(Directory.Exists(server.SocketFolder));
        await descriptors.AssertNoneLeftAsync(20.Seconds());
    }
}
