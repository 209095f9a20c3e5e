using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>Keyword strings of libpq and of Npgsql are told apart and read as each of them reads them.</summary>
public class ConnectionKeywordTests
{
    [Theory]
    [InlineData("host=a port=5433 dbname='x y'", "dbname=x y host=a:5433")]
    [InlineData("host=localhost port=5432 dbname=mydb connect_timeout=10", "dbname=mydb host=localhost:5432")]
    [InlineData("  user = me   password = 'it\\'s \\\\'  ", "user=me password=it's \\")]
    [InlineData("user=me password=a\\ b;c", "user=me password=a b;c")]
    [InlineData("host=a,b,c port=1,2,3", "host=a:1,b:2,c:3")]
    [InlineData("host=a,b port=7", "host=a:7,b:7")]
    [InlineData("host=a,b hostaddr=10.0.0.1,10.0.0.2", "host=a/10.0.0.1,b/10.0.0.2")]
    [InlineData("host='' user=u", "user=u")]
    [InlineData("host=/tmp dbname=''", "host=/tmp")]
    [InlineData("host=@name user=u", "user=u host=@name")]
    [InlineData("", "")]
    [InlineData("host=a host=b user=u", "user=u host=b")]
    public void ReadsLibpqKeywords(string text, string expected)
        => Assert.Equal(expected, ConnectionUriTests.Describe(PgDataSourceOptions.Parse(text)));

    [Theory]
    [InlineData("Host=a;Port=5433;Username=u;Password=p;Database=d", "user=u password=p dbname=d host=a:5433")]
    [InlineData("Server=a;User Id=u;PWD=\"a;b\"\"c\";DB=d;", "user=u password=a;b\"c dbname=d host=a")]
    [InlineData("host = a ; uid = u ; password = ' x''y ' ", "user=u password= x'y  host=a")]
    [InlineData("Host=a:1,b,[::1]:3;Port=9", "host=a:1,b:9,[::1]:3")]
    [InlineData("Host=::1;Port=9", "host=[::1]:9")]
    [InlineData("Host=/var/run/postgresql;User=u", "user=u host=/var/run/postgresql")]
    [InlineData("User Id=my name", "user=my name")]
    [InlineData("Host=my host;", "host=my host")]
    [InlineData(";;Host=a;;", "host=a")]
    [InlineData("Host=a;Password=x=y", "password=x=y host=a")]
    public void ReadsNpgsqlKeywords(string text, string expected)
        => Assert.Equal(expected, ConnectionUriTests.Describe(PgDataSourceOptions.Parse(text)));

    [Fact]
    public void SetsWhatNpgsqlsKeywordsMean()
    {
        PgDataSourceOptions options = PgDataSourceOptions.Parse(
            "Host=h;SSL Mode=VerifyFull;Root Certificate=/r;SSL Certificate=/c;SSL Key=/k;SSL Password=s;Channel Binding=Require;" +
            "Timeout=7;Command Timeout=0;Cancellation Timeout=-1;Keepalive=5;TCP Keepalive Interval=6;Maximum Pool Size=40;Minimum " +
                "Pool Size=4;" +
            "Connection Idle Lifetime=11;Connection Lifetime=12;Search Path=a,b;Timezone=UTC;Application Name=app;Options=-c x=y;" +
            "Target Session Attributes=prefer-standby;Load Balance Hosts=true;Max Auto Prepare=9;No Reset On Close=true;Pooling=true;" +
            "Include Error Detail=true;Read Buffer Size=9;Passfile=/p;Check Certificate Revocation=true;Require " +
                "Auth=ScramSHA256;Encoding=UTF-8");
        Assert.Equal(
            (PgSslMode.VerifyFull, "/r", "/c", "/k", "s"),
            (options.SslMode, options.RootCertificate, options.ClientCertificate, options.ClientKey, options.ClientKeyPassword));
        Assert.Equal(
            (PgChannelBinding.Require, PgAuthentication.ScramSha256, true),
            (options.ChannelBinding, options.RequireAuth, options.CheckCertificateRevocation));
        Assert.Equal((7, 0, 0), (Seconds(options.ConnectTimeout), Seconds(options.CommandTimeout), Seconds(options.CancelTimeout)));
        Assert.Equal((5, 6), (Seconds(options.KeepAlive), Seconds(options.KeepAliveInterval)));
        Assert.Equal(
            (40, 2, 9, false),
            (options.MaxPerReactorOrTotal, options.MinPerReactorOf(2), options.MaxPreparedPerConnection, options.ResetOnReturn));
        Assert.Equal((11, 12), (Seconds(options.IdleLifetime), Seconds(options.ConnectionLifetime)));
        Assert.Equal(
            ("a,b", "UTC", "app", "-c x=y", "/p"),
            (options.SearchPath, options.TimeZone, options.ApplicationName, options.Options, options.PassFile));
        Assert.Equal((PgTargetSession.PreferStandby, true), (options.TargetSessionAttributes, options.LoadBalanceHosts));
    }

