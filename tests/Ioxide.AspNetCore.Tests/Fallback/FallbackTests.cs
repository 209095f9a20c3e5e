namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// Where a host refuses rings, the application is served over sockets and says so once; where it must have rings, it
/// does not start. Each refusal is made by a seccomp filter in a child process.
/// </summary>
public class FallbackTests
{
    private const string Forbidden = "1";
    private const string NotImplemented = "38";

    [Fact]
    public async Task ServesOverIoxideWhereNothingIsRefused()
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        await using HostProcess host = BlockedHost.Start();

        Assert.Equal("Ioxide", await GetAsync(host));
        Assert.Equal(0, await host.StopAsync());
        Assert.DoesNotContain(host.Lines, BlockedHost.IsWarning);
    }

    [Theory]
    [InlineData(Forbidden, RingSupport.Forbidden)]
    [InlineData(NotImplemented, RingSupport.NotImplemented)]
    public async Task ServesOverSocketsWithOneWarningThatNamesCauseAndRemedy(string errno, RingSupport cause)
    {
        await using HostProcess host = BlockedHost.Start("--refuse", "io_uring_setup", "--errno", errno);

        Assert.Equal("Sockets", await GetAsync(host));
        Assert.Equal(0, await host.StopAsync());

        string warning = Assert.Single(host.Lines, BlockedHost.IsWarning);
        Assert.Contains("io_uring is not available", warning, StringComparison.Ordinal);
        Assert.Contains(cause.ToString(), warning, StringComparison.Ordinal);
        Assert.Contains(RemedyFor(cause), warning, StringComparison.OrdinalIgnoreCase);
        Assert.Contains("io_uring_setup failed with E", warning, StringComparison.Ordinal);
        Assert.Contains($"on Linux {HostFacts.Read().Release}", warning, StringComparison.Ordinal);
        Assert.DoesNotContain("6.1 or newer", warning, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(Forbidden, RingSupport.Forbidden)]
    [InlineData(NotImplemented, RingSupport.NotImplemented)]
    public async Task DoesNotStartWhereRingsAreRequired(string errno, RingSupport cause)
    {
        await using HostProcess host = BlockedHost.Start("--refuse", "io_uring_setup", "--errno", errno, "--require");

        Assert.NotEqual(0, await host.ExitAsync());

        Assert.DoesNotContain(host.Lines, line => line.StartsWith("listening", StringComparison.Ordinal));
        Assert.Contains(RemedyFor(cause), host.Output, StringComparison.OrdinalIgnoreCase);
    }

    [Fact]
    public async Task RequiringRingsChangesNothingWhereNothingIsRefused()
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        await using HostProcess host = BlockedHost.Start("--require");

        Assert.Equal("Ioxide", await GetAsync(host));
    }

    private static async Task<string> GetAsync(HostProcess host)
    {
        using HttpClient client = new() { BaseAddress = await host.ListeningAsync(), Timeout = 60.Seconds() };
        return await client.GetStringAsync(new Uri("/", UriKind.Relative));
    }

    private static string RemedyFor(RingSupport cause)
        => cause == RingSupport.Forbidden ? "seccomp profile" : "a seccomp filter that is at work here answers in its place";
}
