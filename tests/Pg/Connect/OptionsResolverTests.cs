using System.Net;

namespace Ioxide.Pg.Tests;

/// <summary>What an application left open comes from the environment, then from files, then from defaults; contradictions are refused.</summary>
public class OptionsResolverTests
{
    private readonly FakeEnvironment _environment = new();

    [Fact]
    public void TakesVariablesForWhatIsNotSet()
    {
        Set(("PGHOST", "a,b"), ("PGPORT", "1,2"), ("PGUSER", "u"), ("PGPASSWORD", "p"), ("PGDATABASE", "d"), ("PGAPPNAME", "app"));
        Set(("PGSSLMODE", "verify-ca"), ("PGCHANNELBINDING", "require"), ("PGREQUIREAUTH", "scram-sha-256"), ("PGCONNECT_TIMEOUT", "3"));
        Set(("PGTARGETSESSIONATTRS", "standby"), ("PGLOADBALANCEHOSTS", "random"), ("PGTZ", "UTC"), ("PGOPTIONS", "-c a=b"), ("PGDATESTYLE", "ISO, DMY"));
        PgDataSourceOptions options = new PgDataSourceOptions().Resolve(_environment);
        Assert.Equal("user=u password=p dbname=d host=a:1,b:2 options=-c a=b", ConnectionUriTests.Describe(options));
        Assert.Equal((PgSslMode.VerifyCa, PgChannelBinding.Require, PgAuthentication.ScramSha256), (options.SslMode, options.ChannelBinding, options.RequireAuth));
        Assert.Equal((PgTargetSession.Standby, true, "UTC", "app"), (options.TargetSessionAttributes, options.LoadBalanceHosts, options.TimeZone, options.ApplicationName));
        Assert.Equal(("ISO, DMY", TimeSpan.FromSeconds(3)), (options.RuntimeParameters["datestyle"], options.ConnectTimeout));
    }

    [Fact]
    public void PrefersWhatIsSet()
    {
        Set(("PGHOST", "a"), ("PGPORT", "77"), ("PGUSER", "env"), ("PGPASSWORD", "env"), ("PGSSLMODE", "disable"), ("PGCONNECT_TIMEOUT", "3"));
        PgDataSourceOptions options = PgDataSourceOptions.Parse("host=h user=u password=p sslmode=require connect_timeout=9").Resolve(_environment);
        Assert.Equal("user=u password=p dbname=u host=h:77", ConnectionUriTests.Describe(options));
        Assert.Equal((PgSslMode.Require, TimeSpan.FromSeconds(9)), (options.SslMode, options.ConnectTimeout));
    }

    [Theory]
    [InlineData("", "host=localhost:5432")]
    [InlineData("port=99", "host=localhost:99")]
    [InlineData("hostaddr=10.1.1.1", "host=/10.1.1.1")]
    public void FindsTheLocalServer(string text, string expected)
        => Assert.Contains(expected, ConnectionUriTests.Describe(PgDataSourceOptions.Parse(text).Resolve(_environment)), StringComparison.Ordinal);

    [Fact]
    public void FindsTheSocketFolderAndTheUserOfTheSystem()
    {
        _environment.Directories.Add("/var/run/postgresql");
        PgDataSourceOptions options = new PgDataSourceOptions().Resolve(_environment);
        Assert.Equal("user=osuser dbname=osuser host=/var/run/postgresql:5432", ConnectionUriTests.Describe(options));
    }

    [Fact]
    public void PutsAPortOfItsOwnOnHostsOfTheEnvironment()
    {
        Set(("PGHOST", "a,b"), ("PGPORT", "1,2"));
        Assert.Equal("user=osuser dbname=osuser host=a:9,b:9", ConnectionUriTests.Describe(PgDataSourceOptions.Parse("postgresql://:9").Resolve(_environment)));
    }

    [Theory]
    [InlineData("", "/tmp", PgSslMode.Disable)]
    [InlineData("sslmode=verify-full", "/tmp", PgSslMode.Disable)]
    [InlineData("", "127.0.0.1", PgSslMode.Prefer)]
    [InlineData("", "::1", PgSslMode.Prefer)]
    [InlineData("", "10.0.0.1", PgSslMode.Require)]
    [InlineData("sslrootcert=/root.pem", "10.0.0.1", PgSslMode.VerifyFull)]
    [InlineData("sslmode=disable", "10.0.0.1", PgSslMode.Disable)]
    [InlineData("sslnegotiation=direct", "127.0.0.1", PgSslMode.Require)]
    [InlineData("channel_binding=require", "127.0.0.1", PgSslMode.Require)]
    public async Task ChoosesEncryptionByTheAddress(string text, string host, PgSslMode expected)
    {
        PgDataSourceOptions options = PgDataSourceOptions.Parse($"host={host} user=u {text}").Resolve(_environment);
        ServerEndpoint[] addresses = await new HostResolver().AddressesAsync(options, options.Hosts[0], default);
        Assert.Equal(expected, Assert.Single(addresses).SslModeOf(options));
    }

