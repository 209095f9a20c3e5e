namespace Ioxide.Pg.Tests;

/// <summary>Password files are read as libpq reads them, and ignored where others can read them.</summary>
public class PasswordFileTests
{
    [Theory]
    [InlineData("h:5432:d:u:secret", "secret")]
    [InlineData("*:*:*:*:secret", "secret")]
    [InlineData("h:5433:d:u:no\nh:*:d:u:yes", "yes")]
    [InlineData("# h:5432:d:u:no\r\nh:5432:d:u:yes\r\n", "yes")]
    [InlineData("h:5432:d:u:first\nh:5432:d:u:second", "first")]
    [InlineData("h:5432:d:u:a\\:b\\\\c", "a:b\\c")]
    [InlineData("h:5432:d:u:a:later", "a")]
    [InlineData("hh:5432:d:u:no", null)]
    [InlineData("h:5432:d:uu:no", null)]
    [InlineData("h:5432:d:u", null)]
    [InlineData("", null)]
    public void FindsTheFirstLineThatMatches(string text, string? expected) => Assert.Equal(expected, PasswordFile.Find(text, "h", "5432", "d", "u"));

    [Fact]
    public void ALineIsACommentThoughItsFirstFieldLooksLikeTheHost()
        => Assert.Equal("yes", PasswordFile.Find("#h:5432:d:u:no\n\\#h:5432:d:u:yes", "#h", "5432", "d", "u"));

    [Fact]
    public void TakesEscapedFields() => Assert.Equal("p", PasswordFile.Find("\\:\\:1:5432:d\\\\x:u:p", "::1", "5432", "d\\x", "u"));

    [Theory]
    [InlineData(UnixFileMode.UserRead | UnixFileMode.UserWrite, "p")]
    [InlineData(UnixFileMode.UserRead | UnixFileMode.GroupRead, null)]
    [InlineData(UnixFileMode.UserRead | UnixFileMode.OtherRead, null)]
    public void IgnoresAFileThatOthersCanRead(UnixFileMode mode, string? expected)
    {
        var environment = new FakeEnvironment { Files = { ["/p"] = ("h:*:*:*:p", mode) } };
        Assert.Equal(expected, PasswordFile.Find(environment, "/p", "h", "1", "d", "u", out string? hint));
        Assert.Equal(expected is null, hint?.Contains("0600", StringComparison.Ordinal) == true);
    }

    [Fact]
    public void CallsTheLocalSocketLocalhost()
    {
        Assert.Equal("localhost", OptionsResolver.NameForPasswordFile(new PgHost("/var/run/postgresql")));
        Assert.Equal("/elsewhere", OptionsResolver.NameForPasswordFile(new PgHost("/elsewhere")));
        Assert.Equal("db", OptionsResolver.NameForPasswordFile(new PgHost("db", 1, System.Net.IPAddress.Loopback)));
    }
}
