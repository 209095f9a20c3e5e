namespace Ioxide.Files.Tests;

/// <summary>
/// A folder is replaced as sites are deployed: by a rename, or by a link that is moved. Every file says which release it belongs to.
/// The new release is served without a restart, and while it is put in place every answer is a whole file of one of the two.
/// </summary>
public sealed class ReleaseTests : IDisposable
{
    private static readonly string[] s_names = ["a.txt", "b/c.txt", "large.txt"];

    private readonly TestFolder _outer = new();

    public void Dispose() => _outer.Dispose();

    /// <summary>How the second release takes the place of the first, and where the served folder is.</summary>
    [Theory, Each("rename", "link", "link-renamed", "parent-link", "exchange", "inner-link")]
    public async Task AReplacedFolderIsServedWithoutARestart(string deployment)
    {
        string served = Prepare(deployment);
        await using FileServer server = await StartAsync(served, Way.ShortCircuit);
        using RawClient client = await server.ConnectAsync();
        foreach (string name in s_names)
        {
            Assert.Equal(Content(1, name), (await client.GetAsync("/" + name)).Text);
        }

        Deploy(deployment);
        await ServedAsync(client, "/a.txt", Content(2, "a.txt"));
        foreach (string name in s_names)
        {
            Assert.Equal(Content(2, name), (await client.GetAsync("/" + name)).Text);
        }

        Assert.Equal(404, (await client.GetAsync("/old.txt")).Status);
        Assert.Equal(Content(2, "new.txt"), (await client.GetAsync("/new.txt")).Text);

        // The new folder is watched too.
        File.WriteAllText(Path.Join(served, "later.txt"), "later");
        await ServedAsync(client, "/later.txt", "later");
    }

