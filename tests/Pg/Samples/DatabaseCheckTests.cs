using System.Net;
using System.Net.Sockets;

namespace Ioxide.Pg.Tests;

/// <summary>A sample with <c>--ioxide-check</c> connects once, names the server's version or why there is none, and serves nothing.</summary>
[Once]
public sealed class DatabaseCheckTests
{
    [Fact]
    public async Task TheServerOfTheApplicationIsNamedWithItsVersion()
    {
        Assert.SkipWhen(ServerBinaries.Installed is null, ServerBinaries.Missing ?? "");
        await using HostProcess host = HostProcess.Start("Database", ["--ioxide-check", "--urls", "http://127.0.0.1:0"]);

        Assert.Equal(0, await host.ExitAsync());
        Assert.Contains(host.Lines, static line => line.StartsWith("ok       PostgreSQL     connected to a server ", StringComparison.Ordinal));
        Assert.DoesNotContain(host.Lines, static line => line.Contains("listening", StringComparison.OrdinalIgnoreCase));
    }

    [Fact]
    public async Task AServerThatIsDownIsMissing()
    {
        // Bound and never listening: every connect is refused, and no other process gets the port.
        using var port = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        port.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        await using HostProcess host = HostProcess.Start(
            "Database",
            [$"postgresql://app@127.0.0.1:{((IPEndPoint)port.LocalEndPoint!).Port}/shop", "--urls", "http://127.0.0.1:0", "--ioxide-check"]);

        Assert.Equal(1, await host.ExitAsync());
        string line = Assert.Single(host.Lines, static line => line.StartsWith("missing", StringComparison.Ordinal));
        Assert.StartsWith("missing  PostgreSQL     database shop on 127.0.0.1", line, StringComparison.Ordinal);
        Assert.EndsWith("Requests that query the database fail. Check host and port, and start the server.", line, StringComparison.Ordinal);
    }

    /// <summary>A machine without setsid stands for one without PostgreSQL: the sample needs both for a server of its own.</summary>
    [Theory]
    [InlineData("Database")]
    [InlineData("DapperSample")]
    public async Task WhereNoServerCanBeStartedTheRestIsChecked(string sample)
    {
        await using HostProcess host = HostProcess.Start(
            sample, ["--ioxide-check", "--urls", "http://127.0.0.1:0"], variables: [("PATH", "/nowhere"), ("IOXIDE_DATABASE", null)]);

        Assert.Equal(1, await host.ExitAsync());
        Assert.Contains(host.Lines, static line => line.StartsWith("There is no connection string, and no PostgreSQL can be started: ", StringComparison.Ordinal));
        Assert.Contains(host.Lines, static line => line.StartsWith("ok       kernel ", StringComparison.Ordinal));
        string line = Assert.Single(host.Lines, static line => line.StartsWith("missing", StringComparison.Ordinal));
        Assert.StartsWith("missing  PostgreSQL     database postgres on /no-postgresql", line, StringComparison.Ordinal);
    }
}
