namespace Ioxide.Files.Tests;

/// <summary>
/// Something is mounted over the served folder, over a folder in it or over a file of it, and is taken away again: what the path leads to is
/// served, as stock Kestrel serves it, though the kernel sends no event. The mounts are those of the hosts alone.
/// </summary>
/// <remarks>Takes up to 5 s: nothing tells of a mount, so the host looks once per second.</remarks>
public sealed class MountTests : IDisposable
{
    private static readonly string[] s_paths =
        ["/a.txt", "/sub/a.txt", "/sub/deep/a.txt", "/new.txt", "/sub/new.txt", "/sub/deep/new.txt", "/large.txt", "/sub/large.txt"];

    private readonly TestFolder _outer = new TestFolder()
        .With("site/a.txt", "a").With("site/sub/a.txt", "sub a").With("site/sub/deep/a.txt", "deep a").With("site/large.txt", new string('l', 5000))
        .With("other/a.txt", "other a").With("other/new.txt", "other new").With("other/large.txt", new string('o', 5000));

    public void Dispose() => _outer.Dispose();

    public static TheoryData<string, string, int> Mounts => new()
    {
        { "site", "bind", 1000 },
        { "site", "tmpfs", 1_000_000 },
        { "site/sub", "bind", 1_000_000 },
        { "site/sub", "tmpfs", 1000 },
        { "site/sub/deep", "bind", 1000 },
    };

    [Theory, MemberData(nameof(Mounts))]
    public async Task WhatIsMountedIsServedUntilItIsTakenAway(string target, string kind, int memoryBudget)
    {
        await using HostPair hosts = await StartAsync(memoryBudget);
        string path = _outer[target];
        if (kind == "bind")
        {
            await hosts.RunAsync("mount", "--bind", _outer["other"], path);
        }
        else
        {
            await hosts.RunAsync("mount", "-t", "tmpfs", "tmpfs", path);
            File.WriteAllText(hosts.PathOf(path) + "/new.txt", "of tmpfs");
        }

        await AssertSameAsync(hosts);

        // What is mounted is followed.
        File.WriteAllText(hosts.PathOf(path) + "/new.txt", "changed");
        await AssertSameAsync(hosts);
        await UnmountAsync(hosts, path, isRoot: target == "site");
        await AssertSameAsync(hosts);

        // And so is what lay below.
        _outer.Replace($"{target}/a.txt", "changed"u8.ToArray());
        await AssertSameAsync(hosts);
        await hosts.StopAsync();
    }

    [Fact]
    public async Task WhatTheWayToTheFolderLeadsThroughMayBeMountedOver()
    {
        _outer.With("site/site/a.txt", "a within").With("site/site/within.txt", "within");
        await using HostPair hosts = await StartAsync(1_000_000);
        await hosts.RunAsync("mount", "--bind", _outer["site"], _outer.Path);
        await hosts.OursAsync("/within.txt", static answer => answer.Text == "within", "the folder that is mounted");
        await AssertSameAsync(hosts);
        await UnmountAsync(hosts, _outer.Path, isRoot: true);
        await AssertSameAsync(hosts);
        await hosts.StopAsync();
    }

    /// <summary>A difference to stock Kestrel: nothing tells of the mount, and files are not looked at in vain.</summary>
    [Fact]
    public async Task AMountOverAFileIsSeenWhenEveryFileIsCompared()
    {
        await using HostPair hosts = await StartAsync(1_000_000);
        string path = _outer["site/a.txt"];
        foreach (string[] command in new string[][] { ["mount", "--bind", _outer["other/a.txt"], path], ["umount", path] })
        {
            string before = (await hosts.StockAsync("/a.txt")).Text;
            await hosts.RunAsync(command);
            _outer.Replace("site/new.txt", Guid.NewGuid().ToByteArray());
            await hosts.SameAsync("/new.txt");
            Assert.NotEqual(before, (await hosts.StockAsync("/a.txt")).Text);
            Assert.Equal(before, (await hosts.OursAsync("/a.txt")).Text);
            Assert.Equal(200, (await hosts.OursAsync("/-/reload")).Status);
            Assert.NotEqual(before, (await hosts.OursAsync("/a.txt")).Text);
            await AssertSameAsync(hosts);
        }

        await hosts.StopAsync();
    }

    /// <summary>A difference to stock Kestrel: the root is held open while it is served, so that a mount over it goes by and by.</summary>
    private static async Task UnmountAsync(HostPair hosts, string path, bool isRoot)
    {
        if (isRoot)
        {
            (int status, string output) = await hosts.TryRunAsync("umount", path);
            Assert.NotEqual(0, status);
            Assert.Contains("busy", output, StringComparison.Ordinal);
        }

        await hosts.RunAsync(isRoot ? ["umount", "-l", path] : ["umount", path]);
    }

    private Task<HostPair> StartAsync(int memoryBudget) => HostPair.StartApartAsync(":", _outer["site"], "--memory-budget", $"{memoryBudget}");

    private static async Task AssertSameAsync(HostPair hosts)
    {
        foreach (string path in s_paths)
        {
            await hosts.SameAsync(path);
        }
    }
}