    [Theory, Each(Way.Sockets, Way.Ring)]
    public async Task AReloadByCallServesWhatThePathLeadsToNow(Way way)
    {
        string served = Prepare("rename");
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Way = way,
            Folder = served,
            Options = static options => options.MemoryBudget = 1000,
        });
        using RawClient client = await server.ConnectAsync();
        Deploy("rename");

        // What is left on disk belongs to the release that the snapshot is of.
        Assert.Equal(Content(1, "large.txt"), (await client.GetAsync("/large.txt")).Text);
        await server.Files.ReloadAsync();
        Assert.Equal(Content(2, "large.txt"), (await client.GetAsync("/large.txt")).Text);
        Assert.Equal(Content(2, "new.txt"), (await client.GetAsync("/new.txt")).Text);
        Assert.Equal(404, (await client.GetAsync("/old.txt")).Status);
    }

    [Fact]
    public async Task AReplacedFolderIsServedWhereTheHostHasNoRings()
    {
        string served = Prepare("link-renamed");
        await using FileServer server = await StartAsync(served, Way.Sockets);
        using RawClient client = await server.ConnectAsync();
        Deploy("link-renamed");
        await ServedAsync(client, "/new.txt", Content(2, "new.txt"));

        // A file that is written in place shows nowhere but in itself.
        File.WriteAllText(Path.Join(served, "a.txt"), "in place");
        await ServedAsync(client, "/a.txt", "in place");
    }

    [Fact]
    public async Task AFolderThatIsAwayForAWhileIsServedFromWhatIsKnownAndToldOnce()
    {
        string served = Prepare("rename");
        await using FileServer server = await StartAsync(served, Way.ShortCircuit);
        using RawClient client = await server.ConnectAsync();
        Directory.Move(served, _outer["away"]);
        await Waits.Eventually(() => FailuresOf(server) == 1, 20.Seconds());
        for (int round = 0; round < 10; round++)
        {
            Directory.CreateDirectory(_outer[$"next-to-it-{round}"]);
            await server.Site.ReloadOrLogAsync(FolderChanges.Whole(), CancellationToken.None);
            Assert.Equal(Content(1, "a.txt"), (await client.GetAsync("/a.txt")).Text);
        }

        Assert.Equal(1, FailuresOf(server));
        Directory.Move(_outer["r2"], served);
        await ServedAsync(client, "/new.txt", Content(2, "new.txt"));
    }

    /// <summary>A file system that a release lies on can be unmounted, without waiting for the collector.</summary>
    [Fact]
    public async Task AReleaseThatWasReplacedIsHeldOpenNoLonger()
    {
        string served = Prepare("link-renamed");
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup { Folder = served });
        for (int exchange = 0; exchange < 6; exchange++)
        {
            int generation = server.Site.Generation;
            PointTo(_outer["cur"], exchange % 2 == 0 ? "r2" : "r1", isRenamed: true);
            await server.Files.ReloadAsync();
            Assert.NotEqual(generation, server.Site.Generation);
        }

        string[] held = [.. Descriptors.Of("self").Values.Where(target => target.StartsWith(_outer.Path, StringComparison.Ordinal))];
        Assert.Equal([_outer["r1"]], held);
    }

    [Fact]
    public async Task NoAnswerIsMixedWhileReleasesAreExchangedUnderLoad()
    {
        const int Exchanges = 60;
        string served = Prepare("link-renamed");
        await using FileServer server = await StartAsync(served, Way.ShortCircuit, options => options.MemoryBudget = 1000);
        int watches = server.Site.Watcher!.WatchCount;
        using var stop = new CancellationTokenSource();
        Task[] readers = [.. Enumerable.Range(0, 3).Select(_ => ReadAsync(server, stop.Token))];
        for (int exchange = 0; exchange < Exchanges; exchange++)
        {
            int generation = server.Site.Generation;
            PointTo(_outer["cur"], exchange % 2 == 0 ? "r2" : "r1", isRenamed: true);
            await Waits.Eventually(() => server.Site.Generation > generation || readers.Any(static reader => reader.IsFaulted), 20.Seconds());
        }

        await stop.CancelAsync();
        await Task.WhenAll(readers).Within(30.Seconds());

        // Folders that are served no longer are watched no longer.
        await server.Files.ReloadAsync();
        Assert.Equal(watches, server.Site.Watcher!.WatchCount);
    }

    internal static string Content(int release, string name)
        => $"{release} {name} {(name.StartsWith("large", StringComparison.Ordinal) ? new string((char)('0' + release), 5000) : "")}";

    /// <summary>Asks again until the answer is as expected; every answer before must be a whole one.</summary>
    internal static Task ServedAsync(RawClient client, string path, string expected)
        => Waits.Until(
            async () =>
            {
                RawResponse response = await client.GetAsync(path);
                return (response.Status, response.Text);
            },
            response => response.Text == expected,
            60.Seconds(), $"{path} is {expected}");

    /// <summary>Replaces a link in one step, or in the two of <c>ln -sfn</c>.</summary>
    internal static void PointTo(string link, string target, bool isRenamed)
    {
        string made = isRenamed ? link + ".tmp" : link;
        File.Delete(made);
        File.CreateSymbolicLink(made, target);
        if (isRenamed)
        {
            Special.Rename(made, link);
        }
    }

    private static int FailuresOf(FileServer server) => server.Logs.Count(static line => line.Event.Name == "ReloadFailed");

    private static Task<FileServer> StartAsync(string folder, Way way, Action<IoxideFilesOptions>? configure = null)
        => FileServer.StartAsync(new FileServerSetup
        {
            Way = way,
            Folder = folder,
            Options = options =>
            {
                options.WatchForChanges = true;
                options.ReloadDelay = 10.Milliseconds();
                options.SymbolicLinks = SymbolicLinks.FollowInside;
                configure?.Invoke(options);
            },
        });

    private static async Task ReadAsync(FileServer server, CancellationToken stop)
    {
        using RawClient client = await server.ConnectAsync();
        while (!stop.IsCancellationRequested)
        {
            foreach (string name in s_names)
            {
                RawResponse response = await client.GetAsync("/" + name);
                Assert.Equal(200, response.Status);
                Assert.Contains(response.Text, new[] { Content(1, name), Content(2, name) });
            }
        }
    }

    /// <summary>Makes both releases and puts the first in place.</summary>
    /// <returns>The folder that is served.</returns>
    private string Prepare(string deployment)
    {
        string inner = deployment == "parent-link" ? "/site" : "";
        foreach (int release in new[] { 1, 2 })
        {
            foreach (string name in s_names.Append(release == 1 ? "old.txt" : "new.txt"))
            {
                // Of one size and date, so that only what they are tells them apart.
                _outer.With($"r{release}{inner}/{name}", Content(release, name));
            }
        }

        switch (deployment)
        {
            case "rename" or "exchange":
                Directory.Move(_outer["r1"], _outer["cur"]);
                return _outer["cur"];
            case "inner-link":
                // As the volumes of a ConfigMap are laid out.
                Directory.CreateDirectory(_outer["cur"]);
                Directory.Move(_outer["r1"], _outer["cur/..r1"]);
                Directory.Move(_outer["r2"], _outer["cur/..r2"]);
                PointTo(_outer["cur/..data"], "..r1", isRenamed: true);
                foreach (string name in new[] { "a.txt", "b", "large.txt", "old.txt", "new.txt" })
                {
                    File.CreateSymbolicLink(_outer[$"cur/{name}"], $"..data/{name}");
                }

                return _outer["cur"];
            default:
                PointTo(_outer["cur"], "r1", isRenamed: true);
                return _outer["cur"] + inner;
        }
    }

    private void Deploy(string deployment)
    {
        switch (deployment)
        {
            case "rename":
                Directory.Move(_outer["cur"], _outer["cur.old"]);
                Directory.Move(_outer["r2"], _outer["cur"]);
                break;
            case "exchange":
                Special.Exchange(_outer["cur"], _outer["r2"]);
                break;
            case "inner-link":
                PointTo(_outer["cur/..data"], "..r2", isRenamed: true);
                break;
            default:
                PointTo(_outer["cur"], "r2", isRenamed: deployment != "link");
                break;
        }
    }
}