    [Theory]
    [InlineData("0", int.MaxValue)]
    [InlineData("-1", 0)]
    [InlineData("00:00:00", 0)]
    [InlineData("700", 700)]
    public void ACancellationTimeoutOfZeroHasNoLimitAndOfMinusOneIsNoWait(string text, int expectedMs)
    {
        PgDataSourceOptions options = PgDataSourceOptions.Parse($"Host=h;Cancellation Timeout={text}");
        Assert.Equal(expectedMs, options.CancelTimeout.TotalMilliseconds);

        var builder = PgDbConnectionStringBuilder.Of(options);
        Assert.Equal(expectedMs, PgDataSourceOptions.Parse(builder.ConnectionString).CancelTimeout.TotalMilliseconds);
        builder.CancellationTimeout = builder.CancellationTimeout;
        Assert.Equal(expectedMs, PgDataSourceOptions.Parse(builder.ConnectionString).CancelTimeout.TotalMilliseconds);
    }

    [Fact]
    public void SetsWhatLibpqsKeywordsMean()
    {
        PgDataSourceOptions options = PgDataSourceOptions.Parse(
            "host=h sslmode=verify-ca sslnegotiation=direct sslrootcert=/r sslcert=/c sslkey=/k require_auth=scram-sha-256,none " +
            "target_session_attrs=read-write load_balance_hosts=random tcp_user_timeout=1500 keepalives_idle=3 keepalives_count=4 " +
            "client_encoding=auto gssencmode=prefer pooler=transaction max_per_reactor=3 pipeline_depth=1 queue_limit=5");
        Assert.Equal((PgSslMode.VerifyCa, PgSslNegotiation.Direct), (options.SslMode, options.SslNegotiation));
        Assert.Equal(PgAuthentication.ScramSha256 | PgAuthentication.None, options.RequireAuth);
        Assert.Equal((PgTargetSession.ReadWrite, true), (options.TargetSessionAttributes, options.LoadBalanceHosts));
        Assert.Equal((1500, 3, 4), ((int)options.TcpUserTimeout.TotalMilliseconds, Seconds(options.KeepAlive), options.KeepAliveCount));
        Assert.Equal((PgPooler.Transaction, 3, 1, 5), (options.Pooler, options.MaxPerReactor, options.PipelineDepth, options.QueueLimit));
    }

    [Theory]
    [InlineData("!password,!md5", PgAuthentication.ScramSha256 | PgAuthentication.None | PgAuthentication.OAuth)]
    [InlineData("!none", PgAuthentication.ScramSha256 | PgAuthentication.Md5 | PgAuthentication.Password | PgAuthentication.OAuth)]
    [InlineData("!oauth", PgAuthentication.ScramSha256 | PgAuthentication.Md5 | PgAuthentication.Password | PgAuthentication.None)]
    [InlineData("oauth", PgAuthentication.OAuth)]
    [InlineData("password,gss", PgAuthentication.Password)]
    public void ReadsListsOfWaysToSignIn(string text, PgAuthentication expected)
        => Assert.Equal(expected, PgDataSourceOptions.Parse($"host=h require_auth={text}").RequireAuth);

    [Theory]
    [InlineData("Host=a;Maximum Pol Size=3;", "\"Maximum Pool Size\"")]
    [InlineData("Host=a;Commandtimout=3", "\"Command Timeout\"")]
    [InlineData("host=a porti=3", "\"Port\"")]
    [InlineData("Host=a;Pooling=perhaps", "true or false")]
    [InlineData("Host=a;Log Parameters=true", "never logged")]
    [InlineData("Host=a;Array Nullability Mode=PerInstance", "GetFieldValue<int?[]>")]
    [InlineData("Host=a;Server Compatibility Mode=Redshift", "NoTypeLoading")]
    [InlineData("Host=a;Convert Infinity DateTime=true", "infinity")]
    [InlineData("Host=a;Client Encoding=LATIN1", "UTF-8")]
    [InlineData("host=a service=x", "service files")]
    [InlineData("host=a sslmode=allow", "prefer or require")]
    [InlineData("host=a sslmode=verify", "verify-full")]
    [InlineData("host=a connect_timeout=x", "a number from 0")]
    [InlineData("host=a require_auth=gss", "no way")]
    [InlineData("host=a require_auth=md5,!password", "mixes")]
    [InlineData("host=a dbname='x", "has no end")]
    [InlineData("host=my host", "missing \"=\"")]
    [InlineData("host=a dbname", "missing \"=\"")]
    [InlineData("host=a,b hostaddr=1.2.3.4", "2 hosts and 1 addresses")]
    [InlineData("host=a hostaddr=b", "IP addresses only")]
    [InlineData("host=a port=0", "65,535")]
    [InlineData("Host=a;Password='x", "malformed")]
    public void RefusesByNameAndSaysWhatToDo(string text, string expected)
        => Assert.Contains(expected, Assert.Throws<ArgumentException>(() => PgDataSourceOptions.Parse(text)).Message, StringComparison.Ordinal);

    [Fact]
    public void NamesNoSecretInText()
    {
        PgDataSourceOptions options = PgDataSourceOptions.Parse("Host=h;Username=u;Password=topsecret;SSL Password=topsecret");
        Assert.DoesNotContain("topsecret", options.ToString(), StringComparison.Ordinal);
        Assert.Contains("Hosts=h;", options.ToString(), StringComparison.Ordinal);
    }

    private static double Seconds(TimeSpan time) => time.TotalSeconds;
}
