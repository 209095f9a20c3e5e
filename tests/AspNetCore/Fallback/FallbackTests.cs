namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// Where a host refuses rings, the same reactors serve the application on epoll, and one line says why; where it must have rings, it does
/// not start. Each refusal is made by a seccomp filter in a child process.
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

        Assert.Equal("io_uring", await GetAsync(host));
        Assert.Equal(0, await host.StopAsync());
        Assert.DoesNotContain(host.Lines, BlockedHost.IsWarning);
    }

    [Theory]
    [InlineData(Forbidden, RingSupport.Forbidden)]
    [InlineData(NotImplemented, RingSupport.NotImplemented)]
    public async Task ServesOnEpollWithOneLineThatNamesCauseAndRemedy(string errno, RingSupport cause)
    {
        await using HostProcess host = BlockedHost.Start("--refuse", "io_uring_setup", "--errno", errno);

        Assert.Equal("epoll", await GetAsync(host));
        Assert.Equal(0, await host.StopAsync());

        Assert.DoesNotContain(host.Lines, BlockedHost.IsWarning);
        string line = Assert.Single(host.Lines, static line => line.Contains("[1031]", StringComparison.Ordinal));
        Assert.Contains("Using epoll with 1 reactor (ReactorCount). Endpoints start on the thread pool", line, StringComparison.Ordinal);
        Assert.Contains("io_uring is not available", line, StringComparison.Ordinal);
        Assert.Contains(cause.ToString(), line, StringComparison.Ordinal);
        Assert.Contains(RemedyFor(cause), line, StringComparison.OrdinalIgnoreCase);
        Assert.Contains("io_uring_setup failed with E", line, StringComparison.Ordinal);
        Assert.Contains($"on Linux {HostFacts.Read().Release}", line, StringComparison.Ordinal);
        Assert.DoesNotContain("6.1 or newer", line, StringComparison.Ordinal);
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

    [Theory]
    [InlineData("IoUring", "io_uring_setup")]
    [InlineData("IoUring", "eventfd2")]
    [InlineData("Epoll", "eventfd2")]
    public async Task DoesNotStartWhereTheChosenKernelIsRefused(string choice, string call)
    {
        await using HostProcess host = BlockedHost.Start("--kernel", choice, "--refuse", call);

        Assert.NotEqual(0, await host.ExitAsync());

        Assert.Contains($"{call} failed with EPERM", host.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Auto", "io_uring", "Using io_uring with 1 reactor (ReactorCount). ")]
    [InlineData("IoUring", "io_uring", "Using io_uring with 1 reactor (ReactorCount). ")]
    [InlineData("Epoll", "epoll", "Using epoll with 1 reactor (ReactorCount). ")]
    [InlineData("Sockets", "sockets", "Kestrel's sockets transport serves, because Ioxide:Kernel is Sockets.")]
    public async Task ServesOnTheKernelThatIsChosenAndSaysSo(string choice, string served, string words)
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        await using HostProcess host = BlockedHost.Start("--kernel", choice);

        Assert.Equal(served, await GetAsync(host));
        Assert.Equal(0, await host.StopAsync());
        Assert.DoesNotContain(host.Lines, BlockedHost.IsWarning);
        string line = Assert.Single(
            host.Lines,
            static line => line.Contains("[1001]", StringComparison.Ordinal) || line.Contains("[1032]", StringComparison.Ordinal));
        Assert.Contains(words, line, StringComparison.Ordinal);
        Assert.DoesNotContain("not available", line, StringComparison.Ordinal);
    }

    [Theory, Each("Epoll", "Sockets")]
    public async Task RingsCannotBeRequiredTogetherWithSomethingElse(string choice)
    {
        await using HostProcess host = BlockedHost.Start("--require", "--kernel", choice);

        Assert.NotEqual(0, await host.ExitAsync());

        Assert.Contains($"Ioxide:RequireIoUring is True, which cannot be used. Kernel is {choice}.", host.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task RequiringRingsChangesNothingWhereNothingIsRefused()
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        await using HostProcess host = BlockedHost.Start("--require");

        Assert.Equal("io_uring", await GetAsync(host));
    }

    private static async Task<string> GetAsync(HostProcess host)
    {
        using HttpClient client = new() { BaseAddress = await host.ListeningAsync(), Timeout = Waits.Generous(60.Seconds()) };
        return await client.GetStringAsync(new Uri("/", UriKind.Relative));
    }

    private static string RemedyFor(RingSupport cause)
        => cause == RingSupport.Forbidden ? "seccomp profile" : "a seccomp filter that is at work here answers in its place";
}
