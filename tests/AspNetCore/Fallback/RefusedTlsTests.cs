using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Where a host refuses reactors, options of <c>UseIoxideTls</c> hold under SslStream, or the host does not start.</summary>
[Once]
public class RefusedTlsTests
{
    [Fact]
    public async Task AnOptionThatSslStreamKeepsHolds()
    {
        await using HostProcess host = Start("EnabledSslProtocols");
        Uri address = (await host.ListeningAsync(count: 2)).Single(static address => address.Scheme == "https");
        Assert.True(await IsServedAsync(address, SslProtocols.Tls12));
        Assert.False(await IsServedAsync(address, SslProtocols.Tls13));
        Assert.Contains(host.Lines, static line => line.Contains("TLS by SslStream", StringComparison.Ordinal));
        Assert.Equal(0, await host.StopAsync());
        Assert.Equal(
            ["Ioxide.AspNetCore[1002]", "Ioxide.Files[4005]"],
            host.Lines.Where(BlockedHost.IsWarning).Select(static line => line.Split(' ')[1]).Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task AnOptionThatSslStreamCannotKeepEndsTheStart()
    {
        await using HostProcess host = Start("KernelOffload");
        Assert.Equal(1, await host.ExitAsync());
        Assert.Contains("IoxideTlsOptions.KernelOffload is Require", host.Output, StringComparison.Ordinal);
        Assert.DoesNotContain(host.Lines, static line => line.StartsWith("listening", StringComparison.Ordinal));
    }

    private static HostProcess Start(string option) => BlockedHost.Start("--everything", "--tls", option, "--refuse", "eventfd2", "--errno", "1");

    private static async Task<bool> IsServedAsync(Uri address, SslProtocols version)
    {
        SslClientAuthenticationOptions options = RawConnection.Options();
        options.EnabledSslProtocols = version;
        try
        {
            Socket socket = await RawSocket.ConnectAsync(new IPEndPoint(IPAddress.Parse(address.Host), address.Port));
            await using SslStream stream = await RawConnection.ShakeHandsAsync(socket, options);
            return true;
        }
        catch (Exception exception) when (exception is IOException or AuthenticationException)
        {
            return false;
        }
    }
}
