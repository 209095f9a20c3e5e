
namespace Ioxide.AspNetCore.Tests;

/// <summary>A listening socket that systemd opened, descriptor 3, is served by the reactors.</summary>
public class SystemdTests
{
    [Fact]
    public async Task ServesTheSocketThatSystemdHandedOver()
    {
        await using HostProcess host = BlockedHost.Start("--systemd");
        using HttpClient client = new() { BaseAddress = await host.ListeningAsync(), Timeout = Waits.Generous(20.Seconds()) };
        string expected = RingProbe.Check() == RingSupport.Supported ? "io_uring" : "epoll";
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal(expected, await client.GetStringAsync(new Uri("/", UriKind.Relative)));
        }

        Assert.Contains(host.Lines, line => line == $"activated with 127.0.0.1:{client.BaseAddress.Port}");
        Assert.Equal(0, await host.StopAsync());
    }

    [Fact]
    public async Task ServesItOnEpollWhereRingsAreRefused()
    {
        await using HostProcess host = BlockedHost.Start("--systemd", "--refuse", "io_uring_setup");
        using HttpClient client = new() { BaseAddress = await host.ListeningAsync(), Timeout = Waits.Generous(20.Seconds()) };

        Assert.Equal("epoll", await client.GetStringAsync(new Uri("/", UriKind.Relative)));
    }
}
