using System.Net;
using System.Net.Sockets;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// What ends a start is reported by the check, wherever its argument stands: the same application runs as a process of its own, with the argument
/// and without. What Ioxide refuses is one line without the calls that led there.
/// </summary>
[Once]
public class StartRefusalTests
{
    private const string Check = "--ioxide-check";

    private static readonly string[] s_anywhere = ["--urls=http://127.0.0.1:0"];

    [Theory, Each(0, 1, 2)]
    public async Task AWrongOptionIsRefusedByBoth(int place)
        => await AssertRefusedByBothAsync(
            ["--Ioxide:ReactorCount=99", .. s_anywhere], place, "Ioxide:ReactorCount is 99, which cannot be used.", isOneLine: true);

    [Theory, Each(0, 1, 3)]
    public async Task AValueOfItsOwnWordIsReadToo(int place)
    {
        string[] arguments = ["--Ioxide:ReactorCount", "99", .. s_anywhere];

        Assert.Contains("Ioxide:ReactorCount is 99", await ReportAsync(Insert(arguments, place == 1 ? 2 : place)), StringComparison.Ordinal);
    }

    [Fact]
    public async Task ACertificateThatIsNotThereIsRefusedByBoth()
        => await AssertRefusedByBothAsync(
            ["--Kestrel:Endpoints:Web:Url=https://127.0.0.1:0", "--Kestrel:Endpoints:Web:Certificate:Path=/nowhere/site.pfx"], 0,
            "/nowhere/site.pfx", isOneLine: false);

    [Fact]
    public async Task AnAddressThatAnotherSocketHasIsRefusedByBoth()
    {
        using Socket owner = RawSocket.Listen(1);
        string[] output = await AssertRefusedByBothAsync(
            [$"--urls=http://{owner.LocalEndPoint}"],
            0,
            $"Could not bind {owner.LocalEndPoint}: Address already in use (EADDRINUSE), because another socket has this address. Stop the process",
            isOneLine: true);

        // Nothing serves.
        Assert.DoesNotContain(output, static line => line.Contains("Using io_uring", StringComparison.Ordinal));
    }

    [Fact]
    public async Task TwoEndpointsOfOneAddressAreRefusedByBoth()
    {
        IPEndPoint free;
        using (Socket owner = RawSocket.Listen(1))
        {
            free = (IPEndPoint)owner.LocalEndPoint!;
        }

        await AssertRefusedByBothAsync(
            [$"--Kestrel:Endpoints:One:Url=http://{free}", $"--Kestrel:Endpoints:Two:Url=http://{free}"],
            1,
            $"Could not bind {free}: ",
            isOneLine: true);
    }

    [Theory]
    [InlineData("80", "ports below 1024 need the capability CAP_NET_BIND_SERVICE. Choose a port from 1024 up")]
    [InlineData("8080", "the host forbids it. Allow bind in the seccomp profile")]
    public async Task ABindThatTheHostForbidsNamesTheRightOrTheFilter(string port, string words)
    {
        await using HostProcess host = BlockedHost.Start("--refuse", "bind", "--errno", "13", "--port", port);

        Assert.Equal(1, await host.ExitAsync());

        Assert.Contains($"Could not bind 127.0.0.1:{port}: Permission denied (EACCES), because {words}", host.Output, StringComparison.Ordinal);
        AssertHasNoTrace(host.Lines);
    }

    [Fact]
    public async Task AFolderThatIsNotThereEndsTheStartWithOneLine()
    {
        await using HostProcess host = BlockedHost.Start("--folder", "/nowhere/site");

        Assert.Equal(1, await host.ExitAsync());

        Assert.Contains(
            "MapIoxideFiles: The folder /nowhere/site cannot be opened: ENOENT. Correct the path, or create the folder",
            host.Output, StringComparison.Ordinal);
        AssertHasNoTrace(host.Lines);
    }

    [Fact]
    public async Task ReactorsThatAreRequiredAndRefusedEndTheStartWithOneLine()
    {
        await using HostProcess host = BlockedHost.Start("--refuse", "io_uring_setup", "--require");

        Assert.Equal(1, await host.ExitAsync());

        Assert.Contains("io_uring is not available: io_uring_setup failed with EPERM", host.Output, StringComparison.Ordinal);
        AssertHasNoTrace(host.Lines);
    }

    [Theory]
    [InlineData("--Ioxide:ReactorCuont=2", "unknown argument, because Ioxide has no option of that name. Did you mean Ioxide:ReactorCount?")]
    [InlineData("--environment=Development", "the configuration has read it as the value of --ioxide-check. Write --ioxide-check=text, ")]
    public async Task AnArgumentThatHasNoEffectIsRefused(string argument, string words)
    {
        await using HostProcess host = HostProcess.Start("Hello", [Check, argument, .. s_anywhere]);

        Assert.Equal(2, await host.ExitAsync());
        Assert.StartsWith($"{argument}: {words}", Assert.Single(host.Lines), StringComparison.Ordinal);
    }

    [Theory, Each(Check, Check + "=text")]
    public async Task AStartThatWouldSucceedIsGoodAndItsAddressesAreNamed(string check)
    {
        await using HostProcess host = HostProcess.Start("Hello", [check, "--Ioxide:ReactorCount=1", .. s_anywhere]);

        Assert.Equal(0, await host.ExitAsync());
        Assert.Contains(host.Lines, static line => line.StartsWith("ok       reactors       1, ReactorCount", StringComparison.Ordinal));
        Assert.Contains(host.Lines, static line => line.StartsWith("ok       endpoints      http://127.0.0.1:", StringComparison.Ordinal));
        Assert.DoesNotContain(host.Lines, static line => line.Contains("Microsoft.Hosting", StringComparison.Ordinal));
    }

    /// <returns>What the start printed.</returns>
    private static async Task<string[]> AssertRefusedByBothAsync(string[] arguments, int place, string words, bool isOneLine)
    {
        string line = await ReportAsync(Insert(arguments, place));
        Assert.Contains(words, line, StringComparison.Ordinal);
        Assert.Contains(" does not start.", line, StringComparison.Ordinal);

        await using HostProcess started = HostProcess.Start("Hello", arguments);
        Assert.NotEqual(0, await started.ExitAsync());
        Assert.Contains(words, started.Output, StringComparison.Ordinal);
        if (isOneLine)
        {
            AssertHasNoTrace(started.Lines);
        }

        return [.. started.Lines];
    }

    private static string[] Insert(string[] arguments, int place) => [.. arguments[..place], Check, .. arguments[place..]];

    /// <summary>The only line of the check about what is missing.</summary>
    private static async Task<string> ReportAsync(string[] arguments)
    {
        await using HostProcess host = HostProcess.Start("Hello", arguments);
        Assert.Equal(1, await host.ExitAsync());
        return Assert.Single(host.Lines, static line => line.StartsWith("missing", StringComparison.Ordinal));
    }

    private static void AssertHasNoTrace(IReadOnlyList<string> lines)
        => Assert.DoesNotContain(
            lines,
            static line => line.Contains(" at Microsoft.", StringComparison.Ordinal) || line.Contains(" at Ioxide.", StringComparison.Ordinal));
}
