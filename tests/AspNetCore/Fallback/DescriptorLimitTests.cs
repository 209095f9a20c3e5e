using System.Globalization;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// A small limit of open files serves what stock Kestrel serves under the same limit, by fewer reactors, and a line names the limit. What the
/// .NET runtime takes by itself depends on the machine, so limits are counted from there.
/// </summary>
[Once]
public class DescriptorLimitTests
{
    private const int Unlimited = 4096;
    private const int NewConnections = 100;

    /// <summary>Descriptors above those that stock Kestrel has open once it has served, and connections that are kept open at once.</summary>
    [Theory]
    [InlineData(16, 4)]
    [InlineData(24, 8)]
    [InlineData(60, 32)]
    [InlineData(120, 64)]
    [InlineData(300, 150)]
    public async Task ServesAsManyConnectionsAsStockUnderTheSameLimit(int spare, int kept)
    {
        int limit = await CountOfStockAsync() + spare;
        await using HostProcess stock = Start(limit, "--sockets");
        Assert.Equal("", await ServeAsync(stock, kept));

        foreach (string reactors in new[] { "1", "2", "16" })
        {
            await using HostProcess host = Start(limit, "--reactors", reactors);
            string problem = await ServeAsync(host, kept);
            Assert.True(problem.Length == 0, $"{problem} with {reactors} reactors under a limit of {limit}\n{host.Output}");
            Assert.Equal(0, await host.StopAsync());
            Assert.DoesNotContain(host.Lines, static line => line.Contains("cannot accept", StringComparison.Ordinal));
        }
    }

    [Theory, Each(20, 120)]
    public async Task WhereThereIsRoomForAFewReactorsThoseAreTaken(int spare)
    {
        int limit = await CountOfStockAsync() + spare;
        await using HostProcess host = Start(limit, "--reactors", "64");
        Assert.Equal("", await ServeAsync(host, kept: 1));
        Assert.Equal(0, await host.StopAsync());

        string line = Assert.Single(host.Lines, BlockedHost.IsWarning);

        Assert.Contains($"({limit}, of which ", line, StringComparison.Ordinal);
        Assert.Contains("instead of 64", line, StringComparison.Ordinal);
        Assert.Contains("Raise the limit (ulimit -n, LimitNOFILE=)", line, StringComparison.Ordinal);
    }

    private static HostProcess Start(int limit, params string[] arguments)
    {
        Assert.SkipUnless(File.Exists("/usr/bin/prlimit"), "prlimit (util-linux) is not installed.");
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        string text = limit.ToString(CultureInfo.InvariantCulture);
        return BlockedHost.StartUnder(["prlimit", $"--nofile={text}:{text}"], arguments);
    }

    /// <summary>What stock Kestrel has open once it has loaded all that answers need, with one connection.</summary>
    private static async Task<int> CountOfStockAsync()
    {
        await using HostProcess stock = Start(Unlimited, "--sockets");
        Assert.Equal("", await ServeAsync(stock, kept: 1));
        return stock.OpenDescriptors().Count;
    }

    /// <summary>Connections one after another, then some that stay open, then one after another again.</summary>
    /// <returns>What went wrong, or nothing.</returns>
    private static async Task<string> ServeAsync(HostProcess host, int kept)
    {
        Uri address = await host.ListeningAsync();
        var open = new List<HttpClient>();
        string doing = "";
        try
        {
            for (int index = 0; index < NewConnections; index++)
            {
                doing = $"new connection {index}";
                using HttpClient once = NewClient(address);
                await GetAsync(once);
            }

            for (int index = 0; index < kept; index++)
            {
                doing = $"kept connection {index}";
                open.Add(NewClient(address));
                await GetAsync(open[index]);
            }

            doing = "a kept connection again";
            foreach (HttpClient client in open)
            {
                await GetAsync(client);
            }

            return "";
        }
        catch (Exception exception) when (exception is HttpRequestException or TaskCanceledException)
        {
            return $"{doing}: {exception.Message}";
        }
        finally
        {
            open.ForEach(static client => client.Dispose());
        }
    }

    private static HttpClient NewClient(Uri address) => new() { BaseAddress = address, Timeout = Waits.Generous(20.Seconds()) };

    private static Task<string> GetAsync(HttpClient client) => client.GetStringAsync(new Uri("/", UriKind.Relative));
}
