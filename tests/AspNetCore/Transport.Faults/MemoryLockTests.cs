namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// The limit of locked memory is small for most users. Whatever it is, the application is served within seconds: on rings
/// where they fit, else on epoll with one line that names the limit and what to do.
/// </summary>
[Collection(FaultGroup.Name)]
public class MemoryLockTests
{
    private const long Kibibyte = 1024;
    private const long Mebibyte = 1024 * Kibibyte;

    [Theory, Each(0, 64 * Kibibyte, 160 * Kibibyte, 8 * Mebibyte)]
    public async Task TheApplicationIsServedOnRingsOrWithOneLineThatNamesTheLimit(long lockedBytes)
    {
        await using HostProcess host = BlockedHost.StartLimited(lockedBytes, []);

        await AssertServedAsync(host, lockedBytes);
    }

    [Fact]
    public async Task EightMebibytesAreEnoughForTheDefaults()
    {
        await using HostProcess host = BlockedHost.StartLimited(8 * Mebibyte, []);

        Assert.Equal("io_uring", await host.TransportAsync());
    }

    [Fact]
    public async Task SixtyFourKibibytesAreEnoughForSmallSizes()
    {
        await using HostProcess host = BlockedHost.StartLimited(
            64 * Kibibyte, ["SqEntries=64", "CqEntries=256", "ReceiveBufferCount=64", "MaxReceiveBufferCount=128"]);

        Assert.Equal("io_uring", await host.TransportAsync());
        Assert.Equal(0, await host.StopAsync());
        Assert.DoesNotContain(host.Lines, BlockedHost.IsWarning);
    }

    [Fact]
    public async Task ARingThatDoesNotFitIsMadeSmaller()
    {
        await using HostProcess host = BlockedHost.StartLimited(512 * Kibibyte, ["CqEntries=65536"]);

        Assert.Equal("io_uring", await host.TransportAsync());
        Assert.DoesNotContain(host.Lines, line => line.Contains("65536 completion entries", StringComparison.Ordinal));
        Assert.Contains(host.Lines, line => line.Contains("completion entries", StringComparison.Ordinal));
    }

    [Fact]
    public async Task AHostWhoseUserHasUsedUpTheLimitIsServedToo()
    {
        const long LockedBytes = 200 * Kibibyte;
        string[] user = BlockedHost.UserWith(LockedBytes);
        await using HostProcess first = BlockedHost.StartUnder(user);
        Assert.Equal("io_uring", await first.TransportAsync());

        await using HostProcess second = BlockedHost.StartUnder(user);

        await AssertServedAsync(second, LockedBytes);
    }

    [Theory, Each(0, 8 * Kibibyte)]
    public async Task AHostThatRequiresRingsWhichDoNotFitEndsWithTheRemedy(long lockedBytes)
    {
        await using HostProcess host = BlockedHost.StartLimited(lockedBytes, [], "--require");

        Assert.Equal(1, await host.ExitAsync());

        Assert.DoesNotContain(host.Lines, line => line.StartsWith("listening", StringComparison.Ordinal));
        AssertNamesTheLimit(host.Output, lockedBytes);
    }

    private static async Task AssertServedAsync(HostProcess host, long lockedBytes)
    {
        string transport = await host.TransportAsync();
        Assert.Equal(0, await host.StopAsync());
        string[] warnings = [.. host.Lines.Where(BlockedHost.IsWarning)];
        if (transport == "io_uring")
        {
            Assert.Empty(warnings);
            return;
        }

        Assert.Equal("epoll", transport);
        AssertNamesTheLimit(Assert.Single(warnings), lockedBytes);
    }

    private static void AssertNamesTheLimit(string text, long lockedBytes)
    {
        Assert.Contains("io_uring is not available", text, StringComparison.Ordinal);
        Assert.Contains("limit of locked memory (ulimit -l, LimitMEMLOCK=", text, StringComparison.Ordinal);
        Assert.Contains($"it is {lockedBytes / Kibibyte} KiB now", text, StringComparison.Ordinal);
    }
}
