using System.Diagnostics;
using System.Text;

namespace Ioxide.Files.Tests;

/// <summary>
/// Releases with odd names, dates, modes and links take each other's place in odd ways while they are served. The three files that
/// every release has are answered the whole time, each as a whole file of one release; afterwards an ordinary change is seen,
/// and the host stops in order.
/// </summary>
public sealed class RandomFoldersTests : IDisposable
{
    private const int Steps = 40;

    private static readonly string[] s_everywhere = ["a.txt", "b/c.txt", "large.txt"];

    private static readonly byte[][] s_names =
    [
        "plain.txt"u8.ToArray(), "gr\u00fc\u00dfe.txt"u8.ToArray(), "a\ufffd.txt"u8.ToArray(), [.. "a"u8, 0xFF, .. ".txt"u8],
        [0xC3, 0x28, .. ".txt"u8], "line\nbreak.txt"u8.ToArray(), "tab\t.txt"u8.ToArray(), "back\\slash.txt"u8.ToArray(),
        "%2e%2e.txt"u8.ToArray(), "x?y#z.txt"u8.ToArray(), " .txt"u8.ToArray(), "...txt"u8.ToArray(), ".hidden.txt"u8.ToArray(),
        [.. Enumerable.Repeat((byte)'n', 251), .. ".txt"u8], "immutable.txt"u8.ToArray(), "a.txt.gz"u8.ToArray(), "a.txt.br"u8.ToArray(),
    ];

    private static readonly string[] s_targets = [".", "..", "made", "nothing", "../a.txt", "/etc", "../../large.txt"];

    private static readonly int[] s_years = [1902, 1969, 1970, 2024, 2262, 2400];

    private readonly string _outer = Directory.CreateTempSubdirectory("ioxide-files-").FullName;
    private readonly string _served;
    private volatile int _newest;

    public RandomFoldersTests() => _served = Path.Join(_outer, "cur");

    public void Dispose()
    {
        using Process remove = Process.Start("rm", ["-rf", "--", _outer]);
        remove.WaitForExit();
    }

    [Theory, Each(1, 2, 3)]
    public async Task EveryAnswerIsAWholeFileOfOneRelease(int seed)
    {
        TestContext.Current.TestOutputHelper?.WriteLine($"Seed {seed}.");
        var random = new Random(seed);
        Directory.Move(MakeRelease(random), _served);
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Way = seed % 2 == 0 ? Way.Ring : Way.ShortCircuit,
            Folder = _served,
            Options = options =>
            {
                options.WatchForChanges = true;
                options.ReloadDelay = TimeSpan.FromMilliseconds(seed);
                options.MemoryBudget = 3000;
                options.SymbolicLinks = seed == 3 ? SymbolicLinks.Refuse : SymbolicLinks.FollowInside;
                options.IsImmutable = static path => path == "immutable.txt" ? throw new InvalidOperationException(path) : false;
            },
        });
        using var stop = new CancellationTokenSource();
        Task[] readers = [.. Enumerable.Range(0, 2).Select(_ => ReadAsync(server, stop.Token))];
        for (int step = 0; step < Steps && !readers.Any(static reader => reader.IsCompleted); step++)
        {
            int generation = server.Site.Generation;
            Replace(random);
            if (random.Next(3) > 0)
            {
                await Waits.Eventually(() => server.Site.Generation > generation || readers.Any(static reader => reader.IsCompleted), 20.Seconds());
            }
        }

        await stop.CancelAsync();
        await Task.WhenAll(readers).Within(30.Seconds());
        string content = Guid.NewGuid().ToString();
        await File.WriteAllTextAsync(Path.Join(_served, "ordinary.txt"), content);
        using RawClient client = await server.ConnectAsync();
        await ReleaseTests.ServedAsync(client, "/ordinary.txt", content);
        await ReleaseTests.ServedAsync(client, "/a.txt", ReleaseTests.Content(_newest, "a.txt"));
    }

    private async Task ReadAsync(FileServer server, CancellationToken stop)
    {
        using RawClient client = await server.ConnectAsync();
        while (!stop.IsCancellationRequested)
        {
            foreach (string name in s_everywhere)
            {
                RawResponse response = await client.GetAsync("/" + name);
                Assert.Equal(200, response.Status);
                int release = int.Parse(response.Text.AsSpan(0, response.Text.IndexOf(' ', StringComparison.Ordinal)), System.Globalization.CultureInfo.InvariantCulture);
                Assert.InRange(release, 1, _newest);
                Assert.Equal(ReleaseTests.Content(release, name), response.Text);
            }
        }
    }

    /// <summary>Puts a new release in place of the one before, which stays beside it.</summary>
    private void Replace(Random random)
    {
        string release = MakeRelease(random);
        string away = $"{release}.before";
        bool isLink = new FileInfo(_served).LinkTarget is not null;
        switch (random.Next(4))
        {
            case 0:
                // Two steps, with nothing in between.
                Special.Rename(_served, away);
                Special.Rename(release, _served);
                break;
            case 1:
                Special.Exchange(_served, release);
                break;
            case 2 when isLink:
                ReleaseTests.PointTo(_served, Path.GetFileName(release), isRenamed: true);
                break;
            default:
                Special.Rename(_served, away);
                File.CreateSymbolicLink(_served, random.Next(2) == 0 ? release : Path.GetFileName(release));
                break;
        }
    }

    private string MakeRelease(Random random)
    {
        int number = _newest + 1;
        string release = Path.Join(_outer, $"r{number}");
        Directory.CreateDirectory(Path.Join(release, "b/d/e"));
        foreach (string name in s_everywhere)
        {
            File.WriteAllText(Path.Join(release, name), ReleaseTests.Content(number, name));
        }

        string[] folders = ["", "b", "b/d", "b/d/e"];
        for (int count = random.Next(12); count > 0; count--)
        {
            string folder = Path.Join(release, folders[random.Next(folders.Length)]);
            byte[] name = s_names[random.Next(s_names.Length)];
            string made = Path.Join(folder, "made");
            MakeOddity(random, made);
            byte[] target = [.. Encoding.UTF8.GetBytes(folder + "/"), .. name];
            if (!Directory.Exists(Encoding.UTF8.GetString(target)))
            {
                Special.Rename(made, target);
            }
        }

        _newest = number;
        return release;
    }

    private static void MakeOddity(Random random, string path)
    {
        if (File.Exists(path) || Directory.Exists(path) || new FileInfo(path).LinkTarget is not null)
        {
            return;
        }

        switch (random.Next(8))
        {
            case 0:
                Special.MakeFifo(path);
                break;
            case 1:
                File.CreateSymbolicLink(path, s_targets[random.Next(s_targets.Length)]);
                break;
            case 2:
                Special.TryMakeNullDevice(path);
                break;
            default:
                File.WriteAllBytes(path, new byte[random.Next(2000)]);
                File.SetLastWriteTimeUtc(path, new DateTime(s_years[random.Next(s_years.Length)], 5, 6, 7, 8, 9, DateTimeKind.Utc));
                File.SetUnixFileMode(path, random.Next(4) == 0 ? UnixFileMode.None : UnixFileMode.UserRead | UnixFileMode.OtherRead);
                break;
        }
    }
}
