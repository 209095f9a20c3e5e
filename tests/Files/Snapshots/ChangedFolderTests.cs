using Microsoft.Win32.SafeHandles;

namespace Ioxide.Files.Tests;

/// <summary>
/// A snapshot that follows a folder by what inotify tells is the one that a fresh loading makes. A seed draws changes: files are written,
/// replaced, renamed, dated and deleted, folders made, moved, exchanged and taken out and back in, links set, moved and cut.
/// </summary>
public sealed class ChangedFolderTests : IDisposable
{
    private const int Steps = 60;

    private static readonly string[] s_files =
        ["a.txt", "b.css", "b.css.br", "b.css.gz", "index.html", ".hidden.txt", "unknown.xyz", "index.html.br"];

    private static readonly string[] s_folders = ["x", "y", "z.txt", ".well-known"];

    private readonly TestFolder _outer = new();
    private string _root = "";
    private int _links;

    public void Dispose() => _outer.Dispose();

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, Scale.Of(60))];

    [Theory, MemberData(nameof(Seeds))]
    public async Task AFollowedFolderIsAsOneThatIsReadAnew(int seed)
    {
        TestContext.Current.TestOutputHelper?.WriteLine($"Seed {seed}.");
        var random = new Random(seed);
        _root = _outer["root"];
        Directory.CreateDirectory(_root);
        Directory.CreateDirectory(_outer["away"]);
        var options = new IoxideFilesOptions
        {
            SymbolicLinks = random.Next(3) == 0 ? SymbolicLinks.Refuse : SymbolicLinks.FollowInside,
            ServeDotFiles = random.Next(3) == 0,
            MemoryBudget = random.Next(3) == 0 ? 5000 : 1_000_000,
        };
        InotifyQueue queue = InotifyQueue.TryOpen(out int errno) ?? throw new InvalidOperationException($"inotify_init1: {Errno.Name(errno)}");
        using FileRoot root = FileRoot.Open(_root, options.SymbolicLinks);
        SnapshotLoader loader = SnapshotMemoryTests.MakeLoader(_outer, options);
        FileSnapshot snapshot = FileSnapshot.Empty;
        var changes = FolderChanges.Whole();
        using (queue)
        {
            for (int step = 0; step < Steps; step++)
            {
                snapshot = await loader.LoadAsync(root, snapshot, changes, Enter, CancellationToken.None);
                queue.EndOthers(snapshot.Folder, hasWay: false);
                await AssertFreshAsync(root, options, snapshot);

                // Nothing is watched that is not served.
                Assert.Equal(FoldersOf(snapshot).Select(static folder => folder.Folder.Identity).Distinct().Count(), queue.Count);
                for (int count = random.Next(1, 6); count > 0; count--)
                {
                    Change(random);
                }

                changes = Drain(queue, step);
                Assert.False(changes.IsWhole);
            }
        }

        void Enter(string path, SafeFileHandle folder, FileIdentity identity) => Assert.Equal(0, queue.AddFolder(path, folder, identity));
    }

    /// <summary>The folder around it takes the place of another, and is from now on what a link in it leads to.</summary>
    [Fact]
    public async Task ALinkBelowWhatItLeadsToIsDroppedAlsoInAFolderThatIsKnown()
    {
        _outer.With("f/f.txt", "f").With("q/c/c.txt", "c");
        Directory.CreateSymbolicLink(_outer["fixed"], "f");
        Directory.CreateSymbolicLink(_outer["q/c/link"], "../../fixed");
        var options = new IoxideFilesOptions { SymbolicLinks = SymbolicLinks.FollowInside };
        using FileRoot root = FileRoot.Open(_outer.Path, options.SymbolicLinks);
        SnapshotLoader loader = SnapshotMemoryTests.MakeLoader(_outer, options);
        FileSnapshot before = await SnapshotMemoryTests.LoadAsync(loader, root, FileSnapshot.Empty);
        Assert.NotNull(before.Find("/q/c/link/f.txt"));

        Directory.Move(_outer["q/c"], _outer["f/c"]);
        Directory.Delete(_outer["q"]);
        Directory.Move(_outer["f"], _outer["q"]);
        ReleaseTests.PointTo(_outer["fixed"], "q", isRenamed: true);
        var changes = new FolderChanges();
        foreach (string path in new[] { "q", "f", "fixed", "q/c", "f/c" })
        {
            changes.Add(path);
        }

        FileSnapshot after = await SnapshotMemoryTests.LoadAsync(loader, root, before, changes);
        Assert.Null(after.Find("/q/c/link/f.txt"));
        await AssertFreshAsync(root, options, after);
    }

    [Fact]
    public async Task OnlyWhatChangedIsLookedAt()
    {
        _outer.With("a/1.txt", "1").With("a/2.txt", "2").With("b/c/3.txt", "3");
        var options = new IoxideFilesOptions();
        using FileRoot root = FileRoot.Open(_outer.Path, options.SymbolicLinks);
        SnapshotLoader loader = SnapshotMemoryTests.MakeLoader(_outer, options);
        FileSnapshot before = await SnapshotMemoryTests.LoadAsync(loader, root, FileSnapshot.Empty);
        File.Move(_outer["a/1.txt"], _outer["a/4.txt"]);
        File.Delete(_outer["b/c/3.txt"]);
        var changes = new FolderChanges();
        changes.Add("a/1.txt");
        changes.Add("a/4.txt");
        FileSnapshot after = await loader.LoadAsync(
            root, before, changes, static (path, _, _) => Assert.Fail($"{path} was listed."), CancellationToken.None);

        Assert.Null(after.Find("/a/1.txt"));
        Assert.NotNull(after.Find("/a/4.txt"));
        Assert.Same(before.Find("/a/2.txt"), after.Find("/a/2.txt"));
        Assert.Same(before.Folder.Find("b"), after.Folder.Find("b"));
        Assert.Same(after, await SnapshotMemoryTests.LoadAsync(loader, root, after, new FolderChanges()));
    }

    /// <summary>Listing the outer one leaves the inner one as it is: only its own change says that it may not be entered any more.</summary>
    [Fact]
    public async Task AFolderThatChangedIsListedAlsoInOneThatIsListedItself()
    {
        _outer.With("x/y/a.txt", "a");
        var options = new IoxideFilesOptions();
        using FileRoot root = FileRoot.Open(_outer.Path, options.SymbolicLinks);
        SnapshotLoader loader = SnapshotMemoryTests.MakeLoader(_outer, options);
        FileSnapshot before = await SnapshotMemoryTests.LoadAsync(loader, root, FileSnapshot.Empty);
        foreach (string[] changed in new string[][] { ["x"], ["x", "x/y"] })
        {
            var changes = new FolderChanges();
            Array.ForEach(changed, changes.Add);
            List<string> listed = [];
            await loader.LoadAsync(root, before, changes, (path, _, _) => listed.Add(path), CancellationToken.None);
            Assert.Equal(changed, listed);
        }
    }

    [Fact]
    public void AQueueThatOverflowedHasEverythingLookedAt()
    {
        byte[] overflow = new byte[16];
        BitConverter.TryWriteBytes(overflow, -1);
        BitConverter.TryWriteBytes(overflow.AsSpan(4), FileConstants.NotifyOverflow);
        using InotifyQueue? queue = InotifyQueue.TryOpen(out _);
        var changes = new FolderChanges();
        changes.Add("a.txt");
        queue!.Collect(overflow, changes);
        Assert.True(changes.IsWhole);
        Assert.Empty(changes.Names);
    }

    private async Task AssertFreshAsync(FileRoot root, IoxideFilesOptions options, FileSnapshot actual)
    {
        FileSnapshot expected = await SnapshotMemoryTests.LoadAsync(SnapshotMemoryTests.MakeLoader(_outer, options), root, FileSnapshot.Empty);
        List<string> one = Describe(expected);
        List<string> other = Describe(actual);
        Assert.True(
            one.SequenceEqual(other),
            string.Join('\n', [.. one.Except(other).Select(static line => $"- {line}"), .. other.Except(one).Select(static line => $"+ {line}")]));
        Assert.Equal(expected.Folder.Totals, actual.Folder.Totals);
        Assert.Equal(actual.MemoryBytes, actual.Chunks.Values.Sum());
        foreach ((string path, FileEntry entry) in expected.Entries())
        {
            foreach ((FileVariant left, FileVariant right) in entry.Variants.Zip(actual.Find(path)!.Variants))
            {
                // Which of the files of one length are left on disk is not said.
                if (!left.IsOnDisk && !right.IsOnDisk)
                {
                    Payload.AssertSame(left.Body.Bytes.ToArray(), right.Body.Bytes.ToArray());
                    Assert.Equal(left.ETag, right.ETag);
                }
            }
        }
    }

    private static List<string> Describe(FileSnapshot snapshot)
        =>
        [
            .. FoldersOf(snapshot).Select(static folder => $"folder {folder.Path} {folder.Folder.Identity} {folder.Folder.IsLinked}")
                .Concat(FoldersOf(snapshot).SelectMany(static folder => folder.Folder.Skipped.Select(skip => $"skipped {folder.Path} {skip}")))
                .Concat(FoldersOf(snapshot).SelectMany(static folder => folder.Folder.Links.Select(link => $"link {folder.Path} {link}")))
                .Concat(snapshot.Entries().Select(static file => $"file {file.Path} {string.Join(' ', file.Entry.Variants.Select(Describe))}"))
                .Order(StringComparer.Ordinal),
        ];

    private static IEnumerable<(string Path, Folder Folder)> FoldersOf(FileSnapshot snapshot) => snapshot.Folder.Walk("", static _ => true);

    private static string Describe(FileVariant variant) => $"{variant.Coding} {variant.Content.Version} {variant.LastModifiedText}";

    /// <summary>Reads what inotify has to say until it tells of a name that is made last.</summary>
    private FolderChanges Drain(InotifyQueue queue, int step)
    {
        string last = $"last-{step % 2}";
        File.WriteAllText(Path.Join(_root, last), "");
        var changes = new FolderChanges();
        byte[] buffer = new byte[64 * 1024];
        while (changes.Names.GetValueOrDefault("")?.Contains(last) != true)
        {
            int length = RandomAccess.Read(queue.Handle, buffer, 0);
            queue.Collect(buffer.AsSpan(0, length), changes);
        }

        return changes;
    }

    private void Change(Random random)
    {
        string folder = Pick(random, Folders());
        string file = Path.Join(folder, Pick(random, s_files));
        switch (random.Next(16))
        {
            case 0 or 1 or 2:
                Write(random, file);
                break;
            case 3:
                string fresh = Path.Join(folder, "fresh.tmp");
                Write(random, fresh);
                TryMove(fresh, file);
                break;
            case 4:
                TryMove(file, Path.Join(Pick(random, Folders()), Pick(random, s_files)));
                break;
            case 5 or 6:
                Remove(file);
                break;
            case 7 or 8 or 9:
                string made = Path.Join(folder, Pick(random, s_folders));
                if (!Path.Exists(made) && new FileInfo(made).LinkTarget is null && Path.GetRelativePath(_root, folder).Count('/') < 2)
                {
                    Directory.CreateDirectory(made);
                    Write(random, Path.Join(made, Pick(random, s_files)));
                }

                break;
            case 10 when folder != _root:
                Remove(folder);
                break;
            case 11 when folder != _root:
                TryMove(folder, Path.Join(Pick(random, Folders()), Pick(random, s_folders)));
                break;
            case 12 when folder != _root:
                TryMove(folder, _outer[$"away/{random.Next(3)}"]);
                break;
            case 12:
                TryMove(_outer[$"away/{random.Next(3)}"], Path.Join(folder, Pick(random, s_folders)));
                break;
            case 13:
                string other = Pick(random, Folders());
                if (!IsBelow(folder, other) && !IsBelow(other, folder))
                {
                    Special.Exchange(folder, other);
                }

                break;
            case 14:
                Link(random, folder);
                break;
            default:
                if (File.Exists(file) && new FileInfo(file).LinkTarget is null)
                {
                    File.SetLastWriteTimeUtc(file, TestFolder.Modified.AddSeconds(random.Next(3)));
                }

                break;
        }
    }

    private void Link(Random random, string folder)
    {
        const int MaxLinks = 5;
        string link = Path.Join(folder, random.Next(2) == 0 ? $"link{random.Next(3)}" : Pick(random, s_files));
        string target = random.Next(4) switch
        {
            0 => "nothing",
            1 => Path.GetRelativePath(folder, Pick(random, Folders())),
            2 => $"link{random.Next(3)}/{Pick(random, s_files)}",
            _ => Path.GetRelativePath(folder, Path.Join(Pick(random, Folders()), Pick(random, s_files))),
        };
        if (!Directory.Exists(link) && !File.Exists(link) && ++_links > MaxLinks)
        {
            return;
        }

        if (!Directory.Exists(link) || new FileInfo(link).LinkTarget is not null)
        {
            ReleaseTests.PointTo(link, target, isRenamed: true);
        }
    }

    private static void Write(Random random, string file)
    {
        if (Directory.Exists(file) || new FileInfo(file).LinkTarget is not null)
        {
            return;
        }

        byte[] content = new byte[random.Next(4) == 0 ? random.Next(3000) : random.Next(30)];
        random.NextBytes(content);
        using FileStream stream = File.Open(file, random.Next(3) == 0 ? FileMode.OpenOrCreate : FileMode.Create);
        stream.Write(content);
    }

    private static void Remove(string path)
    {
        if (Directory.Exists(path) && new FileInfo(path).LinkTarget is null)
        {
            Directory.Delete(path, recursive: true);
        }
        else
        {
            File.Delete(path);
        }
    }

    /// <summary>Renames where the kernel allows it: not over a folder that has something in it, nor into itself.</summary>
    private static void TryMove(string path, string target)
    {
        if (Path.Exists(path) && !Directory.Exists(target) && !IsBelow(target, path) && (!Directory.Exists(path) || !Path.Exists(target)))
        {
            Special.Rename(path, target);
        }
    }

    private static bool IsBelow(string path, string folder) => $"{path}/".StartsWith($"{folder}/", StringComparison.Ordinal);

    private List<string> Folders()
    {
        var options = new EnumerationOptions { RecurseSubdirectories = true, AttributesToSkip = FileAttributes.ReparsePoint };
        return [_root, .. Directory.EnumerateDirectories(_root, "*", options)];
    }

    private static string Pick(Random random, IReadOnlyList<string> among) => among[random.Next(among.Count)];
}
