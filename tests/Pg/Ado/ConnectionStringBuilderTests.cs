using Ioxide.Pg.Data;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>The builder of connection strings: typed, checked, and the same there and back.</summary>
public class ConnectionStringBuilderTests
{
    [Fact]
    public void PropertiesAreKeywords()
    {
        var builder = new PgDbConnectionStringBuilder
        {
            Host = "db1,db2",
            Port = 5433,
            Database = "shop",
            Username = "app",
            Password = "a;b'c\"d",
            SslMode = PgSslMode.VerifyFull,
            Timeout = 3,
            CommandTimeout = 0,
            MinPoolSize = 1,
            MaxPoolSize = 20,
            Enlist = false,
            Pooler = PgPooler.Transaction,
            NoResetOnClose = true,
            TargetSessionAttributes = PgTargetSession.ReadWrite,
        };
        var again = new PgDbConnectionStringBuilder(builder.ConnectionString);
        Assert.Equal(builder.ConnectionString, again.ConnectionString);
        Assert.Equal(
            ("db1,db2", 5433, "shop", "app", "a;b'c\"d", PgSslMode.VerifyFull), (again.Host, again.Port, again.Database, again.Username, again.Password, again.SslMode));
        Assert.Equal((3, 0, 1, 20, false, true), (again.Timeout, again.CommandTimeout, again.MinPoolSize, again.MaxPoolSize, again.Enlist, again.NoResetOnClose));
        PgDataSourceOptions options = again.ToOptions();
        Assert.Equal([new PgHost("db1", 5433), new PgHost("db2", 5433)], options.Hosts);
        Assert.Equal((PgPooler.Transaction, PgTargetSession.ReadWrite), (options.Pooler, options.TargetSessionAttributes));
        Assert.Equal("a;b'c\"d", PgDataSourceOptions.Parse(builder.ConnectionString).Password);
    }

    [Theory, Each(
        "Server=a;UID=u;PWD=p;DB=d;Maximum Pool Size=3;connect_timeout=4",
        "Host=a;Port=5433;Username=u;Password=p;Database=d;Minimum Pool Size=2;Command Timeout=9")]
    public void NpgsqlReadsTheSame(string text)
    {
        var ours = new PgDbConnectionStringBuilder(text);
        var theirs = new NpgsqlConnectionStringBuilder(text.Replace("connect_timeout", "Timeout", StringComparison.Ordinal));
        Assert.Equal(
            (theirs.Host, theirs.Port, theirs.Username, theirs.Password, theirs.Database),
            (ours.Host, ours.Port, ours.Username, ours.Password, ours.Database));
        Assert.Equal(
            (theirs.MinPoolSize, theirs.MaxPoolSize, theirs.Timeout, theirs.CommandTimeout, theirs.Enlist),
            (ours.MinPoolSize, ours.MaxPoolSize, ours.Timeout, ours.CommandTimeout, ours.Enlist));
        Assert.Equal(("a", true), (ours["server"], ours.ContainsKey("Data_Base")));
        Assert.True(ours.Remove("dbname"));
        Assert.False(ours.TryGetValue("Database", out _));
        Assert.Null(ours.Database);
    }

    [Theory]
    [InlineData("Pasword", "x", "\"Password\"")]
    [InlineData("Port", "70000", "65,535")]
    [InlineData("Command Timeout", "soon", "a number")]
    [InlineData("SSL Mode", "maybe", "verify-full")]
    [InlineData("Enlist", "perhaps", "true or false")]
    [InlineData("Pooling", "perhaps", "true or false")]
    public void AWrongKeywordOrValueIsNamedAndLeavesTheBuilderAsItWas(string keyword, string value, string expected)
    {
        var builder = new PgDbConnectionStringBuilder("Host=a");
        Assert.Contains(expected, Assert.Throws<ArgumentException>(() => builder[keyword] = value).Message, StringComparison.Ordinal);
        Assert.Equal("Host=a", builder.ConnectionString);
        Assert.Contains(expected, Assert.Throws<ArgumentException>(() => builder.ConnectionString = $"Host=b;{keyword}={value}").Message, StringComparison.Ordinal);
        Assert.Equal("Host=a", builder.ConnectionString);
    }

    [Theory, Each(
        "postgresql://app:p%40ss@db1:5433,db2:5434/shop?target_session_attrs=read-write&sslmode=verify-full",
        "host=/tmp,a port=5433,5434 user='the app' password='a b;c' require_auth=scram-sha-256,none tcp_user_timeout=1500",
        "host=a hostaddr=127.0.0.1 keepalives=0 max_per_reactor=3 pipeline_depth=2 options='-c geqo=off'")]
    public void OptionsOfEveryFormComeBack(string text)
    {
        PgDataSourceOptions options = PgDataSourceOptions.Parse(text);
        var builder = PgDbConnectionStringBuilder.Of(options);
        PgDataSourceOptions again = PgDataSourceOptions.Parse(builder.ConnectionString);
        Assert.Equal(options.Hosts, again.Hosts);
        Assert.Equal((options.Username, options.Password, options.Database, options.Options), (again.Username, again.Password, again.Database, again.Options));
        Assert.Equal((options.RequireAuth, options.KeepAlive, options.TcpUserTimeout), (again.RequireAuth, again.KeepAlive, again.TcpUserTimeout));
        Assert.Equal(builder.ConnectionString, PgDbConnectionStringBuilder.Of(again).ConnectionString);
    }

    [Fact]
    public void EverySecretIsRemoved()
    {
        var builder = new PgDbConnectionStringBuilder("Host=a;PWD=p;Client Key Password=q;Passfile=f");
        Assert.True(builder.RemoveSecrets());
        Assert.Equal("Host=a;Passfile=f", builder.ConnectionString);
        Assert.False(builder.RemoveSecrets());
    }

    [Fact]
    public void NothingIsAnEmptyString()
    {
        Assert.Equal("", new PgDbConnectionStringBuilder().ConnectionString);
        Assert.Equal("", new PgDbConnectionStringBuilder { ConnectionString = null }.ConnectionString);
        Assert.Equal("", PgDbConnectionStringBuilder.Of(new PgDataSourceOptions()).ConnectionString);
    }
}
