using System.Globalization;
using System.Net;
using System.Text.RegularExpressions;

namespace Ioxide.BadNetwork;

/// <summary>
/// Three namespaces in a row: near, where a side runs, a router, and far, where its peers are. The router loses packets by rules of nftables and
/// has links whose MTU may change. The last <see cref="DisposeAsync"/> removes all of it; what a killed run left goes with the next start.
/// </summary>
/// <remarks>
/// A packet has one segment, so that a rule meets it as a network would, and a lost one is repeated after 20 ms instead of 200.
/// </remarks>
internal sealed partial class Network : IAsyncDisposable
{
    private const string Prefix = "ioxbad-";

    private const string Setup = """
        ip netns add $N; ip netns add $R; ip netns add $F
        ip link add near netns $N type veth peer name near netns $R
        ip link add far netns $F type veth peer name far netns $R
        for place in $N/near/10.213.1.2 $R/near/10.213.1.1 $F/far/10.213.2.2 $R/far/10.213.2.1; do
            IFS=/ read -r space device address <<EOF
        $place
        EOF
            ip -n $space addr add $address/24 dev $device
            ip -n $space link set $device gso_max_segs 1 up
            ip -n $space link set lo up
        done
        ip -n $N route add 10.213.2.0/24 via 10.213.1.1 rto_min 20ms
        ip -n $F route add 10.213.1.0/24 via 10.213.2.1 rto_min 20ms
        for space in $N $R $F; do
            ip netns exec $space sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward; echo 1 > /proc/sys/net/ipv4/tcp_mtu_probing'
        done
        """;

    private static readonly Lazy<Task<string?>> s_obstacle = new(FindObstacleAsync);

    private readonly NetworkNamespace _router;

    private Network(string name)
    {
        Near = new($"{name}-near");
        _router = new($"{name}-router");
        Far = new($"{name}-far");
    }

    internal static IPAddress NearAddress { get; } = new([10, 213, 1, 2]);

    internal static IPAddress FarAddress { get; } = new([10, 213, 2, 2]);

    internal NetworkNamespace Near { get; }

    internal NetworkNamespace Far { get; }

    /// <summary>Makes one, or skips the test and says what the host refuses.</summary>
    internal static async Task<Network> StartAsync()
    {
        string? obstacle = await s_obstacle.Value;
        Assert.SkipWhen(obstacle is not null, $"This host makes no network namespaces with rules: {obstacle}");
        return await MakeAsync();
    }

    /// <summary>What the router does to what it forwards, such as <c>counter drop</c>; nothing for a network that works.</summary>
    internal Task RuleAsync(string rule = "") => RulesAsync($"chain forward {{\ntype filter hook forward priority 0; policy accept;\n{rule}\n}}");

    /// <summary>How many packets the counters of the rules have seen.</summary>
    internal async Task<long> CountedAsync()
    {
        string rules = await Tool.RunAsync([.. _router.Command, Tool.Find("nft")!, "list", "ruleset"]); // The probe found it.
        return Counter().Matches(rules).Sum(static match => long.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture));
    }

    /// <summary>The router tells nobody that a packet was too large.</summary>
    internal Task HideSizesAsync()
        => RulesAsync("chain output {\ntype filter hook output priority 0; policy accept;\nicmp type destination-unreachable counter drop\n}");

    /// <summary>The largest packet of the link between router and far; near learns of it from the router alone.</summary>
    internal Task LimitPacketsAsync(int bytes) => RunAsync($"ip -n $R link set far mtu {bytes}; ip -n $F link set far mtu {bytes}");

    public async ValueTask DisposeAsync() => await RunAsync("ip netns del $N; ip netns del $R; ip netns del $F");

    private static async Task<Network> MakeAsync()
    {
        await RemoveLeftAsync();
        var network = new Network(string.Create(CultureInfo.InvariantCulture, $"{Prefix}{Environment.ProcessId}"));
        try
        {
            await network.RunAsync(Setup);
            await network.RuleAsync();
            return network;
        }
        catch
        {
            await RemoveAsync(IsOwn);
            throw;
        }
    }

    private static async Task<string?> FindObstacleAsync()
    {
        if (!Environment.IsPrivilegedProcess)
        {
            return "it takes root.";
        }

        if (((string[])["ip", "nft"]).FirstOrDefault(static tool => Tool.Find(tool) is null) is { } missing)
        {
            return $"{missing} is not installed (on Debian: apt-get install iproute2 nftables).";
        }

        try
        {
            await using Network network = await MakeAsync();
            await network.RuleAsync("numgen random mod 100 < 1 drop");
            return null;
        }
        catch (ToolFailedException exception)
        {
            return exception.Message;
        }
    }

    /// <summary>Removes what ended processes left.</summary>
    private static Task RemoveLeftAsync()
        => RemoveAsync(static process => !Directory.Exists($"/proc/{process}") || IsOwn(process));

    private static bool IsOwn(string process) => process == $"{Environment.ProcessId}";

    private static async Task RemoveAsync(Predicate<string> isOver)
    {
        if (!Directory.Exists(NetworkNamespace.Folder))
        {
            return;
        }

        foreach (string path in Directory.GetFiles(NetworkNamespace.Folder, $"{Prefix}*"))
        {
            string name = Path.GetFileName(path);
            if (isOver(name.Split('-')[1]))
            {
                await Tool.RunAsync([Tool.Find("ip")!, "netns", "del", name]); // The probe found it.
            }
        }
    }

    private Task<string> RulesAsync(string chain) => Tool.RunAsync(
        [.. _router.Command, Tool.Find("nft")!, "-f", "-"], // The probe found it.
        $"flush ruleset\ntable ip bad {{\n{chain}\n}}\n");

    private Task<string> RunAsync(string script) => Tool.RunAsync(
        ["/bin/sh", "-ec", script],
        variables: [("PATH", "/usr/sbin:/sbin:/usr/bin:/bin"), ("N", Near.Name), ("R", _router.Name), ("F", Far.Name)]);

    [GeneratedRegex(@"counter packets (\d+)")]
    private static partial Regex Counter();
}
