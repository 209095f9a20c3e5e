using System.Buffers;
using System.IO.Pipelines;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>The start of a session against a real server, over ring connections: every way to sign in, over each kind of transport.</summary>
public class StartupServerTests
{
    private const string Tls = "sslmode=verify-full";
    private const string Clear = "sslmode=disable";

    [Theory]
    [InlineData(PgUsers.Trust, Clear, "trust")]
    [InlineData(PgUsers.Trust, Tls, "trust")]
    [InlineData(PgUsers.Trust, "unix", "trust")]
    [InlineData(PgUsers.Cleartext, Tls, "password")]
    [InlineData(PgUsers.Cleartext, "unix", "password")]
    [InlineData(PgUsers.Md5, Clear, "md5")]
    [InlineData(PgUsers.Md5, "unix", "md5")]
    [InlineData(PgUsers.Scram, Clear, "scram-sha-256")]
    [InlineData(PgUsers.Scram, Tls, "scram-sha-256-plus")]
    [InlineData(PgUsers.Scram, Tls + " channel_binding=require", "scram-sha-256-plus")]
    [InlineData(PgUsers.Scram, Tls + " channel_binding=disable", "scram-sha-256")]
    [InlineData(PgUsers.Scram, "unix", "scram-sha-256")]
    [InlineData(PgUsers.Unicode, Clear, "scram-sha-256")]
    [InlineData(PgUsers.Certificate, Tls, "trust")]
    [InlineData(PgUsers.TlsOnly, "sslmode=prefer", "trust")]
    public async Task SignsIn(string user, string transport, string way)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        await using var fixture = new PgFixture();
        ConnectContext context = Context(server, user, transport);
        await RunAsync(fixture, context, async session =>
        {
            Assert.Equal(way, session.Authentication);
            Assert.Equal(transport == "unix" || transport == Clear, session.Tls is null);
            Assert.StartsWith("15.", session.Parameters["server_version"], StringComparison.Ordinal);
            Assert.Equal("UTF8", session.Parameters["client_encoding"]);
            Assert.Equal(TargetSessionVerdict.Accept, TargetSession.Judge(PgTargetSession.Primary, session.Parameters));
            Assert.Contains(user, await AskAsync(session, "select current_user"), StringComparison.Ordinal);
        });
    }

    [Theory]
    [InlineData(PgUsers.Scram, "sslmode=disable password=wrong", PgSqlState.InvalidPassword)]
    [InlineData(PgUsers.Rejected, "sslmode=require", PgSqlState.InvalidAuthorizationSpecification)]
    [InlineData(PgUsers.TlsOnly, "sslmode=disable", PgSqlState.InvalidAuthorizationSpecification)]
    [InlineData(PgUsers.Trust, "sslmode=disable dbname=missing", PgSqlState.InvalidCatalogName)]
    public async Task TellsTheServersRefusal(string user, string text, string sqlState)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        await using var fixture = new PgFixture();
        ConnectContext context = Context(server, user, text);
        var error = await Assert.ThrowsAsync<PgException>(() => RunAsync(fixture, context, static _ => Task.CompletedTask));
        Assert.Equal(sqlState, error.SqlState);
    }

    [Theory, Each(Clear, Tls)]
    public async Task CancelsACommand(string transport)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        await using var fixture = new PgFixture();
        ConnectContext context = Context(server, PgUsers.Trust, transport);
        await RunAsync(fixture, context, async session =>
        {
            Task<string> asked = AskAsync(session, "select pg_sleep(60)");
            await server.SleepsAsync(session.ProcessId);
            ServerEndpoint address = await AddressAsync(context);
            await using RingConnection connection = await fixture.Group.ConnectAsync(address.EndPoint);
            await CancelMessage.RunAsync(connection, context, address, session.ProcessId, session.SecretKey, session.Tls is not null, static () => true, default)
                .AsTask().Within(20.Seconds());
            Assert.Contains(PgSqlState.QueryCanceled, await asked, StringComparison.Ordinal);
        });
    }

    private static async Task RunAsync(PgFixture fixture, ConnectContext context, Func<StartedSession, Task> use)
    {
        ServerEndpoint address = await AddressAsync(context);
        await using RingConnection connection = await fixture.Group.ConnectAsync(address.EndPoint);
        await using StartedSession session = await Startup.RunAsync(connection, context, address, default).AsTask().Within(20.Seconds());
        await use(session);
    }

    private static async Task<string> AskAsync(StartedSession session, string sql)
    {
        byte[] text = Encoding.UTF8.GetBytes(sql);
        await session.Output.WriteAsync((byte[])[(byte)'Q', .. ScriptedPeer.Int32(text.Length + 5), .. text, 0]);
        var answer = new StringBuilder();
        byte[] ready = ScriptedPeer.Message('Z', [(byte)'I']);
        while (true)
        {
            ReadResult result = await session.Input.ReadAsync().AsTask().Within(20.Seconds());
            byte[] bytes = result.Buffer.ToArray();
            session.Input.AdvanceTo(result.Buffer.End);
            answer.Append(Encoding.Latin1.GetString(bytes));
            if (result.IsCompleted || bytes.AsSpan().EndsWith(ready))
            {
                return answer.ToString();
            }
        }
    }

    private static async Task<ServerEndpoint> AddressAsync(ConnectContext context)
        => (await context.Hosts.AddressesAsync(context.Options, context.Options.Hosts[0], default))[0];

    private static ConnectContext Context(PostgresServer server, string user, string transport)
    {
        bool isUnix = transport == "unix";
        PgDataSourceOptions options = PgDataSourceOptions.Parse(isUnix ? "" : "dbname=postgres host=127.0.0.1 " + transport);
        options.Username = user;
        options.Database ??= "postgres";
        options.Password ??= user == PgUsers.Unicode ? PgUsers.UnicodePassword : PgUsers.Password;
        options.Hosts.Clear();
        options.Hosts.Add(new PgHost(isUnix ? server.SocketFolder : "127.0.0.1", server.Port));
        options.RootCertificate = server.Certificates.CaFile;
        if (user == PgUsers.Certificate)
        {
            options.ClientCertificate = server.Certificates.ClientFile;
            options.ClientKey = server.Certificates.ClientKeyFile;
        }

        return new ConnectContext(options.Resolve(new FakeEnvironment()));
    }
}
