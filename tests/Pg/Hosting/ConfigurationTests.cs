using System.Reflection;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ioxide.Pg.Tests;

/// <summary>
/// <c>AddIoxidePg</c> in a real host reads the section <c>Ioxide:Pg</c> and the connection strings of the configuration, and says at the start which
/// key is unknown and which value cannot be used.
/// </summary>
public class ConfigurationTests
{
    [Fact]
    public async Task TheSectionAloneConnects()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        await using TestHost host = await TestHost.StartAsync(
            static services => services.AddIoxidePg(),
            ("Ioxide:Pg:Host", $"{server.EndPoint.Address}:{server.Port}"),
            ("Ioxide:Pg:Username", PgUsers.Trust),
            ("Ioxide:Pg:Database", "postgres"),
            ("Ioxide:Pg:PipelineDepth", "3"),
            ("Ioxide:Pg:CommandTimeout", "00:00:07"),
            ("Ioxide:Pg:ConnectTimeout", "8"),
            ("Ioxide:Pg:RuntimeParameters:work_mem", "5MB"));

        Assert.Equal((3, 7.Seconds(), 8.Seconds()), (host.Db.Options.PipelineDepth, host.Db.Options.CommandTimeout, host.Db.Options.ConnectTimeout));
        await using PgSession session = await host.Db.OpenSessionAsync().AsTask().Within(20.Seconds());
        Assert.Equal("5MB", await session.Query(PgStatement.Create("show work_mem"u8)).ScalarAsync<string>().AsTask().Within(20.Seconds()));
        Assert.Equal(0, host.Log.Count("UnknownKey"));
    }

    [Fact]
    public async Task AnArrayIsAListOfHosts()
    {
        await using TestHost host = await TestHost.StartAsync(
            static services => services.AddIoxidePg(), ("Ioxide:Pg:Host:0", "one:1"), ("Ioxide:Pg:Host:1", "two:2"));
        Assert.Equal(["one:1", "two:2"], host.Db.Options.Hosts.Select(static host => host.ToString()));
    }

    [Fact]
    public async Task AContainerThatIsDisposedWithoutAwaitClosesTheDataSource()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        PgDataSource db;
        using (ServiceProvider services = new ServiceCollection()
            .AddIoxidePg($"Host={server.EndPoint.Address};Port={server.Port};Username={PgUsers.Trust};Database=postgres").BuildServiceProvider())
        {
            db = services.GetRequiredService<PgDataSource>();
            Assert.Equal(1, await db.Query(PgStatement.Create("select 1"u8)).ScalarAsync<int>().Within(20.Seconds()));
        }

        Assert.All(db.Group.Reactors, static reactor => Assert.True(reactor.HasEnded));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => db.OpenSessionAsync().Within(20.Seconds()));
    }

    [Fact]
    public async Task ANameIsAConnectionStringOfTheConfiguration()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        await using TestHost host = await TestHost.StartAsync(
            static services => services.AddIoxidePg("shop"),
            ("ConnectionStrings:shop", $"Host={server.EndPoint.Address};Port={server.Port};Username={PgUsers.Trust};Database=postgres"));

        Assert.Equal(1, await host.Db.Query(PgStatement.Create("select 1"u8)).ScalarAsync<int>().AsTask().Within(20.Seconds()));
    }

    [Fact]
    public async Task CodeWinsOverTheConnectionStringAndThatOverTheSection()
    {
        await using TestHost host = await TestHost.StartAsync(
            static services => services.AddIoxidePg("Host=127.0.0.1;Port=1;Pipeline Depth=4;Queue Limit=5", static options => options.QueueLimit = 6),
            ("Ioxide:Pg:PipelineDepth", "2"),
            ("Ioxide:Pg:QueueLimit", "2"),
            ("Ioxide:Pg:MaxPerReactor", "2"));

        Assert.Equal((4, 6, 2), (host.Db.Options.PipelineDepth, host.Db.Options.QueueLimit, host.Db.Options.MaxPerReactor));
    }

    [Theory]
    [InlineData("PipelineDept", "PipelineDepth")]
    [InlineData("maxperreactors", "MaxPerReactor")]
    public async Task AnUnknownKeyIsAWarningWithTheNearestOption(string key, string nearest)
    {
        await using TestHost host = await TestHost.StartAsync(
            static services => services.AddIoxidePg("Host=127.0.0.1;Port=1"), ($"Ioxide:Pg:{key}", "secret"));

        Assert.Equal(1, host.Log.Count("UnknownKey"));
        Assert.Contains(
            $"The configuration key Ioxide:Pg:{key} has no effect: Ioxide.Pg has no option of that name. Did you mean Ioxide:Pg:{nearest}?", host.Log.Texts);
    }

    [Theory]
    [InlineData("Ioxide:Pg:PipelineDepth", "secret", "The value of \"Ioxide:Pg:PipelineDepth\" is not a number from 1.")]
    [InlineData("Ioxide:Pg:SslMode", "secret", "The value of \"Ioxide:Pg:SslMode\" is not disable, prefer, require, verify-ca or verify-full.")]
    [InlineData("Ioxide:Pg:CommandTimeout", "0:secret", "The value of \"Ioxide:Pg:CommandTimeout\" is not a number from 0, or a time such as 00:00:05.")]
    [InlineData("Ioxide:Pg:MinConnections", "200", "MinConnections is 200 and MaxConnections is 100. Lower the first.")]
    [InlineData(
        "ConnectionStrings:shop", "Host=a;Usrname=secret",
        "ConnectionStrings:shop: The connection string has the unknown keyword \"Usrname\". The nearest known one is \"Username\".")]
    [InlineData("ConnectionStrings:shops", "Host=a", "The configuration has no key ConnectionStrings:shop. Did you mean ConnectionStrings:shops?")]
    [InlineData("Colour", "red", "The configuration has no key ConnectionStrings:shop. Add it, or pass a connection string instead of its name.")]
    public async Task AValueThatCannotBeUsedStopsTheStartWithOneLine(string key, string value, string message)
    {
        ArgumentException exception = await Assert.ThrowsAnyAsync<ArgumentException>(() => TestHost.StartAsync(
            static services => services.AddIoxidePg("shop"),
            ("ConnectionStrings:" + (key.StartsWith("Ioxide", StringComparison.Ordinal) ? "shop" : "none"), "Max Connections=100"),
            (key, value)).Within(20.Seconds()));

        Assert.Equal(message, exception.Message);
        Assert.Equal(message, exception.ToString());
    }

    /// <summary>What code can set, configuration can: all but hosts (<c>Host</c>), delegates and the table of parameters, which has its own test.</summary>
    [Fact]
    public void EveryOptionHasItsKey()
    {
        string[] exceptions =
        [
            nameof(PgDataSourceOptions.Hosts), nameof(PgDataSourceOptions.PasswordProvider), nameof(PgDataSourceOptions.TokenProvider),
            nameof(PgDataSourceOptions.RuntimeParameters),
        ];
        Assert.All(
            typeof(PgDataSourceOptions).GetProperties(BindingFlags.Public | BindingFlags.Instance).Select(static option => option.Name).Except(exceptions),
            static name => Assert.NotNull(OptionTable.TryFind(name)));
    }

    private sealed class TestHost(IHost host, EventLog log) : IAsyncDisposable
    {
        private readonly IHost _host = host;

        internal PgDataSource Db => _host.Services.GetRequiredService<PgDataSource>();

        internal EventLog Log => log;

        internal static async Task<TestHost> StartAsync(Action<IServiceCollection> add, params (string Key, string Value)[] configuration)
        {
            var log = new EventLog();
            HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
            builder.Configuration.AddInMemoryCollection(configuration.Select(static pair => KeyValuePair.Create(pair.Key, (string?)pair.Value)));
            builder.Services.AddSingleton<ILoggerFactory>(log);
            add(builder.Services);
            var started = new TestHost(builder.Build(), log);
            try
            {
                await started.StartAsync();
                return started;
            }
            catch
            {
                await ((IAsyncDisposable)started._host).DisposeAsync();
                throw;
            }
        }

        public async ValueTask DisposeAsync()
        {
            await _host.StopAsync().Within(20.Seconds());
            await ((IAsyncDisposable)_host).DisposeAsync();
            log.Dispose();
        }

        private Task StartAsync() => _host.StartAsync().Within(20.Seconds());
    }
}
