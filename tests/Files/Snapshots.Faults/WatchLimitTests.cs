namespace Ioxide.Files.Tests;

/// <summary>
/// What inotify may take is used up: the log says so once and names the setting, the files are served, and changes are seen by comparing. The
/// limits are those of a user namespace, which the kernel counts beside the machine's and refuses with the same errors.
/// </summary>
public sealed class WatchLimitTests : IDisposable
{
    private const int FolderCount = 30;
    private const string NotWatched = "cannot be watched";

    private readonly TestFolder _outer = new TestFolder().With("site/a.txt", "a");

    public WatchLimitTests()
    {
        for (int index = 0; index < FolderCount; index++)
        {
            _outer.With($"site/{index}/a.txt", $"a of {index}");
        }
    }

    public void Dispose() => _outer.Dispose();

    [Fact]
    public async Task WithoutAnInstanceFilesAreServedAndChangesSeen()
    {
        await using HostPair hosts = await StartAsync("max_inotify_instances", 0);
        Assert.Single(hosts.Log, IsOfInstances);
        await AssertFollowedAsync(hosts);
        Assert.Equal(1, hosts.LinesWith(NotWatched));
        await hosts.StopAsync();

        static bool IsOfInstances(string line) => line.Contains("(inotify_init1 failed with EMFILE)", StringComparison.Ordinal)
            && line.Contains("Raise the sysctl fs.inotify.max_user_instances", StringComparison.Ordinal);
    }

    [Fact]
    public async Task WithTooFewWatchesFilesAreServedAndChangesSeen()
    {
        await using HostPair hosts = await StartAsync("max_inotify_watches", FolderCount / 2);
        Assert.Single(hosts.Log, IsOfWatches);
        await AssertFollowedAsync(hosts);
        Assert.Equal(1, hosts.LinesWith(NotWatched));
        await hosts.StopAsync();
    }

    [Fact]
    public async Task WatchesThatAreUsedUpLaterAreToldThen()
    {
        await using HostPair hosts = await StartAsync("max_inotify_watches", FolderCount + 20);
        Assert.Equal(0, hosts.LinesWith(NotWatched));
        for (int index = 0; index < FolderCount; index++)
        {
            _outer.With($"site/later/{index}/a.txt", $"later {index}");
        }

        for (int index = 0; index < FolderCount; index++)
        {
            await hosts.SameAsync($"/later/{index}/a.txt");
        }

        Assert.Single(hosts.Log, IsOfWatches);
        _outer.Replace($"site/later/{FolderCount - 1}/a.txt", "replaced"u8.ToArray());
        await AssertFollowedAsync(hosts);
        await hosts.SameAsync($"/later/{FolderCount - 1}/a.txt");
        Assert.Equal(1, hosts.LinesWith(NotWatched));
        await hosts.StopAsync();
    }

    private static bool IsOfWatches(string line) => line.Contains("(inotify_add_watch failed with ENOSPC)", StringComparison.Ordinal)
        && line.Contains("Raise the sysctl fs.inotify.max_user_watches", StringComparison.Ordinal);

    private Task<HostPair> StartAsync(string limit, int count) => HostPair.StartApartAsync($"echo {count} > /proc/sys/user/{limit}", _outer["site"]);

    /// <summary>Every folder is served, and a change of any kind in it is.</summary>
    private async Task AssertFollowedAsync(HostPair hosts)
    {
        string[] paths = [.. Enumerable.Range(0, FolderCount).Select(static index => $"/{index}/a.txt"), "/a.txt"];
        foreach (string path in paths)
        {
            Assert.Equal((await hosts.StockAsync(path)).Text, (await hosts.OursAsync(path)).Text);
        }

        for (int index = 0; index < FolderCount; index++)
        {
            switch (index % 4)
            {
                case 0:
                    _outer.Replace($"site/{index}/a.txt", Payload.Of(index + 1));
                    break;
                case 1:
                    File.AppendAllText(_outer[$"site/{index}/a.txt"], "in place");
                    break;
                case 2:
                    Directory.Delete(_outer[$"site/{index}"], recursive: true);
                    break;
                default:
                    _outer.With($"site/{index}/new/b.txt", $"b of {index}");
                    break;
            }
        }

        _outer.Replace("site/a.txt", "replaced"u8.ToArray());
        foreach (string path in paths.Concat(paths.Select(static path => path.Replace("a.txt", "new/b.txt", StringComparison.Ordinal))))
        {
            await hosts.SameAsync(path);
        }
    }
}
