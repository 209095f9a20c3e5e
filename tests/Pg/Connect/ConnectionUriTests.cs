namespace Ioxide.Pg.Tests;

/// <summary>URIs are read as libpq reads them: its own regression table, and the examples of its manual.</summary>
public class ConnectionUriTests
{
    [Theory]
    [InlineData("postgresql://uri-user:secret@host:12345/db", "user=uri-user password=secret dbname=db host=host:12345")]
    [InlineData("postgresql://uri-user@host:12345/db", "user=uri-user dbname=db host=host:12345")]
    [InlineData("postgresql://uri-user@host/db", "user=uri-user dbname=db host=host")]
    [InlineData("postgresql://host:12345/db", "dbname=db host=host:12345")]
    [InlineData("postgresql://uri-user@host/", "user=uri-user host=host")]
    [InlineData("postgresql://uri-user@", "user=uri-user")]
    [InlineData("postgresql://host:12345", "host=host:12345")]
    [InlineData("postgresql://host/", "host=host")]
    [InlineData("postgresql://", "")]
    [InlineData("postgresql://?hostaddr=127.0.0.1", "host=/127.0.0.1")]
    [InlineData("postgresql://example.com?hostaddr=63.1.2.4", "host=example.com/63.1.2.4")]
    [InlineData("postgresql://%68ost/", "host=host")]
    [InlineData("postgresql://host/db?user=uri-user&port=12345", "user=uri-user dbname=db host=host:12345")]
    [InlineData("postgresql://host/db?u%73er=someotheruser&port=12345", "user=someotheruser dbname=db host=host:12345")]
    [InlineData("postgresql://host:12345?user=uri-user", "user=uri-user host=host:12345")]
    [InlineData("postgresql://host?", "host=host")]
    [InlineData("postgresql://[::1]:12345/db", "dbname=db host=[::1]:12345")]
    [InlineData("postgresql://[200z:db8::1234]/", "host=[200z:db8::1234]")]
    [InlineData("postgresql://[::1]", "host=[::1]")]
    [InlineData("postgres:///db", "dbname=db")]
    [InlineData("postgres://uri-user@/db", "user=uri-user dbname=db")]
    [InlineData("postgres://?host=/path/to/socket/dir", "host=/path/to/socket/dir")]
    [InlineData("postgres://@host", "host=host")]
    [InlineData("postgres://host:/", "host=host")]
    [InlineData("postgres://:12345/", "host=:12345")]
    [InlineData("postgres://otheruser@:12345/db?host=/path/to/socket", "user=otheruser dbname=db host=/path/to/socket:12345")]
    [InlineData("postgres://%2Fvar%2Flib%2Fpostgresql/dbname", "dbname=dbname host=/var/lib/postgresql")]
    [InlineData("postgresql://host1:123,host2:456/somedb", "dbname=somedb host=host1:123,host2:456")]
    [InlineData("postgresql://host1,[::1]:5,host3/db", "dbname=db host=host1,[::1]:5,host3")]
    [InlineData("postgresql://user@localhost:5433/mydb?options=-c%20synchronous_commit%3Doff", "user=user dbname=mydb host=localhost:5433 options=-c synchronous_commit=off")]
    [InlineData("postgresql://u:p%40%3A%2F%C3%A9@h/d", "user=u password=p@:/é dbname=d host=h")]
    public void ReadsWhatLibpqReads(string uri, string expected) => Assert.Equal(expected, Describe(PgDataSourceOptions.Parse(uri)));

    [Theory]
    [InlineData("postgresql://host/db?u%7aer=someotheruser&port=12345", "\"uzer\"")]
    [InlineData("postgresql://host?uzer=", "\"user\"")]
    [InlineData("postgre://", "missing \"=\"")]
    [InlineData("postgres://[::1", "\"]\"")]
    [InlineData("postgres://[]", "may not be empty")]
    [InlineData("postgres://[::1]z", "character 17")]
    [InlineData("postgresql://host?zzz", "\"=\" is missing")]
    [InlineData("postgresql://host?value1&value2", "\"=\" is missing")]
    [InlineData("postgresql://host?key=key=value", "second \"=\"")]
    [InlineData("postgres://host?dbname=%XXfoo", "%25")]
    [InlineData("postgresql://a%00b", "%00")]
    [InlineData("postgresql://%1", "%25")]
    [InlineData("postgresql://%", "%25")]
    [InlineData("postgresql://a:1,b:2,c:3/?port=1,2", "3 hosts and 2 ports")]
    [InlineData("postgresql://a:65536/", "65,535")]
    [InlineData("postgresql://u:%ff@h/", "not UTF-8")]
    public void RefusesWhatLibpqRefuses(string uri, string expected)
        => Assert.Contains(expected, Assert.Throws<ArgumentException>(() => PgDataSourceOptions.Parse(uri)).Message, StringComparison.Ordinal);

    [Theory, Each(
        "postgresql://u:topsecret%zz@h/", "postgresql://u:topsecret@[h/", "postgresql://u:topsecret@h:x/",
        "postgresql://h/?password=topsecret&password=topsecret=")]
    public void NamesNoSecretInErrors(string uri)
        => Assert.DoesNotContain("topsecret", Assert.ThrowsAny<Exception>(() => PgDataSourceOptions.Parse(uri)).ToString(), StringComparison.Ordinal);

    [Fact]
    public void TakesTheValueOfJdbcForEncryption()
        => Assert.Equal(PgSslMode.Require, PgDataSourceOptions.Parse("postgresql://h/?ssl=true").SslMode);

    internal static string Describe(PgDataSourceOptions options)
    {
        string hosts = string.Join(',', options.Hosts.Select(static host => host.ToString() is var text && host.Address is { } address
            ? $"{host.Name}/{address}" : text));
        List<string> parts = [];
        Add("user", options.Username);
        Add("password", options.Password);
        Add("dbname", options.Database);
        Add("host", hosts);
        Add("options", options.Options);
        return string.Join(' ', parts);

        void Add(string name, string? value)
        {
            if (!string.IsNullOrEmpty(value))
            {
                parts.Add($"{name}={value}");
            }
        }
    }
}