    [Fact]
    public void KnowsTheRootInTheHomeFolder()
    {
        _environment.Files["/home/osuser/.postgresql/root.crt"] = ("", UnixFileMode.UserRead);
        Assert.Equal("/home/osuser/.postgresql/root.crt", new PgDataSourceOptions().Resolve(_environment).RootCertificate);
    }

    [Theory]
    [InlineData("max_per_reactor=1 min_per_reactor=2", "Lower the first")]
    [InlineData("max_connections=1 min_connections=2", "Lower the first")]
    [InlineData("sslnegotiation=direct sslmode=prefer", "require, verify-ca")]
    [InlineData("channel_binding=require sslmode=disable", "encryption is disabled")]
    [InlineData("channel_binding=require require_auth=md5", "SCRAM-SHA-256 is not allowed")]
    [InlineData("sslkey=/k user=u", "Set both")]
    [InlineData("sslrootcert=system sslmode=require", "verify-full")]
    [InlineData("max_message_bytes=1 user=u", "MaxMessageBytes is 1; the least is 65536")]
    [InlineData("Host=a b=c;User=u", "not both")]
    public void RefusesContradictions(string text, string expected) => Assert.Contains(
        expected, Assert.Throws<ArgumentException>(() => PgDataSourceOptions.Parse(text).Resolve(_environment)).Message, StringComparison.Ordinal);

    [Fact]
    public void RefusesWhatWouldEndTheStartUpMessageEarly()
    {
        Assert.Throws<ArgumentException>(() => new PgDataSourceOptions { Username = "u\0replication" }.Resolve(_environment));
        Assert.Throws<ArgumentException>(() => new PgDataSourceOptions { RuntimeParameters = { ["a"] = "b\0" } }.Resolve(_environment));
        Assert.Throws<ArgumentException>(() => new PgDataSourceOptions { RuntimeParameters = { ["replication"] = "true" } }.Resolve(_environment));
    }

    [Fact]
    public async Task TriesEachAddressOfANameAndShufflesWhereAsked()
    {
        IPAddress[] all = [.. Enumerable.Range(1, 20).Select(i => IPAddress.Parse($"10.0.0.{i}"))];
        var resolver = new HostResolver(_ => [.. all], new Random(1));
        PgDataSourceOptions options = PgDataSourceOptions.Parse("host=name user=u").Resolve(_environment);
        ServerEndpoint[] inOrder = await resolver.AddressesAsync(options, options.Hosts[0], default);
        Assert.Equal(all, inOrder.Select(static server => ((IPEndPoint)server.EndPoint).Address));
        options.LoadBalanceHosts = true;
        ServerEndpoint[] shuffled = await resolver.AddressesAsync(options, options.Hosts[0], default);
        Assert.NotEqual(inOrder, shuffled);
        Assert.Equal(inOrder.ToHashSet(), [.. shuffled]);
        Assert.Equal("name (10.0.0.1:5432)", inOrder[0].ToString());
    }

    [Fact]
    public async Task MakesAbstractSockets()
    {
        PgDataSourceOptions options = PgDataSourceOptions.Parse("host=@x port=7").Resolve(_environment);
        ServerEndpoint server = Assert.Single(await new HostResolver().AddressesAsync(options, options.Hosts[0], default));
        Assert.Equal(("@x/.s.PGSQL.7", true), (server.EndPoint.ToString(), server.IsUnixSocket));
    }

    [Theory]
    [InlineData(PgTargetSession.ReadWrite, "off", "off", true)]
    [InlineData(PgTargetSession.ReadWrite, "on", "off", false)]
    [InlineData(PgTargetSession.ReadWrite, "off", "on", false)]
    [InlineData(PgTargetSession.ReadOnly, "off", "on", true)]
    [InlineData(PgTargetSession.Primary, "on", "off", true)]
    [InlineData(PgTargetSession.Primary, "off", "on", false)]
    [InlineData(PgTargetSession.Standby, "off", "off", false)]
    [InlineData(PgTargetSession.PreferStandby, "off", "on", true)]
    [InlineData(PgTargetSession.PreferStandby, "off", "off", false)]
    [InlineData(PgTargetSession.PreferPrimary, "off", "off", true)]
    [InlineData(PgTargetSession.PreferPrimary, "off", "on", false)]
    public void JudgesServersByWhatTheyReport(PgTargetSession wanted, string readOnly, string standby, bool accepted)
    {
        var parameters = new Dictionary<string, string> { ["default_transaction_read_only"] = readOnly, ["in_hot_standby"] = standby };
        Assert.Equal(accepted ? TargetSessionVerdict.Accept : TargetSessionVerdict.Refuse, TargetSession.Judge(wanted, parameters));
        Assert.Equal(TargetSessionVerdict.Ask, TargetSession.Judge(wanted, new Dictionary<string, string>()));
    }

    private void Set(params (string Name, string Value)[] variables)
    {
        foreach ((string name, string value) in variables)
        {
            _environment.Variables[name] = value;
        }
    }
}
